/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FUZZ_EDGE_CASES_H
#define FUZZ_EDGE_CASES_H

#include "encode.h"

/* Programs made by hand. */
struct edge_case {
	const char *name;
	void (*make)(struct encode *en, uint32_t n);
	uint32_t n;
};

extern const struct edge_case edge_cases[];
extern const unsigned int nr_edge_cases;

/* bench_cases.c */
extern const struct edge_case bench_cases[];
extern const unsigned int nr_bench_cases;

#endif
