// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading profiles: INI files through inih. Sections: [profile] with name and description, one
 * [cost OPERATION] each with ns, kind and source, and [published SUBJECT STRATEGY ROUTES] with us,
 * fitted and source.
 */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile.h"
#include "profile_parts.h"

#define MAX_PUBLISHED 64
#define MAX_COST_NS   1e12 /* a quarter of an hour for one operation: a typing error */

struct reader {
	struct profile *p;
	bool seen_ns[SIM_NR_OPS], seen_kind[SIM_NR_OPS];
	char problem[200];
};

static const char *const kind_names[] = {
	[COST_FITTED] = "fitted",
	[COST_CITED] = "cited",
	[COST_ASSUMED] = "assumed",
};

const char *cost_kind_name(enum cost_kind kind)
{
	return kind_names[kind];
}

__attribute__((format(printf, 2, 3))) static int refuse(struct reader *r, const char *fmt, ...)
{
	va_list args;
	char *c;

	va_start(args, fmt);
	vsnprintf(r->problem, sizeof(r->problem), fmt, args);
	va_end(args);
	/* A hostile file must not reach the terminal as it is. */
	for (c = r->problem; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	return 0;
}

static int take_string(struct reader *r, char **where, const char *value)
{
	free(*where);
	*where = strdup(value);
	return *where ? 1 : refuse(r, "expected memory for a string");
}

bool profile_number(const char *value, double max, double *out)
{
	char *end;

	errno = 0;
	*out = strtod(value, &end);
	return end != value && !*end && !errno && isfinite(*out) && *out >= 0 && *out <= max;
}

static int find_op(const char *name)
{
	int op;

	for (op = 0; op < SIM_NR_OPS; op++)
		if (!strcmp(name, sim_op_name(op)))
			return op;
	return -1;
}

static int take_cost(struct reader *r, const char *op_name, const char *name, const char *value)
{
	int op = find_op(op_name), kind;
	struct cost *c;

	if (op < 0)
		return refuse(r, "expected an operation, found '%.40s'", op_name);

	c = &r->p->costs[op];
	if (!strcmp(name, "ns")) {
		if (!profile_number(value, MAX_COST_NS, &c->ns))
			return refuse(r, "expected ns of 0 or more for %s, found '%.40s'", op_name,
				      value);
		r->seen_ns[op] = true;
		return 1;
	}
	if (!strcmp(name, "kind")) {
		for (kind = 0; kind <= COST_ASSUMED; kind++)
			if (!strcmp(value, kind_names[kind]))
				break;
		if (kind > COST_ASSUMED)
			return refuse(r, "expected kind fitted, cited or assumed, found '%.40s'",
				      value);
		c->kind = kind;
		r->seen_kind[op] = true;
		return 1;
	}
	if (!strcmp(name, "source"))
		return take_string(r, &c->source, value);

	return refuse(r, "expected ns, kind or source, found '%.40s'", name);
}

/* [published routing per-entry 2000]: the section's name has the key; the last one is being filled.
 */
static struct published *published_row(struct reader *r, const char *key)
{
	struct profile *p = r->p;
	char subject[32], strategy[32], rest;
	struct published *row;
	unsigned int routes;

	if (sscanf(key, "%31s %31s %u %c", subject, strategy, &routes, &rest) != 3) {
		refuse(r, "expected [published SUBJECT STRATEGY ROUTES], found '%.60s'", key);
		return NULL;
	}

	row = p->nr_published ? &p->published[p->nr_published - 1] : NULL;
	if (row && row->routes == routes && !strcmp(row->subject, subject) &&
	    !strcmp(row->strategy, strategy))
		return row;

	if (p->nr_published == MAX_PUBLISHED) {
		refuse(r, "expected at most %d published rows", MAX_PUBLISHED);
		return NULL;
	}
	row = &p->published[p->nr_published];
	*row = (struct published){ .subject = strdup(subject),
				   .strategy = strdup(strategy),
				   .routes = routes };
	if (!row->subject || !row->strategy) {
		free(row->subject);
		free(row->strategy);
		refuse(r, "expected memory for a published row");
		return NULL;
	}
	p->nr_published++;
	return row;
}

static int take_published(struct reader *r, const char *key, const char *name, const char *value)
{
	struct published *row = published_row(r, key);

	if (!row)
		return 0;
	if (!strcmp(name, "us"))
		return profile_number(value, MAX_COST_NS, &row->us) ||
		       refuse(r, "expected us of 0 or more, found '%.40s'", value);
	if (!strcmp(name, "fitted")) {
		if (strcmp(value, "yes") && strcmp(value, "no"))
			return refuse(r, "expected fitted = yes or no, found '%.40s'", value);
		row->fitted = value[0] == 'y';
		return 1;
	}
	if (!strcmp(name, "source"))
		return take_string(r, &row->source, value);

	return refuse(r, "expected us, fitted or source, found '%.40s'", name);
}

static int take(void *arg, const char *section, const char *name, const char *value)
{
	struct reader *r = arg;

	if (!strcmp(section, "profile")) {
		if (!strcmp(name, "name"))
			return take_string(r, &r->p->name, value);
		if (!strcmp(name, "description"))
			return take_string(r, &r->p->description, value);
		return refuse(r, "expected name or description, found '%.40s'", name);
	}
	if (!strncmp(section, "cost ", 5))
		return take_cost(r, section + 5, name, value);
	if (!strncmp(section, "published ", 10))
		return take_published(r, section + 10, name, value);

	return refuse(r, "expected [profile], [cost OPERATION] or [published ...], found '[%.40s]'",
		      section);
}

static bool complete(struct reader *r)
{
	int op;

	if (!r->p->name)
		return refuse(r, "expected a name in [profile]");
	for (op = 0; op < SIM_NR_OPS; op++) {
		if (!r->seen_ns[op] || !r->seen_kind[op] || !r->p->costs[op].source)
			return refuse(r, "expected ns, kind and source in [cost %s]",
				      sim_op_name(op));
	}
	return true;
}

void profile_path(const char *name, char *path, size_t size)
{
	size_t len = strlen(name);
	const char *dir = getenv("IRQSIM_PROFILES");

	if (strchr(name, '/') || (len > 4 && !strcmp(name + len - 4, ".ini")))
		snprintf(path, size, "%s", name);
	else
		snprintf(path, size, "%s/%s.ini", dir ? dir : IRQSIM_PROFILE_DIR, name);
}

int profile_read(const char *name, struct profile *p, char *err, size_t err_size)
{
	struct reader r = { .p = p };
	char path[4096];
	FILE *file;
	int line;

	*p = (struct profile){ 0 };
	profile_path(name, path, sizeof(path));
	file = fopen(path, "r");
	if (!file) {
		snprintf(err, err_size, "%s: expected a cost profile: %s", path, strerror(errno));
		return -1;
	}
	p->published = calloc(MAX_PUBLISHED, sizeof(*p->published));
	if (!p->published) {
		fclose(file);
		snprintf(err, err_size, "%s: expected memory for the profile", path);
		return -1;
	}

	line = ini_parse_file(file, take, &r);
	fclose(file);
	if (line == 0 && complete(&r))
		return 0;

	if (line > 0)
		snprintf(err, err_size, "%s:%d: %s", path, line,
			 r.problem[0] ? r.problem : "expected NAME = VALUE or [SECTION]");
	else
		snprintf(err, err_size, "%s: %s", path,
			 r.problem[0] ? r.problem : "expected a readable file");
	profile_free(p);
	return -1;
}

void profile_free(struct profile *p)
{
	unsigned int i;

	for (i = 0; i < SIM_NR_OPS; i++)
		free(p->costs[i].source);
	for (i = 0; i < p->nr_published; i++) {
		free(p->published[i].subject);
		free(p->published[i].strategy);
		free(p->published[i].source);
	}
	free(p->published);
	free(p->name);
	free(p->description);
	*p = (struct profile){ 0 };
}

double profile_ns(const struct profile *p, const uint64_t n[SIM_NR_OPS])
{
	double sum = 0;
	int op;

	for (op = 0; op < SIM_NR_OPS; op++)
		sum += (double)n[op] * p->costs[op].ns;
	return sum;
}

const struct published *profile_published(const struct profile *p, const char *subject,
					  const char *strategy, unsigned int routes)
{
	unsigned int i;

	for (i = 0; i < p->nr_published; i++) {
		const struct published *row = &p->published[i];

		if (row->routes == routes && !strcmp(row->subject, subject) &&
		    !strcmp(row->strategy, strategy))
			return row;
	}
	return NULL;
}
