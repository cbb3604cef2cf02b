// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>

#include "differ.h"

static struct {
	const uint8_t *data;
	size_t size;
	uint32_t max_sent;
} input;

void differ_input(const uint8_t *data, size_t size, uint32_t max_sent)
{
	input.data = data;
	input.size = size;
	input.max_sent = max_sent;
}

static void print_call(unsigned int nr, const struct call *c, const struct kvm_irq_routing *t)
{
	char text[256];

	call_text(c, t, text, sizeof(text));
	fprintf(stderr, "  %3u %s\n", nr, text);
}

void differ_print_call(const struct step *at)
{
	print_call(at->nr, at->call, at->table);
}

/* The program again, since a step knows its own call only. */
static void print_program(const struct step *at)
{
	static union {
		struct kvm_irq_routing routing;
		char room[sizeof(struct kvm_irq_routing) +
			  PROGRAM_MAX_ROUTES * sizeof(struct kvm_irq_routing_entry)];
	} table;
	struct program pr;
	struct call c;

	program_start(&pr, input.data, input.size, &table.routing, input.max_sent);
	while (program_next(&pr, &c)) {
		print_call(pr.calls, &c, &table.routing);
		if (pr.calls == at->nr)
			break;
	}
}

static void begin(const struct step *at, const struct strategy *s)
{
	fprintf(stderr, "==================================================================\n");
	fprintf(stderr, "fuzz_routing: strategies differ: %s\n", s ? s->name : "?");
	print_program(at);
	if (at->nr)
		fprintf(stderr, "in call %u: ", at->nr);
	else
		fprintf(stderr, "at the end: ");
}

static __attribute__((noreturn)) void end(void)
{
	fprintf(stderr, "==================================================================\n");
	abort();
}

void differ(const struct step *at, const struct strategy *s, const char *fmt, ...)
{
	va_list args;

	begin(at, s);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	end();
}

static const char *errno_name(long result)
{
	const char *name = result < 0 ? strerrorname_np(-result) : NULL;

	return name ? name : "no error";
}

void differ_result(const struct step *at, const struct strategy *s, long got)
{
	differ(at, s, "expected %ld (%s), got %ld (%s)", at->want, errno_name(at->want), got,
	       errno_name(got));
}

static void print_route(const char *what, const struct port_route *r)
{
	fprintf(stderr, "  %s GSI %u, type %u, words %#x %#x %#x %#x %#x, handler %u\n", what,
		r->gsi, r->type, r->words[0], r->words[1], r->words[2], r->words[3], r->words[4],
		r->handler);
}

void differ_table(const struct step *at, const struct strategy *s, const struct expect_table *want,
		  int nr, const struct port_route *routes, const int32_t *pins)
{
	int i;

	begin(at, s);
	fprintf(stderr, "the table is another: expected %u routes, got %d\n", want->nr, nr);
	for (i = 0; i < nr && i < (int)want->nr; i++)
		if (memcmp(&want->routes[i], &routes[i], sizeof(routes[i])))
			break;
	if (i < (int)want->nr)
		print_route("expected", &want->routes[i]);
	if (i < nr)
		print_route("got     ", &routes[i]);
	for (i = 0; i < EXPECT_PINS; i++)
		if (pins[i] != want->pins[i])
			fprintf(stderr, "  chip %d pin %d: expected GSI %d, got %d\n",
				i / PORT_NR_PINS, i % PORT_NR_PINS, want->pins[i], pins[i]);
	end();
}

static void print_events(const struct strategy *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_events && i < STRATEGY_MAX_EVENTS; i++) {
		fprintf(stderr, "  %s: injection %u, GSI %d, level %d:\n", s->name, i,
			(int)s->events[i].gsi, s->events[i].level);
		print_route("   ", &s->events[i].route);
	}
}

void differ_events(const struct step *at, const struct strategy *s, const struct strategy *first)
{
	begin(at, s);
	fprintf(stderr, "injections are others than in %s\n", first->name);
	print_events(first);
	print_events(s);
	end();
}

void differ_leak(const struct step *at, const struct strategy *s)
{
	begin(at, s);
	fprintf(stderr, "memory leaked; allocated and not freed:\n");
	sim_mm_leak_report(stderr);
	end();
}
