// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim conform FILE..., irqsim conform --live CALLS: a strategy's answers against a real kernel's,
 * recorded ones or those of this machine's, as KTAP.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "builtins.h"
#include "conform_live.h"
#include "model/vmm/cases.h"
#include "tree.h"

#define MAX_NAMES 64
#define MAX_LIVE  1000000000

struct options {
	const char *strategies[MAX_NAMES], *mutants[MAX_NAMES];
	char *trees[MAX_NAMES];
	unsigned int nr_strategies, nr_mutants, nr_trees;
	const char *files[MAX_NAMES];
	unsigned int nr_files;
	unsigned int live; /* calls */
	uint64_t seed;
};

#define OPT_SEED 256

static const struct argp_option option_list[] = {
	{ "strategy", 's', "NAME", 0, "strategy to check (repeatable; default: all)", 0 },
	{ "mutant", 'm', "NN-NAME", 0, "mutant to check (repeatable)", 0 },
	{ "tree", 't', "DIR", 0, "kernel tree to check (repeatable)", 0 },
	{ "live", 'l', "CALLS", 0,
	  "random calls to this machine's /dev/kvm as well, twice as many: tables, and interrupts",
	  0 },
	{ "seed", OPT_SEED, "N", 0, "which ones (default 1)", 0 },
	{ 0 },
};

static uint64_t number(const char *option, const char *arg, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (!isdigit((unsigned char)*arg) || *end || errno || v > max)
		exit(usage_error("conform: expected --%s to be a number up to %llu, found '%.40s'",
				 option, (unsigned long long)max, arg));
	return v;
}

static int next_arg = 1; /* what comes after the last option that was understood */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	if (o->nr_strategies + o->nr_mutants + o->nr_trees + o->nr_files == MAX_NAMES)
		exit(usage_error("conform: expected at most %d names and files", MAX_NAMES));
	if (key < 0x1000000)
		next_arg = state->next;

	switch (key) {
	case 's':
		o->strategies[o->nr_strategies++] = arg;
		return 0;
	case 'm':
		o->mutants[o->nr_mutants++] = arg;
		return 0;
	case 't':
		o->trees[o->nr_trees++] = arg;
		return 0;
	case 'l':
		o->live = number("live", arg, MAX_LIVE);
		return 0;
	case OPT_SEED:
		o->seed = number("seed", arg, UINT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		o->files[o->nr_files++] = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[FILE...]",
	.doc = "Run the cases of oracle files, or random calls beside this machine's own KVM, and "
	       "print KTAP: one line a case, '# SKIP' with the "
	       "reason for an input that is not known.",
};

struct totals {
	unsigned int ok, failed, skipped, number;
};

/* A title is a stranger's text: it must not pass for a line, or a directive, of KTAP. */
static void print_title(const char *title)
{
	for (; *title; title++)
		putchar(*title == '#' || !isprint((unsigned char)*title) ? '?' : *title);
}

static void print_case(const struct case_result *r, const char *strategy, struct totals *t)
{
	const char *verdict = r->verdict == CASE_FAIL ? "not ok" : "ok";

	printf("    %s %u - case %d: ", verdict, ++t->number, r->id);
	print_title(r->title);
	fputs(" (", stdout);
	print_title(r->setup);
	putchar(')');
	if (r->verdict == CASE_SKIP) {
		printf(" # SKIP %s\n", r->detail);
		t->skipped++;
	} else if (r->verdict == CASE_FAIL) {
		printf("\n    # %s: %s\n", strategy, r->detail);
		t->failed++;
	} else {
		printf("%s%s\n", r->detail[0] ? " # " : "", r->detail);
		t->ok++;
	}
}

/* One strategy on one file is a KTAP subtest. Returns whether it passed. */
static int run_file(const struct port *port, const struct cases *cases, const char *file,
		    unsigned int number)
{
	unsigned long defects = sim_report_defects();
	struct sim_mm_stats before, after;
	struct totals t = { 0 };
	struct case_result r;
	struct backend b;
	size_t i;
	int good;

	port->ops->reset();
	sim_mm_reset();
	sim_mm_stats(&before);
	backend_port_init(&b, port);
	printf("    KTAP version 1\n    1..%zu\n", cases_count(cases));
	for (i = 0; i < cases_count(cases); i++) {
		case_run(cases, i, &b, &r);
		print_case(&r, port->name, &t);
	}
	sim_mm_stats(&after);
	good = !t.failed && sim_report_defects() == defects &&
	       after.live_objects == before.live_objects;
	printf("    # pass:%u fail:%u skip:%u total:%u\n", t.ok, t.failed, t.skipped, t.number);
	if (after.live_objects != before.live_objects) {
		printf("    # %lu objects leaked:\n",
		       (unsigned long)(after.live_objects - before.live_objects));
		fflush(stdout);
		sim_mm_leak_report(stdout);
	}
	if (sim_report_defects() != defects)
		printf("    # the checkers reported %lu defects\n", sim_report_defects() - defects);
	printf("%s %u - %s on %s (%s, headers %s)\n", good ? "ok" : "not ok", number, file,
	       port->name, port->ops->config, port->ops->release);

	return good;
}

static int find_all(const char *kind, const char *const *names, unsigned int nr,
		    const struct port **found, unsigned int *nr_found)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const char *name = strncmp(names[i], "routing=", 8) ? names[i] : names[i] + 8;
		const struct port *p = port_find(kind, name);

		if (!p)
			return usage_error("unknown %s '%.60s': 'irqsim list' names them", kind,
					   names[i]);
		found[(*nr_found)++] = p;
	}
	return 0;
}

