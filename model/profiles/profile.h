/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cost profiles: what each counted operation costs on some machine, and where each number comes
 * from. A modelled time is the sum of counts times costs; nothing else is in it.
 */
#ifndef PROFILES_PROFILE_H
#define PROFILES_PROFILE_H

#include <stddef.h>

#include <sim/ops.h>

enum cost_kind {
	COST_FITTED,  /* chosen so that a published row comes out */
	COST_CITED,   /* from the source named */
	COST_ASSUMED, /* nobody measured it, or not here */
};

struct cost {
	double ns;
	enum cost_kind kind;
	char *source;
};

/* A published measurement of a workload, in the profile's [published ...] sections. */
struct published {
	char *subject; /* "routing" */
	char *strategy;
	unsigned int routes;
	double us;
	int fitted; /* the profile was fitted to this row; else it can be held against it */
	char *source;
};

struct profile {
	char *name;
	char *description;
	struct cost costs[SIM_NR_OPS];
	struct published *published;
	unsigned int nr_published;
};

/*
 * profile_read - @name is a bundled profile ("emr") or the path of an .ini file (it has a '/' or
 * ends in ".ini") Every operation needs a cost, none may be negative or not a number, and each
 * names its kind and source. Returns 0, or -1 with one line "FILE:LINE: expected ..., found ..." in
 * @err.
 */
int profile_read(const char *name, struct profile *p, char *err, size_t err_size);
void profile_free(struct profile *p);

const char *cost_kind_name(enum cost_kind kind);

/* Nanoseconds of the operations counted in @n. */
double profile_ns(const struct profile *p, const uint64_t n[SIM_NR_OPS]);

/* The published row of a strategy at @routes routes, or NULL. */
const struct published *profile_published(const struct profile *p, const char *subject,
					  const char *strategy, unsigned int routes);

#endif
