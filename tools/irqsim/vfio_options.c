// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of irqsim compare vfio, and the command itself.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>
#include <sim/task.h>

#include "builtins.h"
#include "compare_vfio.h"
#include "model/vmm/msi_routes.h"
#include "output.h"

const char *const vfio_row_names[NR_VFIO_ROWS] = {
	[ROW_PER_VECTOR] = "per-vector",
	[ROW_SKIP_UNCHANGED] = "skip-unchanged",
	[ROW_DEFERRED] = "deferred",
};

enum {
	OPT_VFS = 0x100,
	OPT_VECTORS,
	OPT_VCPUS,
	OPT_ROUTING,
	OPT_PROFILE,
	OPT_JSON,
	OPT_PLOT,
	OPT_NO_WALL,
	OPT_WALL_RUNS,
	OPT_NO_REAL,
	OPT_IRQBALANCE,
};

static const struct argp_option option_list[] = {
	{ "strategy", 's', "NAME", 0,
	  "per-vector: a commit for each vector; skip-unchanged: the same, on a kernel that writes "
	  "no remapping entry whose message is the same (since 5.15); deferred: one commit for "
	  "each "
	  "device. Several with commas, or repeated (default: all)",
	  0 },
	{ "vfs", OPT_VFS, "N", 0, "devices, one after another (default 8)", 0 },
	{ "vectors", OPT_VECTORS, "N", 0, "MSI-X vectors of each (default 65)", 0 },
	{ "vcpus", OPT_VCPUS, "N", 0, "vCPUs that the messages go to in turn (default 128)", 0 },
	{ "routing", OPT_ROUTING, "STRATEGY", 0, "how KVM allocates its tables (default per-entry)",
	  0 },
	{ "profile", OPT_PROFILE, "NAME|FILE.ini", 0, "cost profile (default vfio-2021)", 0 },
	{ "irqbalance", OPT_IRQBALANCE, "RATE", 0,
	  "then the guest changes the affinity of RATE vectors a second", 0 },
	{ "no-real", OPT_NO_REAL, NULL, 0, "do not time the same calls on /dev/kvm", 0 },
	{ "wall-runs", OPT_WALL_RUNS, "N", 0, "timed runs (default 5)", 0 },
	{ "no-wall", OPT_NO_WALL, NULL, 0, "no wall times: equal runs print equal bytes", 0 },
	{ "json", OPT_JSON, "FILE|-", 0, "write the result as JSON; - replaces the table", 0 },
	{ "plot", OPT_PLOT, "FILE.svg", 0, "draw it (gnuplot)", 0 },
	{ 0 },
};

static int number(const char *option, const char *text, unsigned int max, unsigned int *out)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (end == text || *end || errno || text[0] == '-' || n < 1 || n > max)
		return usage_error("--%s: expected a number from 1 to %u, found '%.40s'", option,
				   max, text);
	*out = (unsigned int)n;
	return 0;
}

static int add_strategy(struct vfio_options *o, const char *name, size_t len)
{
	int i;

	for (i = 0; i < NR_VFIO_ROWS; i++)
		if (strlen(vfio_row_names[i]) == len && !strncmp(name, vfio_row_names[i], len)) {
			o->rows[i] = true;
			return 0;
		}
	return usage_error(
		"--strategy: expected per-vector, skip-unchanged or deferred, found '%.*s'",
		(int)(len < 40 ? len : 40), name);
}

static int add_strategies(struct vfio_options *o, const char *names)
{
	size_t len;

	for (;; names += len + 1) {
		len = strcspn(names, ",");
		if (add_strategy(o, names, len))
			return EXIT_USAGE;
		if (!names[len])
			return 0;
	}
}

/* 0, or EXIT_USAGE with a message. */
static int take(struct vfio_options *o, int key, const char *arg)
{
	switch (key) {
	case 's':
		return add_strategies(o, arg);
	case OPT_VFS:
		return number("vfs", arg, VFIO_MAX_VFS, &o->vfs);
	case OPT_VECTORS:
		return number("vectors", arg, VFIO_MAX_VECTORS, &o->vectors);
	case OPT_VCPUS:
		return number("vcpus", arg, 255, &o->vcpus); /* physical destinations */
	case OPT_WALL_RUNS:
		return number("wall-runs", arg, 10000, &o->wall_runs);
	case OPT_ROUTING:
		o->routing = strncmp(arg, "routing=", 8) ? arg : arg + 8;
		return 0;
	case OPT_PROFILE:
		o->profile_name = arg;
		return 0;
	case OPT_JSON:
		o->json = arg;
		return 0;
	case OPT_PLOT:
		o->plot = arg;
		return 0;
	case OPT_IRQBALANCE:
		return number("irqbalance", arg, VFIO_MAX_RATE, &o->irqbalance);
	case OPT_NO_REAL:
		o->real = false;
		return 0;
	case OPT_NO_WALL:
		o->wall = false;
		return 0;
	}
	return 0;
}

