// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim list [WHAT]: what can be named elsewhere.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <port.h>
#include <sim/det.h>

#include "builtins.h"

static void list_ports(const char *kind)
{
	unsigned int i;

	for (i = 0; i < irqsim_nr_ports; i++) {
		const struct port *p = &irqsim_ports[i];

		if (strcmp(p->kind, kind))
			continue;
		if (p->base)
			printf("  %-36s of %s %s\n", p->name, p->subject, p->base);
		else
			printf("  %-36s %s, headers of %s\n", p->name, p->subject, p->ops->release);
	}
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_files(const char *dir, const char *suffix, int whole_path)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, by_name), i;

	for (i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		size_t len = strlen(name), s = strlen(suffix);

		if (len > s && !strcmp(name + len - s, suffix)) {
			if (whole_path)
				printf("  %s/%s\n", dir, name);
			else
				printf("  %.*s\n", (int)(len - s), name);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void list_strategies(void)
{
	list_ports("strategy");
	list_ports("variant");
	list_ports("tree");
}

static void list_profiles(void)
{
	list_files(IRQSIM_PROFILE_DIR, ".ini", 0);
}

static void list_traces(void)
{
	list_files(IRQSIM_TRACE_DIR, ".jsonl.gz", 1);
}

#ifndef IRQSIM_NO_DET
/* In which objects a scenario is: none, every strategy's and perhaps variants, or these. */
static void scenario_strategies(const char *name, char *buf, size_t size)
{
	unsigned int i, has = 0, objects = 0;
	size_t n = 0;

	for (i = 0; i < irqsim_nr_ports; i++)
		objects += !strcmp(irqsim_ports[i].kind, "strategy");
	*buf = 0;
	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		if (strcmp(p->name, name) || !p->strategy || p->rt || det_program_is_mutant(p))
			continue;
		has++;
		if (n < size)
			n += snprintf(buf + n, size - n, "%s%s", n ? "," : "", p->strategy);
	}
	if (!has)
		snprintf(buf, size, "-");
	else if (has >= objects)
		snprintf(buf, size, "all");
}

static int by_program_name(const void *a, const void *b)
{
	const struct det_program *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void print_scenario(const struct det_program *p)
{
	char strategies[128];

	scenario_strategies(p->name, strategies, sizeof(strategies));
	printf("  %-28s %-10s %6u  %s%s%s%s\n", p->name, strategies, p->nr_actors, p->what,
	       p->expects ? " (shows " : "", p->expects ? p->expects : "",
	       !p->expects	? ""
	       : p->expects_tso ? " under tso)"
				: ")");
}

/* Each name once, whatever objects it is in. */
static void list_scenarios(void)
{
	const struct det_program **list = calloc(det_nr_programs() + 1, sizeof(*list));
	unsigned int i, n = 0;

	for (i = 0; list && i < det_nr_programs(); i++)
		if (!det_program_is_mutant(det_program_at(i)) && !det_program_at(i)->rt)
			list[n++] = det_program_at(i);
	if (list)
		qsort(list, n, sizeof(*list), by_program_name);
	printf("  %-28s %-10s %6s  %s\n", "NAME", "STRATEGIES", "ACTORS", "WHAT");
	for (i = 0; i < n; i++)
		if (!i || strcmp(list[i]->name, list[i - 1]->name))
			print_scenario(list[i]);
	free(list);
	printf("traces with actors (irqsim explore --trace FILE):\n");
	list_files(IRQSIM_SCENARIO_DIR, ".jsonl", 1);
}

/* Is it the first of its mutant? */
static int is_first(unsigned int nth)
{
	unsigned int i;

	for (i = 0; i < nth; i++)
		if (det_program_at(i)->strategy &&
		    !strcmp(det_program_at(i)->strategy, det_program_at(nth)->strategy))
			return 0;
	return 1;
}

/* Mutants of small programs have no object of their own, but scenarios. */
static void list_program_mutants(void)
{
	unsigned int i, j, n = det_nr_programs();

	for (i = 0; i < n; i++) {
		const char *mutant = det_program_at(i)->strategy;

		if (!det_program_is_mutant(det_program_at(i)) || port_find("mutant", mutant) ||
		    !is_first(i))
			continue;
		printf("  %-36s of scenario", mutant);
		for (j = i; j < n; j++)
			if (det_program_at(j)->strategy &&
			    !strcmp(det_program_at(j)->strategy, mutant))
				printf(" %s", det_program_at(j)->name);
		putchar('\n');
	}
}
#else
static void list_program_mutants(void)
{
}
#endif

static void list_mutants(void)
{
	list_ports("mutant");
	list_program_mutants();
}

static const struct {
	const char *name;
	void (*list)(void);
} lists[] = {
	{ "strategies", list_strategies }, { "mutants", list_mutants },
	{ "profiles", list_profiles },	   { "traces", list_traces },
#ifndef IRQSIM_NO_DET
	{ "scenarios", list_scenarios },
#endif
};

int builtin_list(int argc, char **argv)
{
	unsigned int i, listed = 0;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("Usage: irqsim list [strategies|mutants|profiles|traces|scenarios]");
		return EXIT_OK;
	}
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (argc > 1 && strcmp(argv[1], lists[i].name))
			continue;
		printf("%s:\n", lists[i].name);
		lists[i].list();
		listed++;
	}
	if (!listed)
		return usage_error("list: expected strategies, mutants, profiles, traces or "
				   "scenarios, found '%.40s'",
				   argv[1]);
	return EXIT_OK;
}