static int choose(struct options *o, const struct port **ports, unsigned int *nr)
{
	char name[4200];
	unsigned int i;

	if (find_all("strategy", o->strategies, o->nr_strategies, ports, nr) ||
	    find_all("mutant", o->mutants, o->nr_mutants, ports, nr))
		return EXIT_USAGE;
	for (i = 0; i < o->nr_trees; i++) {
		snprintf(name, sizeof(name), "tree:%s", o->trees[i]);
		ports[*nr] = port_find("tree", name);
		if (!ports[*nr])
			return usage_error("%s was not linked in", name);
		(*nr)++;
	}
	if (*nr)
		return 0;
	for (i = 0; i < irqsim_nr_ports && *nr < MAX_NAMES; i++)
		if (!strcmp(irqsim_ports[i].kind, "strategy"))
			ports[(*nr)++] = &irqsim_ports[i];
	return 0;
}

int builtin_conform(int argc, char **argv)
{
	const struct port *ports[3 * MAX_NAMES];
	struct cases *cases[MAX_NAMES];
	unsigned int nr_ports = 0, i, j, number = 0, failed = 0;
	struct options o = { .seed = 1 };
	char err[512];

	if (parse_options(&argp, "irqsim conform", argc, argv, &o))
		return usage_error("conform: unknown or incomplete option '%.60s': see --help",
				   argv[next_arg]);
	if (!o.nr_files && !o.live)
		return usage_error("conform: expected an oracle file");
	if (o.nr_trees && tree_ensure(o.trees, o.nr_trees, irqsim_argc, irqsim_argv))
		return EXIT_USAGE;
	if (choose(&o, ports, &nr_ports))
		return EXIT_USAGE;
	for (i = 0; i < o.nr_files; i++) {
		if (cases_read(o.files[i], &cases[i], err, sizeof(err)))
			return usage_error("%s", err);
	}

	sim_mm_set_checks(SIM_MM_CHECKS_ALL);
	sim_init();
	printf("KTAP version 1\n1..%u\n",
	       nr_ports * (o.nr_files + (o.live ? CONFORM_LIVE_LINES : 0)));
	for (i = 0; i < o.nr_files; i++)
		for (j = 0; j < nr_ports; j++)
			failed += !run_file(ports[j], cases[i], o.files[i], ++number);
	for (j = 0; o.live && j < nr_ports; j++, number += CONFORM_LIVE_LINES)
		failed += conform_live(ports[j], o.seed, o.live, number + 1);
	printf("# %u of %u passed\n", number - failed, number);
	for (i = 0; i < o.nr_files; i++)
		cases_free(cases[i]);

	return failed ? EXIT_DEFECT : EXIT_OK;
}
