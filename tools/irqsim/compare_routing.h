/* SPDX-License-Identifier: GPL-2.0-only */
/* irqsim compare routing, in parts: options, runs, what is shown. */
#ifndef IRQSIM_COMPARE_ROUTING_H
#define IRQSIM_COMPARE_ROUTING_H

#include "routing_run.h"

#define MAX_LIST   64	/* of each repeatable option */
#define MAX_ROUTES 4096 /* KVM_MAX_IRQ_ROUTES */

struct routing_options {
	const char *traces[MAX_LIST], *strategies[MAX_LIST], *mutants[MAX_LIST];
	char *trees[MAX_LIST];
	unsigned int nr_trace_files, nr_strategies, nr_mutants, nr_trees;
	uint32_t routes[MAX_ROUTES]; /* sizes of made tables */
	unsigned int nr_routes;
	uint32_t updates, gsi_max, change;
	const char *profile_name, *json;
	bool wall, order_given;
	struct routing_setup setup;
};

/* 0, or EXIT_USAGE with a message. Exits on --help. */
int routing_parse(struct routing_options *o, int argc, char **argv);

struct routing_result {
	const struct routing_options *o;
	const struct routing_row *rows;
	unsigned int nr_rows;
	unsigned int defects; /* rows with something wrong */
};

/* Whether @row shows a defect of its strategy. */
bool routing_row_bad(const struct routing_row *row);

void routing_print(const struct routing_result *r);
int routing_print_json(const struct routing_result *r); /* 0 or EXIT_USAGE */

#endif
