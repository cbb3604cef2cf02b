// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace's parts, checked before anything runs.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "trace_parts.h"
#include "where.h"

struct trace_parts trace_parts;

static struct made {
	const struct det_object *object;
	struct det_program program;
	struct made *before;
} * made;

static int actor_of(struct trace_parts *p, const struct where *w, const struct trace_rec *rec)
{
	unsigned int i;

	for (i = 0; i < p->nr_actors; i++)
		if (!strcmp(p->actors[i].name, rec->actor))
			return i;
	if (p->nr_actors == TRACE_MAX_ACTORS)
		return where_fail(w, "expected at most %d actors, found '%s' as well",
				  TRACE_MAX_ACTORS, rec->actor);
	p->actors[i].name = rec->actor;
	p->cpus[i] = rec->cpu < 0 ? i : (unsigned int)rec->cpu;
	return p->nr_actors++;
}

static int check_vm(const struct where *w, int vm)
{
	if (vm < TRACE_PROGRAM_VMS)
		return 0;
	return where_fail(w, "expected vm0 to vm%d where there are actors, found vm%d",
			  TRACE_PROGRAM_VMS - 1, vm);
}

/* Is it run at all, and on what is there then? */
static int check_actors_record(const struct trace_parts *p, const struct where *w,
			       const struct trace_rec *rec, int actor)
{
	int by;

	if (!replay_sends(rec))
		return where_fail(w, "expected a call that is run, found %s of actor '%s'",
				  p->trace->names[rec->name].name, rec->actor);
	if (rec->vm < 0)
		return 0;
	by = p->vm_by[rec->vm];
	if (by == TRACE_BY_SETUP || by == actor)
		return 0;
	return where_fail(w,
			  "expected a VM of the set-up or of actor '%s' itself, found vm%d of "
			  "actor '%s'",
			  rec->actor, rec->vm, p->actors[by].name);
}

static int take(struct trace_parts *p, const struct where *w, size_t i)
{
	const struct trace_rec *rec = &p->trace->recs[i];
	int actor = TRACE_BY_SETUP;

	if (rec->kind == TRACE_CREATE_VM && check_vm(w, rec->u.create_vm.vm))
		return -1;
	if (rec->actor) {
		actor = actor_of(p, w, rec);
		if (actor < 0 || check_actors_record(p, w, rec, actor))
			return -1;
		if (p->end != i)
			return where_fail(
				w,
				"expected records without actor before or behind all those "
				"with one, found actor '%s' behind line %u",
				rec->actor, p->trace->recs[i - 1].line);
		p->end = i + 1;
	} else if (!p->nr_actors) {
		p->begin = p->end = i + 1;
	}
	if (rec->kind == TRACE_CREATE_VM && !rec->ret)
		p->vm_by[rec->u.create_vm.vm] = actor;
	return 0;
}

static void forget(void)
{
	struct made *m;

	while ((m = made)) {
		made = m->before;
		free(m);
	}
}

int trace_program_use(const struct trace *trace, char *err, size_t err_size)
{
	struct where w = { .path = trace->path, .err = err, .err_size = err_size };
	struct trace_parts p = { .trace = trace };
	size_t i;

	forget();
	for (i = 0; i < TRACE_PROGRAM_VMS; i++)
		p.vm_by[i] = TRACE_BY_SETUP;
	for (i = 0; i < trace->nr_recs; i++) {
		w.line = trace->recs[i].line;
		if (take(&p, &w, i))
			return -1;
	}
	if (!p.nr_actors)
		return where_fail(&w, "expected records with an \"actor\", found none");
	trace_parts = p;
	return 0;
}

const struct det_program *trace_program_of(const struct det_object *object)
{
	struct made *m;

	for (m = made; m; m = m->before)
		if (m->object == object)
			return &m->program;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->object = object;
	m->program = trace_program_template;
	m->program.name = trace_parts.trace->path;
	m->program.what = trace_parts.trace->what ? trace_parts.trace->what : "a trace";
	m->program.strategy = object->name;
	m->program.kernel = object->kernel;
	m->program.nr_actors = trace_parts.nr_actors;
	m->program.actor_cpus = trace_parts.cpus;
	m->before = made;
	made = m;
	return &m->program;
}

const struct port_ops *trace_running_ops(void)
{
	const struct made *m = made;

	while (m && &m->program != det_program_running())
		m = m->before;
	return m ? m->object->ops : NULL;
}

unsigned int trace_program_actors(void)
{
	return trace_parts.nr_actors;
}

const char *trace_program_actor(unsigned int n)
{
	return n < trace_parts.nr_actors ? trace_parts.actors[n].name : "?";
}

const char *trace_program_path(void)
{
	return trace_parts.trace ? trace_parts.trace->path : "";
}
