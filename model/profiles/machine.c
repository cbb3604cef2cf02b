// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading machine profiles: INI files. [profile] with name, description and measured (where the
 * cells are from); a [cost NAME] each with ns, kind and source; a [place NAME] each with cores or
 * CPUs, kind and source; [cells LAYOUT STRATEGY] with "VCPUS = MILLIONS a second", and " fitted"
 * behind those that the numbers are fitted to.
 */
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "profile_parts.h"

#define MAX_CELLS 64
#define MAX_NS	  1e6 /* a millisecond for one access: a typing error */
#define MAX_PLACE 65536

struct machine_reader {
	struct machine_profile *p;
	bool seen_cost[TIME_NR_COSTS], seen_place[MACHINE_NR_PLACES];
	bool kind_cost[TIME_NR_COSTS], kind_place[MACHINE_NR_PLACES];
	char problem[200];
};

static const char *const place_names[MACHINE_NR_PLACES] = { "cluster_cores", "socket_cores",
							    "socket_threads" };

const char *machine_place_name(unsigned int place)
{
	return place_names[place];
}

__attribute__((format(printf, 2, 3))) static int refuse(struct machine_reader *r, const char *fmt,
							...)
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

static int take_string(struct machine_reader *r, char **where, const char *value)
{
	free(*where);
	*where = strdup(value);
	return *where ? 1 : refuse(r, "expected memory for a string");
}

/* kind or source of a number. */
static int take_origin(struct machine_reader *r, struct cost *c, bool *seen_kind, const char *name,
		       const char *value)
{
	int kind;

	if (!strcmp(name, "source"))
		return take_string(r, &c->source, value);
	if (strcmp(name, "kind"))
		return refuse(r, "expected ns, value, kind or source, found '%.40s'", name);
	for (kind = 0; kind <= COST_ASSUMED; kind++)
		if (!strcmp(value, cost_kind_name(kind)))
			break;
	if (kind > COST_ASSUMED)
		return refuse(r, "expected kind fitted, cited or assumed, found '%.40s'", value);
	c->kind = kind;
	*seen_kind = true;
	return 1;
}

static int take_cost(struct machine_reader *r, const char *which, const char *name,
		     const char *value)
{
	enum time_cost i = 0;

	while (i < TIME_NR_COSTS && strcmp(which, time_cost_name(i)))
		i++;
	if (i == TIME_NR_COSTS)
		return refuse(r, "expected a cost of virtual time, found '%.40s'", which);
	if (strcmp(name, "ns"))
		return take_origin(r, &r->p->costs[i], &r->kind_cost[i], name, value);
	if (!profile_number(value, MAX_NS, &r->p->machine.ns[i]))
		return refuse(r, "expected ns of 0 to %g for %s, found '%.40s'", MAX_NS, which,
			      value);
	r->p->costs[i].ns = r->p->machine.ns[i];
	r->seen_cost[i] = true;
	return 1;
}

static int take_place(struct machine_reader *r, const char *which, const char *name,
		      const char *value)
{
	unsigned int *const where[MACHINE_NR_PLACES] = { &r->p->machine.cluster_cores,
							 &r->p->machine.socket_cores,
							 &r->p->machine.socket_threads };
	unsigned int i = 0;
	double n;

	while (i < MACHINE_NR_PLACES && strcmp(which, place_names[i]))
		i++;
	if (i == MACHINE_NR_PLACES)
		return refuse(r, "expected a place, found '%.40s'", which);
	if (strcmp(name, "value"))
		return take_origin(r, &r->p->places[i], &r->kind_place[i], name, value);
	if (!profile_number(value, MAX_PLACE, &n) || n < 1 || n != (unsigned int)n)
		return refuse(r, "expected a number from 1 to %d for %s, found '%.40s'", MAX_PLACE,
			      which, value);
	*where[i] = (unsigned int)n;
	r->p->places[i].ns = n;
	r->seen_place[i] = true;
	return 1;
}

static int take_cell(struct machine_reader *r, const char *key, const char *name, const char *value)
{
	struct machine_cell *c = &r->p->cells[r->p->nr_cells];
	char mark[16] = "", rest;
	int n;

	if (r->p->nr_cells == MAX_CELLS)
		return refuse(r, "expected at most %d cells", MAX_CELLS);
	if (sscanf(key, "%15s %15s %c", c->layout, c->strategy, &rest) != 2)
		return refuse(r, "expected [cells LAYOUT STRATEGY], found '%.60s'", key);
	if (sscanf(name, "%4u%c", &c->vcpus, &rest) != 1 || !c->vcpus || c->vcpus > TIME_MAX_CPUS)
		return refuse(r, "expected vCPUs from 1 to %d, found '%.40s'", TIME_MAX_CPUS, name);
	n = sscanf(value, "%lf %15s %c", &c->mps, mark, &rest);
	c->fitted = n == 2 && !strcmp(mark, "fitted");
	if ((n != 1 && !c->fitted) || !(c->mps > 0 && c->mps < 1e6))
		return refuse(r, "expected MILLIONS or 'MILLIONS fitted', found '%.40s'", value);
	r->p->nr_cells++;
	return 1;
}

