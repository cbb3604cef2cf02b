// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for interrupt routing: an input is a program (program.h) of ioctls, made on
 * every strategy in this process. After each call the strategies' results, errnos, tables, pins and
 * injections are compared with what the ABI promises (expect.h) and with each other, and at the end
 * nothing may be left in memory.
 *
 * After a call in which an allocation failed, a strategy has either done it or answered -ENOMEM and
 * kept what was there; in the second case the call is made again, without a failure.
 *
 *	IRQSIM_STRATEGY=NAME	one strategy alone
 *	IRQSIM_MUTANT=NAME	a mutant besides
 *	IRQSIM_MAX_ROUTES=N	at most N routes are set by an input, in all of its tables
 *	IRQSIM_FUZZ_CHECKS=N	what the simulated memory checks (enum sim_mm_checks)
 *	IRQSIM_FUZZ_PRINT=1	the calls in words, on stderr
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "differ.h"
#include "strategy.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_STRATEGIES 32

static struct strategy strategies[MAX_STRATEGIES];
static unsigned int nr_strategies;
static uint64_t live_before; /* objects that stay for good */
static uint32_t max_sent = PROGRAM_MAX_SENT;
static bool print_calls;
static uint64_t live_now; /* after the last call */
static unsigned int
	unchecked; /* VMs, by bit, whose table may not be as it was when last looked at */

static union {
	struct kvm_irq_routing routing;
	char room[sizeof(struct kvm_irq_routing) +
		  PROGRAM_MAX_ROUTES * sizeof(struct kvm_irq_routing_entry)];
} table;

static uint64_t live_objects(void)
{
	struct sim_mm_stats stats;

	sim_mm_stats(&stats);
	return stats.live_objects;
}

static unsigned long number_from(const char *variable, unsigned long max, unsigned long otherwise)
{
	const char *text = getenv(variable);
	unsigned long n;
	char *end;

	if (!text)
		return otherwise;
	n = strtoul(text, &end, 10);
	if (end == text || *end || n > max) {
		fprintf(stderr, "fuzz_routing: %s=%s: expected a number up to %lu\n", variable,
			text, max);
		exit(2);
	}
	return n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	sim_mm_set_checks(number_from("IRQSIM_FUZZ_CHECKS", SIM_MM_CHECKS_ALL, FUZZ_CHECKS));
	sim_init();
	sim_report_set_abort(1);
	max_sent = number_from("IRQSIM_MAX_ROUTES", PROGRAM_MAX_SENT, PROGRAM_MAX_SENT);
	print_calls = getenv("IRQSIM_FUZZ_PRINT");
	strategy_map_pages();
	nr_strategies = strategy_choose(strategies, MAX_STRATEGIES);
	live_before = live_now = live_objects();
	return 0;
}

static unsigned long max_vcpu_ids(void)
{
	static unsigned long max;

	if (!max)
		max = strategies[0].ops->ioctl(0, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPU_ID);
	return max;
}

/* ---- one call ---- */

/* memcmp() of whole words: libFuzzer takes note of the real one's arguments, which costs more. */
static bool same_words(const void *a, const void *b, size_t bytes)
{
	const uint32_t *x = a, *y = b;
	uint32_t other = 0;
	size_t i;

	for (i = 0; i < bytes / sizeof(*x); i++)
		other |= x[i] ^ y[i];
	return !other;
}

static void check_table(struct step *at, const struct strategy *s, int vm_fd,
			const struct expect_table *want)
{
	static struct port_route routes[PORT_MAX_GSI];
	static int32_t pins[EXPECT_PINS];
	int n = s->ops->routing_table(vm_fd, routes, PORT_MAX_GSI, pins);

	if (n != (int)want->nr || !same_words(routes, want->routes, n * sizeof(routes[0])) ||
	    !same_words(pins, want->pins, sizeof(pins)))
		differ_table(at, s, want, n, routes, pins);
}

/* The VM as it was before the call, if it was there. */
static void check_old_table(struct step *at, const struct strategy *s)
{
	const struct expect_vm *vm = &at->expect->vms[at->call->slot % PROGRAM_VMS];

	if (expect_changes_table(at->call) && vm->fd >= 0)
		check_table(at, s, vm->fd, vm->table);
}

