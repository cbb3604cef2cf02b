// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options of irqsim compare routing.
 */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sim/mm.h>

#include "builtins.h"
#include "compare_routing.h"
#include "model/workload/synth.h"

enum {
	OPT_UPDATES = 0x100,
	OPT_GSI_MAX,
	OPT_CHANGE,
	OPT_FRAGMENT,
	OPT_FAILSLAB,
	OPT_FAIL_PAGE_ALLOC,
	OPT_FAILCHARGE,
	OPT_FAIL_SWEEP,
	OPT_SEED,
	OPT_NO_WALL,
	OPT_WALL_RUNS,
	OPT_JSON,
	OPT_PROFILE,
	OPT_STRATEGY,
	OPT_MUTANT,
	OPT_TREE,
};

static const struct argp_option option_list[] = {
	{ NULL, 0, NULL, 0, "Traffic (one of):", 1 },
	{ "trace", 't', "FILE[.gz]", 0, "replay a recording; repeatable", 0 },
	{ "routes", 'n', "LIST", 0,
	  "made tables of that many MSI routes: numbers, ranges A-B, 'powers' (of two, and their "
	  "neighbours) or 'borders' (these, page borders and their neighbours, and 32 sizes chosen "
	  "by "
	  "the seed)",
	  0 },
	{ "updates", OPT_UPDATES, "N", 0, "tables set for each size (default 50)", 0 },
	{ "gsi-max", OPT_GSI_MAX, "N", 0, "spread the routes up to this GSI", 0 },
	{ "change", OPT_CHANGE, "N|all", 0, "routes that each update changes (default 1)", 0 },
	{ NULL, 0, NULL, 0, "Compared (default: every strategy):", 2 },
	{ "strategy", OPT_STRATEGY, "NAME", 0, "repeatable; 'irqsim list strategies'", 0 },
	{ "tree", OPT_TREE, "DIR", 0, "virt/kvm/irqchip.c of a kernel tree, unmodified; repeatable",
	  0 },
	{ "mutant", OPT_MUTANT, "NN-NAME", 0, "repeatable; 'irqsim list mutants'", 0 },
	{ NULL, 0, NULL, 0, "Memory:", 3 },
	{ "fragment", OPT_FRAGMENT, "X[@ORDER]", 0,
	  "age memory until the unusable free space index for ORDER is X (0 to 1); ORDER defaults "
	  "to that of the largest request",
	  0 },
	{ "failslab", OPT_FAILSLAB, "ATTR", 0,
	  "fail kmalloc: probability=,interval=,times=,space= or the kernel's boot form", 0 },
	{ "fail_page_alloc", OPT_FAIL_PAGE_ALLOC, "ATTR", 0, "fail pages; min-order= as well", 0 },
	{ "failcharge", OPT_FAILCHARGE, "ATTR", 0, "fail memcg charges", 0 },
	{ "fail-sweep", OPT_FAIL_SWEEP, NULL, 0,
	  "fail each allocation of each update in turn and check what is left", 0 },
	{ NULL, 0, NULL, 0, "Results:", 4 },
	{ "profile", OPT_PROFILE, "NAME|FILE.ini", 0, "cost profile (default emr)", 0 },
	{ "seed", OPT_SEED, "N", 0, "of made tables, ageing and faults (default 1)", 0 },
	{ "wall-runs", OPT_WALL_RUNS, "N", 0, "timed runs (default 3)", 0 },
	{ "no-wall", OPT_NO_WALL, NULL, 0, "no wall times: equal runs print equal bytes", 0 },
	{ "json", OPT_JSON, "FILE|-", 0, "write the result as JSON; - replaces the table", 0 },
	{ 0 },
};

/* A whole number from @min to @max. */
static int number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	if (end == text || *end || errno || text[0] == '-' || *out < min || *out > max)
		return usage_error("--%s: expected a number from %llu to %llu, found '%.40s'",
				   option, (unsigned long long)min, (unsigned long long)max, text);
	return 0;
}