static int take(void *arg, const char *section, const char *name, const char *value)
{
	struct machine_reader *r = arg;

	if (!strcmp(section, "profile")) {
		if (!strcmp(name, "name"))
			return take_string(r, &r->p->name, value);
		if (!strcmp(name, "description"))
			return take_string(r, &r->p->description, value);
		if (!strcmp(name, "measured"))
			return take_string(r, &r->p->cells_source, value);
		return refuse(r, "expected name, description or measured, found '%.40s'", name);
	}
	if (!strncmp(section, "cost ", 5))
		return take_cost(r, section + 5, name, value);
	if (!strncmp(section, "place ", 6))
		return take_place(r, section + 6, name, value);
	if (!strncmp(section, "cells ", 6))
		return take_cell(r, section + 6, name, value);
	return refuse(r,
		      "expected [profile], [cost ...], [place ...] or [cells ...], found '[%.40s]'",
		      section);
}

static bool complete_numbers(struct machine_reader *r)
{
	unsigned int i;

	for (i = 0; i < TIME_NR_COSTS; i++) {
		if (!r->seen_cost[i] || !r->kind_cost[i] || !r->p->costs[i].source)
			return refuse(r, "expected ns, kind and source in [cost %s]",
				      time_cost_name(i));
		r->p->nr_fitted += r->p->costs[i].kind != COST_CITED;
	}
	for (i = 0; i < MACHINE_NR_PLACES; i++) {
		if (!r->seen_place[i] || !r->kind_place[i] || !r->p->places[i].source)
			return refuse(r, "expected value, kind and source in [place %s]",
				      place_names[i]);
		r->p->nr_fitted += r->p->places[i].kind != COST_CITED;
	}
	return true;
}

static bool complete(struct machine_reader *r)
{
	const struct time_machine *m = &r->p->machine;
	unsigned int i, cells = 0;

	if (!r->p->name)
		return refuse(r, "expected a name in [profile]");
	if (!complete_numbers(r))
		return false;
	if (m->ns[TIME_OUTSIDE] < 1)
		return refuse(r, "expected ns of 1 or more for outside: time has to go on");
	if (m->socket_cores % m->cluster_cores || m->socket_threads < m->socket_cores)
		return refuse(r, "expected whole clusters in a socket, and a CPU for each core");
	for (i = 0; i < r->p->nr_cells; i++)
		cells += r->p->cells[i].fitted;
	if (r->p->nr_fitted > MACHINE_MAX_FITTED || cells > MACHINE_MAX_FITTED)
		return refuse(r, "expected at most %d fitted numbers and cells, found %u and %u",
			      MACHINE_MAX_FITTED, r->p->nr_fitted, cells);
	return true;
}

int machine_read(const char *name, struct machine_profile *p, char *err, size_t err_size)
{
	struct machine_reader r = { .p = p };
	char path[4096];
	FILE *file;
	int line;

	*p = (struct machine_profile){ 0 };
	profile_path(name, path, sizeof(path));
	file = fopen(path, "r");
	if (!file) {
		snprintf(err, err_size, "%s: expected a machine profile: %s", path,
			 strerror(errno));
		return -1;
	}
	p->cells = calloc(MAX_CELLS + 1, sizeof(*p->cells));
	line = p->cells ? ini_parse_file(file, take, &r) : -1;
	fclose(file);
	if (line == 0 && complete(&r))
		return 0;
	if (line > 0)
		snprintf(err, err_size, "%s:%d: %s", path, line,
			 r.problem[0] ? r.problem : "expected NAME = VALUE or [SECTION]");
	else
		snprintf(err, err_size, "%s: %s", path,
			 r.problem[0] ? r.problem : "expected a readable file");
	machine_free(p);
	return -1;
}

void machine_free(struct machine_profile *p)
{
	unsigned int i;

	for (i = 0; i < TIME_NR_COSTS; i++)
		free(p->costs[i].source);
	for (i = 0; i < MACHINE_NR_PLACES; i++)
		free(p->places[i].source);
	free(p->cells);
	free(p->name);
	free(p->description);
	free(p->cells_source);
	*p = (struct machine_profile){ 0 };
}

const struct machine_cell *machine_cell(const struct machine_profile *p, const char *layout,
					const char *strategy, unsigned int vcpus)
{
	unsigned int i;

	for (i = 0; i < p->nr_cells; i++) {
		const struct machine_cell *c = &p->cells[i];

		if (c->vcpus == vcpus && !strcmp(c->layout, layout) &&
		    !strcmp(c->strategy, strategy))
			return c;
	}
	return NULL;
}