/* Fewer may be right: a vCPU that cannot be made makes an old destination map go. */
static void check_live(struct step *at, const struct strategy *s, uint64_t before)
{
	if (live_now > before)
		differ(at, s, "the call failed and left %lld more objects than there were",
		       (long long)(live_now - before));
}

static long run_counted(struct strategy *s, int fd, const struct call *c,
			const struct kvm_irq_routing *t)
{
	long ret = strategy_run(s, fd, c, t);

	live_now = live_objects();
	return ret;
}

static long run_one(struct step *at, struct strategy *s, int fd)
{
	uint64_t before = live_now;
	long ret = run_counted(s, fd, at->call, at->table);

	if (s->fault_hit && ret == -ENOMEM) {
		struct call again = *at->call;

		check_live(at, s, before);
		check_old_table(at, s);
		again.fail_nth = 0;
		ret = run_counted(s, fd, &again, at->table);
	}
	if (at->want != EXPECT_ANY && ret != at->want)
		differ_result(at, s, ret);
	if (ret < 0)
		check_live(at, s, before);
	s->live += live_now - before;

	return ret;
}

static void compare_with_first(struct step *at, const struct strategy *s, long first, long ret)
{
	const struct strategy *f = &strategies[0];

	if (ret != first)
		differ(at, s, "result %ld, but %ld in %s", ret, first, f->name);
	if (s->status != f->status)
		differ(at, s, "status %d, but %d in %s", s->status, f->status, f->name);
	if (s->nr_events != f->nr_events)
		differ(at, s, "%u injections, but %u in %s", s->nr_events, f->nr_events, f->name);
	if (memcmp(s->events, f->events,
		   (s->nr_events < STRATEGY_MAX_EVENTS ? s->nr_events : STRATEGY_MAX_EVENTS) *
			   sizeof(s->events[0])))
		differ_events(at, s, f);
}

static void run_call(struct expect *ex, const struct call *c, unsigned int nr)
{
	struct step at = { .expect = ex, .call = c, .table = &table.routing, .nr = nr };
	int fd = expect_fd(ex, c);
	long first = 0, ret;
	unsigned int i;

	if (fd < 0)
		return;
	at.want = expect_result(ex, c, &table.routing);
	if (print_calls)
		differ_print_call(&at);
	for (i = 0; i < nr_strategies; i++) {
		ret = run_one(&at, &strategies[i], fd);
		if (i)
			compare_with_first(&at, &strategies[i], first, ret);
		else
			first = ret;
	}
	expect_done(ex, c, at.want);
	/* The table of the call's VM is looked at now, all others at the end at the latest. */
	unchecked = (1U << PROGRAM_VMS) - 1;
	if (!expect_changes_table(c) || ex->vms[c->slot].fd < 0)
		return;
	for (i = 0; i < nr_strategies; i++)
		check_table(&at, &strategies[i], ex->vms[c->slot].fd, ex->vms[c->slot].table);
	unchecked &= ~(1U << c->slot);
}

/* ---- the end ---- */

static void close_all(struct expect *ex)
{
	static const struct call none = { .kind = CALL_RAW };
	struct step at = { .expect = ex, .call = &none, .table = &table.routing };
	unsigned int i, vm;
	uint64_t before, fds;

	for (i = 0; i < nr_strategies; i++) {
		struct strategy *s = &strategies[i];

		for (vm = 0; vm < PROGRAM_VMS; vm++)
			if (unchecked >> vm & 1 && ex->vms[vm].fd >= 0)
				check_table(&at, s, ex->vms[vm].fd, ex->vms[vm].table);
		before = live_now;
		for (fds = ex->fds & ~1ULL; fds; fds &= fds - 1)
			s->ops->close(__builtin_ctzll(fds));
		live_now = live_objects();
		s->live += live_now - before;
		if (s->live)
			differ_leak(&at, s);
	}
	unchecked = 0;
	if (live_now != live_before)
		differ_leak(&at, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program pr;
	struct expect ex;
	struct call c;

	differ_input(data, size, max_sent);
	expect_init(&ex, max_vcpu_ids());
	program_start(&pr, data, size, &table.routing, max_sent);
	while (program_next(&pr, &c))
		run_call(&ex, &c, pr.calls);
	close_all(&ex);

	return 0;
}
