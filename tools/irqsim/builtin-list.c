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
	list_ports("tree");
}

static void list_mutants(void)
{
	list_ports("mutant");
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
static void list_scenarios(void)
{
	unsigned int i;

	for (i = 0; i < det_nr_programs(); i++) {
		const struct det_program *p = det_program_at(i);

		printf("  %-26s %-30s %s\n", p->name, p->strategy ? p->strategy : "-", p->what);
	}
}
#endif

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
		puts("Usage: irqsim list [strategies|mutants|profiles|traces]");
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
