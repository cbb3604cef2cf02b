// SPDX-License-Identifier: GPL-2.0-only
/*
 * irqsim compare gpc: options, and the runs.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtins.h"
#include "compare_gpc.h"
#include "output.h"

const char *const gpc_strategies[GPC_NR_STRATEGIES] = { "rwlock", "srcu" };
const char *const gpc_layouts[GPC_NR_LAYOUTS] = { "spread", "packed" };

#define MAX_DURATION_US 1e6

enum { OPT_VCPUS = 0x100, OPT_LAYOUT, OPT_PROFILE, OPT_DURATION, OPT_SEED, OPT_JSON, OPT_PLOT };

static const struct argp_option option_list[] = {
	{ "vcpus", OPT_VCPUS, "LIST", 0,
	  "numbers of vCPUs, each with a sender of its own (default 1,2,4,8,16,32,64)", 0 },
	{ "layout", OPT_LAYOUT, "LIST", 0,
	  "spread: ports in different cache lines, of which evtchn_pending has 8; packed: one port "
	  "after another (default: both)",
	  0 },
	{ "strategy", 's', "LIST", 0, "rwlock, srcu (default: both)", 0 },
	{ "profile", OPT_PROFILE, "NAME|FILE.ini", 0, "machine profile (default gnr)", 0 },
	{ "duration", OPT_DURATION, "US", 0, "virtual microseconds that are counted (default 1000)",
	  0 },
	{ "seed", OPT_SEED, "N", 0, "of when each sender begins (default 1)", 0 },
	{ "json", OPT_JSON, "FILE|-", 0, "write the result as JSON; - replaces the table", 0 },
	{ "plot", OPT_PLOT, "FILE.svg", 0, "draw it (gnuplot)", 0 },
	{ 0 },
};

/* @text up to @end is a whole number from 1 to @max? */
static bool number(const char *text, const char *end, unsigned long max, unsigned long *out)
{
	char *stop;

	errno = 0;
	*out = strtoul(text, &stop, 10);
	return stop == end && stop != text && text[0] >= '0' && text[0] <= '9' && !errno &&
	       *out >= 1 && *out <= max;
}

static int take_vcpus(struct gpc_options *o, const char *list)
{
	const char *item = list, *end;
	unsigned long n;

	o->nr_vcpus = 0;
	for (;; item = end + 1) {
		end = item + strcspn(item, ",");
		if (!number(item, end, TIME_MAX_CPUS, &n))
			return usage_error("--vcpus: expected numbers from 1 to %d, found '%.40s'",
					   TIME_MAX_CPUS, list);
		if (o->nr_vcpus == GPC_MAX_VCPUS_LIST)
			return usage_error("--vcpus: expected at most %d numbers",
					   GPC_MAX_VCPUS_LIST);
		o->vcpus[o->nr_vcpus++] = (unsigned int)n;
		if (!*end)
			return 0;
	}
}

static int take_names(const char *option, const char *list, const char *const *names,
		      unsigned int nr, bool *chosen)
{
	const char *item = list, *end;
	unsigned int i;

	for (;; item = end + 1) {
		end = item + strcspn(item, ",");
		for (i = 0; i < nr; i++)
			if ((size_t)(end - item) == strlen(names[i]) &&
			    !strncmp(item, names[i], strlen(names[i])))
				break;
		if (i == nr)
			return usage_error("--%s: expected %s or %s, found '%.40s'", option,
					   names[0], names[1], item);
		chosen[i] = true;
		if (!*end)
			return 0;
	}
}

static int take_duration(struct gpc_options *o, const char *text)
{
	char *end;

	errno = 0;
	o->duration_us = strtod(text, &end);
	if (end == text || *end || errno || !(o->duration_us >= 1) ||
	    o->duration_us > MAX_DURATION_US)
		return usage_error("--duration: expected microseconds from 1 to %g, found '%.40s'",
				   MAX_DURATION_US, text);
	return 0;
}