static void add_size(struct routing_options *o, bool *seen, uint64_t n)
{
	if (n < 1 || n > MAX_ROUTES || seen[n])
		return;
	seen[n] = true;
	o->routes[o->nr_routes++] = n;
}

static void add_around(struct routing_options *o, bool *seen, uint64_t n)
{
	add_size(o, seen, n - 1);
	add_size(o, seen, n);
	add_size(o, seen, n + 1);
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

#define ENTRIES_A_PAGE 64 /* struct kvm_kernel_irq_routing_entry has 64 bytes */
#define SEEDED_SIZES   32

static void add_powers(struct routing_options *o, bool *seen)
{
	uint64_t n;

	for (n = 1; n <= MAX_ROUTES; n *= 2)
		add_around(o, seen, n);
}

static void add_borders(struct routing_options *o, bool *seen)
{
	uint64_t state = o->setup.seed, n;
	int i;

	add_powers(o, seen);
	for (n = ENTRIES_A_PAGE; n <= MAX_ROUTES; n += ENTRIES_A_PAGE)
		add_around(o, seen, n);
	for (i = 0; i < SEEDED_SIZES; i++)
		add_size(o, seen, 1 + next_random(&state) % MAX_ROUTES);
}

/* "2000", "1-70", "64,borders" ... in the order given, each size once. */
static int parse_sizes(struct routing_options *o, const char *list)
{
	bool *seen = calloc(MAX_ROUTES + 1, sizeof(*seen));
	char *copy = strdup(list), *save = NULL, *item, *dash;
	uint64_t from, to;
	int ret = 0;

	if (!seen || !copy)
		ret = usage_error("--routes: expected memory");
	for (item = ret ? NULL : strtok_r(copy, ",", &save); item && !ret;
	     item = strtok_r(NULL, ",", &save)) {
		if (!strcmp(item, "powers")) {
			add_powers(o, seen);
			continue;
		}
		if (!strcmp(item, "borders")) {
			add_borders(o, seen);
			continue;
		}
		dash = strchr(item, '-');
		if (dash && dash != item)
			*dash++ = '\0';
		ret = number("routes", item, 1, MAX_ROUTES, &from);
		to = from;
		if (!ret && dash)
			ret = number("routes", dash, from, MAX_ROUTES, &to);
		for (; !ret && from <= to; from++)
			add_size(o, seen, from);
	}
	if (!ret && !o->nr_routes)
		ret = usage_error("--routes: expected a number from 1 to %d, found '%.40s'",
				  MAX_ROUTES, list);
	free(seen);
	free(copy);
	return ret;
}

static int parse_fragment(struct routing_options *o, const char *text)
{
	const char *order = strchr(text, '@');
	uint64_t n;
	char *end;

	o->setup.fragment = true;
	o->setup.fragment_index = strtod(text, &end);
	if (end == text || end != (order ? order : text + strlen(text)) ||
	    !(o->setup.fragment_index >= 0 && o->setup.fragment_index <= 1))
		return usage_error("--fragment: expected an index from 0 to 1, found '%.40s'",
				   text);
	if (!order)
		return 0;
	if (number("fragment", order + 1, 1, SIM_MAX_ORDER, &n))
		return EXIT_USAGE;
	o->setup.fragment_order = n;
	o->order_given = true;
	return 0;
}

static int parse_fault(struct routing_options *o, enum sim_fault_kind kind, const char *option,
		       const char *text)
{
	char err[200];

	if (sim_fault_parse(text, &o->setup.fault_attr[kind], err, sizeof(err)))
		return usage_error("--%s: %s", option, err);
	o->setup.faults[kind] = true;
	return 0;
}

static int add(const char *option, const char **list, unsigned int *nr, const char *arg)
{
	if (*nr == MAX_LIST)
		return usage_error("--%s: expected at most %d of them", option, MAX_LIST);
	list[(*nr)++] = arg;
	return 0;
}

static const char *routes_text; /* parsed when the seed is known */

static int parse_number_option(struct routing_options *o, int key, const char *arg)
{
	uint64_t n;

	switch (key) {
	case OPT_UPDATES:
		if (number("updates", arg, 1, 1000000, &n))
			return EXIT_USAGE;
		o->updates = n;
		return 0;
	case OPT_GSI_MAX:
		if (number("gsi-max", arg, 0, MAX_ROUTES - 1, &n))
			return EXIT_USAGE;
		o->gsi_max = n;
		return 0;
	case OPT_CHANGE:
		if (!strcmp(arg, "all")) {
			o->change = SYNTH_CHANGE_ALL;
			return 0;
		}
		if (number("change", arg, 0, MAX_ROUTES, &n))
			return EXIT_USAGE;
		o->change = n;
		return 0;
	case OPT_WALL_RUNS:
		if (number("wall-runs", arg, 1, 1000, &n))
			return EXIT_USAGE;
		o->setup.wall_runs = n;
		return 0;
	}
	return number("seed", arg, 0, UINT64_MAX, &o->setup.seed);
}

static int take(struct routing_options *o, int key, char *arg)
{
	switch (key) {
	case 't':
		return add("trace", o->traces, &o->nr_trace_files, arg);
	case 'n':
		routes_text = arg;
		return 0;
	case OPT_STRATEGY:
		return add("strategy", o->strategies, &o->nr_strategies, arg);
	case OPT_MUTANT:
		return add("mutant", o->mutants, &o->nr_mutants, arg);
	case OPT_TREE:
		return add("tree", (const char **)o->trees, &o->nr_trees, arg);
	case OPT_FRAGMENT:
		return parse_fragment(o, arg);
	case OPT_FAILSLAB:
		return parse_fault(o, SIM_FAILSLAB, "failslab", arg);
	case OPT_FAIL_PAGE_ALLOC:
		return parse_fault(o, SIM_FAIL_PAGE_ALLOC, "fail_page_alloc", arg);
	case OPT_FAILCHARGE:
		return parse_fault(o, SIM_FAILCHARGE, "failcharge", arg);
	case OPT_FAIL_SWEEP:
		o->setup.fail_sweep = true;
		return 0;
	case OPT_NO_WALL:
		o->wall = false;
		return 0;
	case OPT_JSON:
		if (!*arg)
			return usage_error("--json: expected a file or -");
		o->json = arg;
		return 0;
	case OPT_PROFILE:
		o->profile_name = arg;
		return 0;
	}
	return parse_number_option(o, key, arg);
}

static int next_arg = 1; /* what comes after the last option that was understood */

static error_t parser(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		exit(usage_error("compare routing: expected an option, found '%.60s'", arg));
	if (key != 't' && key != 'n' && (key < OPT_UPDATES || key > OPT_TREE))
		return ARGP_ERR_UNKNOWN; /* argp's own keys come here as well */
	if (take(state->input, key, arg))
		exit(EXIT_USAGE);
	next_arg = state->next;
	return 0;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parser,
	.doc = "Set routing tables on every strategy and compare what that allocates, costs and "
	       "survives.\v"
	       "Modelled times are of kvm_set_irq_routing(); wall times are of the whole ioctl, in "
	       "the simulator.",
};

int routing_parse(struct routing_options *o, int argc, char **argv)
{
	*o = (struct routing_options){
		.updates = 50,
		.gsi_max = SYNTH_GSI_MAX_NONE,
		.change = 1,
		.profile_name = "emr",
		.wall = true,
		.setup = { .seed = 1, .wall_runs = 3 },
	};
	if (parse_options(&argp, "irqsim compare routing", argc, argv, o))
		return usage_error(
			"compare routing: unknown or incomplete option '%.60s': see --help",
			argv[next_arg]);

	if (!o->wall)
		o->setup.wall_runs = 0;
	if (routes_text && o->nr_trace_files)
		return usage_error("compare routing: expected --trace or --routes, found both");
	if (!routes_text && !o->nr_trace_files)
		return usage_error("compare routing: expected --trace FILE or --routes N; 'irqsim "
				   "list traces' names the bundled recordings");
	return routes_text ? parse_sizes(o, routes_text) : 0;
}
