// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of irqsim compare vfio, and the command itself.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <sim/mm.h>

#include "builtins.h"
#include "compare_vfio.h"
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
	OPT_REAL,
};

static const struct argp_option option_list[] = {
	{ "strategy", 's', "NAME", 0,
	  "per-vector: a commit for each vector; skip-unchanged: the same, on a kernel that writes "
	  "no remapping entry whose message is the same; deferred: one commit for each device. "
	  "Repeatable (default: all)",
	  0 },
	{ "vfs", OPT_VFS, "N", 0, "devices, one after another (default 8)", 0 },
	{ "vectors", OPT_VECTORS, "N", 0, "MSI-X vectors of each (default 65)", 0 },
	{ "vcpus", OPT_VCPUS, "N", 0, "vCPUs that the messages go to in turn (default 128)", 0 },
	{ "routing", OPT_ROUTING, "STRATEGY", 0, "how KVM allocates its tables (default per-entry)",
	  0 },
	{ "profile", OPT_PROFILE, "NAME|FILE.ini", 0, "cost profile (default vfio-2021)", 0 },
	{ "real", OPT_REAL, NULL, 0, "time the same calls on /dev/kvm as well", 0 },
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

static int add_strategy(struct vfio_options *o, const char *name)
{
	int i;

	for (i = 0; i < NR_VFIO_ROWS; i++)
		if (!strcmp(name, vfio_row_names[i])) {
			o->rows[i] = true;
			return 0;
		}
	return usage_error(
		"--strategy: expected per-vector, skip-unchanged or deferred, found '%.40s'", name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct vfio_options *o = state->input;
	int bad = 0;

	switch (key) {
	case 's':
		bad = add_strategy(o, arg);
		break;
	case OPT_VFS:
		bad = number("vfs", arg, VFIO_MAX_VFS, &o->vfs);
		break;
	case OPT_VECTORS:
		bad = number("vectors", arg, VFIO_MAX_VECTORS, &o->vectors);
		break;
	case OPT_VCPUS:
		bad = number("vcpus", arg, 255, &o->vcpus); /* physical destinations */
		break;
	case OPT_WALL_RUNS:
		bad = number("wall-runs", arg, 10000, &o->wall_runs);
		break;
	case OPT_ROUTING:
		o->routing = strncmp(arg, "routing=", 8) ? arg : arg + 8;
		break;
	case OPT_PROFILE:
		o->profile_name = arg;
		break;
	case OPT_JSON:
		o->json = arg;
		break;
	case OPT_PLOT:
		o->plot = arg;
		break;
	case OPT_REAL:
		o->real = true;
		break;
	case OPT_NO_WALL:
		o->wall = false;
		break;
	case ARGP_KEY_ARG:
		bad = usage_error("compare vfio: expected an option, found '%.40s'", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return bad ? EINVAL : 0;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "What a VMM pays to enable MSI-X on passed-through devices, by when it commits the "
	       "routes.\v"
	       "Exit status: 1 where the strategies end in different tables or irqfds, 2 wrong "
	       "usage.",
};

int vfio_parse(struct vfio_options *o, int argc, char **argv)
{
	unsigned int i, chosen = 0;

	*o = (struct vfio_options){ .vfs = 8,
				    .vectors = 65,
				    .vcpus = 128,
				    .wall_runs = 5,
				    .routing = "per-entry",
				    .profile_name = "vfio-2021",
				    .wall = true };
	if (parse_options(&argp, "irqsim compare vfio", argc, argv, o))
		return EXIT_USAGE;
	for (i = 0; i < NR_VFIO_ROWS; i++)
		chosen += o->rows[i];
	for (i = 0; i < NR_VFIO_ROWS && !chosen; i++)
		o->rows[i] = true;
	if (o->vfs * o->vectors > PORT_MAX_GSI - 64)
		return usage_error("compare vfio: %u x %u vectors do not fit %u GSIs", o->vfs,
				   o->vectors, PORT_MAX_GSI);
	if (!port_find("strategy", o->routing))
		return usage_error("--routing: unknown strategy '%.60s': 'irqsim list strategies' "
				   "names them",
				   o->routing);
	return 0;
}

static int run_rows(struct vfio_result *r)
{
	unsigned int i, bad = 0;
	int ret;

	for (i = 0; i < NR_VFIO_ROWS; i++) {
		struct vfio_row *row = &r->rows[r->nr_rows];

		if (!r->o->rows[i])
			continue;
		row->strategy = i;
		row->real_ms = -1;
		ret = vfio_run(r->o, r->profile, row);
		/* Which kernel it is cannot be chosen there. */
		if (!ret && r->o->real && i != ROW_SKIP_UNCHANGED)
			ret = vfio_run_real(r->o, row);
		if (ret)
			return ret;
		bad += row->problem[0] != 0;
		r->nr_rows++;
	}
	if (!r->o->json || strcmp(r->o->json, "-"))
		vfio_print(r);
	if ((r->o->json && vfio_print_json(r)) || (r->o->plot && vfio_plot(r)))
		return EXIT_USAGE;
	return bad ? EXIT_DEFECT : EXIT_OK;
}

int compare_vfio(int argc, char **argv)
{
	struct vfio_result r = { 0 };
	struct vfio_options o;
	struct profile profile;
	struct utsname name;
	char err[512];
	int ret;

	if (vfio_parse(&o, argc, argv))
		return EXIT_USAGE;
	if (o.json && json_output_check(o.json))
		return EXIT_USAGE;
	if (profile_read(o.profile_name, &profile, err, sizeof(err)))
		return usage_error("%s", err);

	r.o = &o;
	r.profile = &profile;
	r.rows = calloc(NR_VFIO_ROWS, sizeof(*r.rows));
	if (!uname(&name))
		snprintf(r.kernel, sizeof(r.kernel), "%.64s", name.release);
	ret = r.rows ? run_rows(&r) : usage_error("compare vfio: expected memory for the rows");
	free(r.rows);
	profile_free(&profile);
	return ret;
}