static int take_seed(struct gpc_options *o, const char *text)
{
	unsigned long n;

	if (!number(text, text + strlen(text), ~0UL, &n))
		return usage_error("--seed: expected a number from 1, found '%.40s'", text);
	o->seed = n;
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct gpc_options *o = state->input;
	int bad = 0;

	switch (key) {
	case 's':
		/* gpc=NAME, as where the subject is not given */
		bad = take_names("strategy", strncmp(arg, "gpc=", 4) ? arg : arg + 4,
				 gpc_strategies, GPC_NR_STRATEGIES, o->strategy);
		break;
	case OPT_VCPUS:
		bad = take_vcpus(o, arg);
		break;
	case OPT_LAYOUT:
		bad = take_names("layout", arg, gpc_layouts, GPC_NR_LAYOUTS, o->layout);
		break;
	case OPT_PROFILE:
		o->profile_name = arg;
		break;
	case OPT_DURATION:
		bad = take_duration(o, arg);
		break;
	case OPT_SEED:
		bad = take_seed(o, arg);
		break;
	case OPT_JSON:
		o->json = arg;
		break;
	case OPT_PLOT:
		o->plot = arg;
		break;
	case ARGP_KEY_ARG:
		bad = usage_error("compare gpc: expected an option, found '%.40s'", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return bad ? EINVAL : 0;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.doc = "How the two schemes of gfn-to-pfn caches scale: event channels delivered to vCPUs "
	       "in guest mode, in virtual time.\v"
	       "Exit status: 2 wrong usage.",
};

static void all_where_none(bool *chosen, unsigned int nr)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += chosen[i];
	for (i = 0; i < nr && !n; i++)
		chosen[i] = true;
}

static int parse(struct gpc_options *o, int argc, char **argv)
{
	*o = (struct gpc_options){ .vcpus = { 1, 2, 4, 8, 16, 32, 64 },
				   .nr_vcpus = 7,
				   .duration_us = 1000,
				   .seed = 1,
				   .profile_name = "gnr" };
	if (parse_options(&argp, "irqsim compare gpc", argc, argv, o))
		return EXIT_USAGE;
	all_where_none(o->strategy, GPC_NR_STRATEGIES);
	all_where_none(o->layout, GPC_NR_LAYOUTS);
	return 0;
}

static int run_row(const struct gpc_comparison *c, struct gpc_row *row)
{
	const char *strategy = gpc_strategies[row->strategy];
	const struct time_options o = { .machine = &c->profile->machine,
					.cpus = row->vcpus,
					.layout = row->layout,
					.duration_us = c->o->duration_us,
					.seed = c->o->seed };
	/* As the machine that was measured. */
	const struct time_program *p = time_program_find("gpc-delivery", strategy, true);

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s, %s, %u \033[K", gpc_layouts[row->layout], strategy,
			row->vcpus);
	if (!p)
		return usage_error("compare gpc: this program has no '%s'", strategy);
	if (time_run(p, &o, &row->r))
		return usage_error("compare gpc: %s", row->r.error);
	row->cell = machine_cell(c->profile, gpc_layouts[row->layout], strategy, row->vcpus);
	if (row->cell)
		row->error = row->r.per_second / 1e6 / row->cell->mps - 1;
	return 0;
}

static int run_rows(struct gpc_comparison *c)
{
	const struct gpc_options *o = c->o;
	unsigned int l, s, n;
	int ret;

	for (l = 0; l < GPC_NR_LAYOUTS; l++)
		for (s = 0; s < GPC_NR_STRATEGIES; s++)
			for (n = 0; n < o->nr_vcpus; n++) {
				struct gpc_row *row = &c->rows[c->nr_rows];

				if (!o->layout[l] || !o->strategy[s])
					continue;
				*row = (struct gpc_row){ .layout = l,
							 .strategy = s,
							 .vcpus = o->vcpus[n] };
				ret = run_row(c, row);
				if (ret)
					return ret;
				c->nr_rows++;
			}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (!o->json || strcmp(o->json, "-"))
		gpc_print(c);
	if ((o->json && gpc_print_json(c)) || (o->plot && gpc_plot(c)))
		return EXIT_USAGE;
	return EXIT_OK;
}

int compare_gpc(int argc, char **argv)
{
	struct gpc_comparison c = { 0 };
	struct machine_profile profile;
	struct gpc_options o;
	char err[512];
	int ret;

	if (parse(&o, argc, argv))
		return EXIT_USAGE;
	if (o.json && json_output_check(o.json))
		return EXIT_USAGE;
	if (machine_read(o.profile_name, &profile, err, sizeof(err)))
		return usage_error("%s", err);
	c.o = &o;
	c.profile = &profile;
	c.rows = calloc(GPC_NR_LAYOUTS * GPC_NR_STRATEGIES * o.nr_vcpus, sizeof(*c.rows));
	ret = c.rows ? run_rows(&c) : usage_error("compare gpc: expected memory for the rows");
	free(c.rows);
	machine_free(&profile);
	return ret;
}