static int next_arg = 1; /* what comes after the last option that was understood */

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		exit(usage_error("compare vfio: expected an option, found '%.60s'", arg));
	if (key != 's' && (key < OPT_VFS || key > OPT_IRQBALANCE))
		return ARGP_ERR_UNKNOWN; /* argp's own keys come here as well */
	if (take(state->input, key, arg))
		exit(EXIT_USAGE);
	next_arg = state->next;
	return 0;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "What it costs to enable MSI-X on passed-through devices, by when the VMM commits "
	       "the routes, and what changing routes costs then.\v"
	       "Exit status: 1 where the strategies end in different tables or irqfds, 2 wrong "
	       "usage.",
};

int vfio_parse(struct vfio_options *o, int argc, char **argv)
{
	const unsigned int max_vectors = PORT_MAX_GSI - MSI_ROUTES_PINS;
	unsigned int i, chosen = 0;

	*o = (struct vfio_options){ .vfs = 8,
				    .vectors = 65,
				    .vcpus = 128,
				    .wall_runs = 5,
				    .routing = "per-entry",
				    .profile_name = "vfio-2021",
				    .wall = true,
				    .real = true };
	if (parse_options(&argp, "irqsim compare vfio", argc, argv, o))
		return usage_error("compare vfio: unknown or incomplete option '%.60s': see --help",
				   next_arg < argc ? argv[next_arg] : "");
	for (i = 0; i < NR_VFIO_ROWS; i++)
		chosen += o->rows[i];
	for (i = 0; i < NR_VFIO_ROWS && !chosen; i++)
		o->rows[i] = true;
	if (o->vfs * o->vectors > max_vectors)
		return usage_error("--vfs, --vectors: expected %u vectors at most in all, found "
				   "%u x %u",
				   max_vectors, o->vfs, o->vectors);
	if (!port_find("strategy", o->routing))
		return usage_error("--routing: unknown strategy '%.60s': 'irqsim list strategies' "
				   "names them",
				   o->routing);
	return 0;
}

/* The rows end in the same tables, after each device. */
static void compare_tables(struct vfio_result *r)
{
	unsigned int i, n;

	for (i = 1; i < r->nr_rows; i++)
		for (n = 0; n < r->o->vfs && !r->rows[i].problem[0]; n++)
			if (r->rows[i].cells[n].digest != r->rows[0].cells[n].digest)
				snprintf(r->rows[i].problem, sizeof(r->rows[i].problem),
					 "another routing table than %s after device %u",
					 vfio_row_names[r->rows[0].strategy], n + 1);
}

static int show(const struct vfio_result *r)
{
	if (!r->o->json || strcmp(r->o->json, "-"))
		vfio_print(r);
	if (r->o->json && vfio_print_json(r))
		return EXIT_USAGE;
	return r->o->plot && vfio_plot(r) ? EXIT_USAGE : EXIT_OK;
}

static int run_rows(struct vfio_result *r)
{
	unsigned int i, bad = 0;

	for (i = 0; i < NR_VFIO_ROWS; i++) {
		if (!r->o->rows[i])
			continue;
		r->rows[r->nr_rows].strategy = i;
		if (vfio_run(r->o, r->profile, &r->rows[r->nr_rows++]))
			return EXIT_USAGE;
	}
	compare_tables(r);
	for (i = 0; i < r->nr_rows; i++)
		bad += r->rows[i].problem[0] != 0;
	if (r->o->wall && vfio_run_plain(r))
		return EXIT_USAGE;
	if (show(r))
		return EXIT_USAGE;
	return bad ? EXIT_DEFECT : EXIT_OK;
}

static int check_outputs(const struct vfio_options *o)
{
	if (o->json && !*o->json)
		return usage_error("--json: expected a file or -");
	if (o->json && json_output_check(o->json))
		return EXIT_USAGE;
	if (!o->plot)
		return 0;
	if (!o->plot[0] || o->plot[0] == '-' || strpbrk(o->plot, "'\n"))
		return usage_error("--plot: expected a file name without quotes, found '%.60s'",
				   o->plot);
	return json_output_check(o->plot);
}

int compare_vfio(int argc, char **argv)
{
	struct vfio_result r = { 0 };
	struct vfio_options o;
	struct profile profile;
	char err[512];
	int ret;

	if (vfio_parse(&o, argc, argv) || check_outputs(&o))
		return EXIT_USAGE;
	if (profile_read(o.profile_name, &profile, err, sizeof(err)))
		return usage_error("%s", err);

	r.o = &o;
	r.profile = &profile;
	r.rows = calloc(NR_VFIO_ROWS, sizeof(*r.rows));
	sim_mm_set_checks(compare_mm_checks());
	sim_init();
	ret = r.rows ? run_rows(&r) : usage_error("compare vfio: expected memory for the rows");
	free(r.rows);
	profile_free(&profile);
	return ret;
}
