// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim compare SUBJECT: the same traffic on several strategies, side by side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <port.h>
#include <sim/mm.h>
#include <sim/report.h>
#include <sim/task.h>

#include "builtins.h"
#include "compare_gpc.h"
#include "compare_routing.h"
#include "compare_vfio.h"
#include "model/workload/synth.h"
#include "output.h"
#include "tree.h"

bool routing_row_bad(const struct routing_row *row)
{
	return row->leaked || row->sweep_faults || row->reports || row->problem[0];
}

static int add_port(const char *kind, const char *name, const struct port **ports, unsigned int *nr)
{
	const struct port *p;

	if (!strncmp(name, "routing=", 8))
		name += 8;
	p = port_find(kind, name);
	if (!p)
		return usage_error("unknown %s '%.60s': 'irqsim list' names them", kind, name);
	ports[(*nr)++] = p;
	return 0;
}

static int choose_ports(const struct routing_options *o, const struct port **ports,
			unsigned int *nr)
{
	char name[4200];
	unsigned int i;

	for (i = 0; i < o->nr_strategies; i++)
		if (add_port("strategy", o->strategies[i], ports, nr))
			return EXIT_USAGE;
	if (!o->nr_strategies && !o->nr_mutants)
		for (i = 0; i < irqsim_nr_ports; i++)
			if (!strcmp(irqsim_ports[i].kind, "strategy"))
				ports[(*nr)++] = &irqsim_ports[i];
	for (i = 0; i < o->nr_trees; i++) {
		snprintf(name, sizeof(name), "tree:%s", o->trees[i]);
		if (add_port("tree", name, ports, nr))
			return EXIT_USAGE;
	}
	for (i = 0; i < o->nr_mutants; i++)
		if (add_port("mutant", o->mutants[i], ports, nr))
			return EXIT_USAGE;
	return 0;
}

static int load_traffic(const struct routing_options *o, struct trace *traces, unsigned int *nr)
{
	struct synth synth = { .updates = o->updates,
			       .gsi_max = o->gsi_max,
			       .change = o->change,
			       .seed = o->setup.seed };
	char err[512];
	unsigned int i;

	for (i = 0; i < o->nr_trace_files; i++, (*nr)++)
		if (trace_read(o->traces[i], &traces[*nr], err, sizeof(err)))
			return usage_error("%s", err);
	for (i = 0; i < o->nr_routes; i++, (*nr)++) {
		synth.routes = o->routes[i];
		if (synth.change != SYNTH_CHANGE_ALL && synth.change > synth.routes)
			synth.change = SYNTH_CHANGE_ALL;
		if (synth_trace(&synth, &traces[*nr], err, sizeof(err)))
			return usage_error("made traffic: %s", err);
	}
	return 0;
}

#define ENTRY_BYTES 64 /* struct kvm_kernel_irq_routing_entry */
#define HEADER_BYTES \
	328	     /* struct kvm_irq_routing_table without list heads, in the largest wrapper */
#define HEAD_BYTES 8 /* a list head */

static unsigned int order_of(size_t bytes)
{
	unsigned int order = 0;

	while ((SIM_PAGE_SIZE << order) < bytes)
		order++;
	return order;
}

/* Of the largest contiguous request that any strategy makes for these tables; at least 1. */
static unsigned int default_order(const struct trace *traces, unsigned int nr)
{
	size_t largest = 2 * SIM_PAGE_SIZE;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		size_t array = (size_t)traces[i].routes_max * ENTRY_BYTES;
		size_t map = HEADER_BYTES + ((size_t)traces[i].gsi_max + 1) * HEAD_BYTES;

		largest = array > largest ? array : largest;
		largest = map > largest ? map : largest;
	}
	return order_of(largest);
}

/* Every strategy has to end each update with the table of the first. */
static void compare_digests(struct routing_row *rows, unsigned int nr)
{
	unsigned int i;
	unsigned long d;

	for (i = 1; i < nr; i++) {
		if (rows[i].problem[0] || rows[0].enomem || rows[i].enomem)
			continue;
		for (d = 0; d < rows[0].nr_digests && d < rows[i].nr_digests; d++) {
			if (rows[0].digests[d] == rows[i].digests[d])
				continue;
			snprintf(rows[i].problem, sizeof(rows[i].problem),
				 "after update %lu the table is not that of %s",
				 d * DIGEST_EVERY + 1, rows[0].port->name);
			break;
		}
	}
}

static void progress(const char *name, unsigned int i, unsigned int nr)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s (%u of %u) \033[K", name, i + 1, nr);
}

/* A leak was found: once more with the call sites on record. */
static void name_leaks(const struct port *port, struct routing_setup setup)
{
	unsigned int checks = sim_mm_checks();
	struct routing_row row;

	setup.wall_runs = 0;
	setup.fail_sweep = false;
	sim_mm_reset();
	sim_mm_set_checks(checks | SIM_MM_LEDGER);
	routing_run(port, &setup, &row);
	fprintf(stderr, "%s leaks:\n", port->name);
	sim_mm_leak_report(stderr);
	routing_row_free(&row);
	sim_mm_reset();
	sim_mm_set_checks(checks);
}

static int show(const struct routing_result *r)
{
	if (!r->o->json || strcmp(r->o->json, "-"))
		routing_print(r);
	if (r->o->json && routing_print_json(r))
		return EXIT_USAGE;
	return r->defects ? EXIT_DEFECT : EXIT_OK;
}

static int run_rows(const struct routing_options *o, const struct port **ports, unsigned int nr)
{
	struct routing_row *rows = calloc(nr, sizeof(*rows));
	struct routing_result r = { .o = o, .rows = rows, .nr_rows = nr };
	unsigned int i, done = 0;
	int ret = EXIT_USAGE;

	if (!rows)
		return usage_error("compare routing: expected memory for %u rows", nr);
	for (; done < nr; done++) {
		progress(ports[done]->name, done, nr);
		if (routing_run(ports[done], &o->setup, &rows[done])) {
			usage_error("%s: %s", ports[done]->name, rows[done].problem);
			goto out;
		}
		if (rows[done].leaked)
			name_leaks(ports[done], o->setup);
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	compare_digests(rows, nr);
	for (i = 0; i < nr; i++)
		r.defects += routing_row_bad(&rows[i]);
	ret = show(&r);
out:
	for (i = 0; i < nr; i++)
		routing_row_free(&rows[i]);
	free(rows);
	return ret;
}

/*
 * Wall times are of the allocators alone; that a freed object is written to shows in sanitizer
 * builds, where nobody looks at wall times. Leaks and double frees are found in any case.
 */
static unsigned int checks_wanted(void)
{
#ifdef __SANITIZE_ADDRESS__
	return SIM_MM_CHECKS_ALL;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	return SIM_MM_CHECKS_ALL;
#endif
#endif
	return 0;
}

static int compare_routing(int argc, char **argv)
{
	const struct port *ports[4 * MAX_LIST];
	struct routing_options o;
	struct profile profile;
	struct trace *traces;
	unsigned int nr_ports = 0, nr_traces = 0;
	char err[512];
	int ret;

	if (routing_parse(&o, argc, argv))
		return EXIT_USAGE;
	if (o.json && json_output_check(o.json))
		return EXIT_USAGE;
	if (profile_read(o.profile_name, &profile, err, sizeof(err)))
		return usage_error("%s", err);
	ret = EXIT_USAGE;
	if (o.nr_trees && tree_ensure(o.trees, o.nr_trees, irqsim_argc, irqsim_argv))
		goto free_profile;
	if (choose_ports(&o, ports, &nr_ports))
		goto free_profile;

	traces = calloc(o.nr_trace_files + o.nr_routes, sizeof(*traces));
	if (!traces) {
		usage_error("compare routing: expected memory for the traffic");
		goto free_profile;
	}
	ret = load_traffic(&o, traces, &nr_traces);
	if (!ret) {
		o.setup.traces = traces;
		o.setup.nr_traces = nr_traces;
		o.setup.profile = &profile;
		if (!o.order_given)
			o.setup.fragment_order = default_order(traces, nr_traces);
		sim_mm_set_checks(checks_wanted());
		sim_init();
		ret = run_rows(&o, ports, nr_ports);
	}

	while (nr_traces)
		trace_free(&traces[--nr_traces]);
	free(traces);
free_profile:
	profile_free(&profile);
	return ret;
}

int builtin_compare(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "routing"))
		return compare_routing(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "vfio"))
		return compare_vfio(argc - 1, argv + 1);
#ifndef IRQSIM_NO_DET
	if (argc > 1 && !strcmp(argv[1], "gpc"))
		return compare_gpc(argc - 1, argv + 1);
#endif
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("Usage: irqsim compare routing|vfio|gpc [OPTION...]\n"
		     "'irqsim compare SUBJECT --help' says what it takes.");
		return EXIT_OK;
	}
	return usage_error("compare: expected a subject: routing, vfio or gpc%s%.40s%s",
			   argc > 1 ? ", found '" : "", argc > 1 ? argv[1] : "",
			   argc > 1 ? "'" : "");
}
