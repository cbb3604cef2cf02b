// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executions one after another until the policy has no more, or the caller's limits are reached.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sim/lockdep.h>
#include <sim/report.h>

#include "../race/shadow.h"
#include "det.h"

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static uint64_t seed_of(uint64_t seed, uint64_t execution)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15ULL + execution * 0xbf58476d1ce4e5b9ULL;

	/* splitmix64's finaliser */
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static int check(const struct det_program *p, const struct det_options *o, struct det_result *r)
{
	const char *wrong = NULL;
	unsigned int i;

	for (i = 0; i < p->nr_actors && i < DET_MAX_TASKS; i++)
		if (p->actor_cpus && p->actor_cpus[i] >= DET_MAX_TASKS)
			wrong = "CPUs from 0 to 15";
	for (i = 0; i < p->nr_irqs && i < DET_MAX_TASKS; i++)
		if (p->irq_cpus && p->irq_cpus[i] >= DET_MAX_TASKS)
			wrong = "CPUs from 0 to 15";
	if (!p->nr_actors || p->nr_actors > DET_MAX_TASKS)
		wrong = "1 to 16 actors";
	else if (p->nr_irqs > DET_MAX_TASKS - p->nr_actors)
		wrong = "at most 16 actors and interrupts";
	else if (p->nr_irqs && !p->irq)
		wrong = "a handler of its interrupts";
	else if (o->policy >= DET_NR_POLICIES)
		wrong = "a policy";
	else if (o->policy == DET_PCT && (!o->depth || o->depth > DET_MAX_DEPTH))
		wrong = "a depth of 1 to 16";
	else if (o->max_steps > DET_MAX_STEPS)
		wrong = "at most 30000 steps";
	else if (o->policy == DET_REPLAY && !o->schedule)
		wrong = "a schedule to replay";
	if (wrong)
		snprintf(r->error, sizeof(r->error), "%s: expected %s", p->name, wrong);
	return wrong ? -EINVAL : 0;
}

void det_world_init(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	sim_init();
	det_fibers_init();
	heap_init();
	race_init();
	det_per_cpu_init(DET_MAX_TASKS);
}

void det_world_reset(void)
{
	heap_reset();
	race_reset();
	det_sync_reset();
	det.exec_tag++;
}

void det_context_name(struct det_task *t, enum det_context context, unsigned int cpu,
		      const char *name)
{
	t->context = (uint8_t)context;
	t->cpu = (uint8_t)cpu;
	memset(&t->sim, 0, sizeof(t->sim));
	t->sim.cpu = (int)cpu;
	t->sim.pid = 100 + t->id;
	snprintf(t->sim.comm, sizeof(t->sim.comm), "%s", name);
}

static void name_contexts(const struct det_program *p)
{
	unsigned int i, n;
	char name[16];

	memset(&det.main, 0, sizeof(det.main));
	det.main.pid = 1;
	strcpy(det.main.comm, "setup");
	for (i = 0; i < det.nr_static; i++) {
		struct det_task *t = &det.tasks[i];

		n = i - p->nr_actors;
		t->id = (uint8_t)i;
		t->fn = NULL;
		t->injected = i >= p->nr_actors;
		t->raised = (det_clock){ 0 };
		if (t->injected) {
			snprintf(name, sizeof(name), "irq-%u", n);
			det_context_name(t, DET_HARDIRQ, p->irq_cpus ? p->irq_cpus[n] : n, name);
		} else {
			snprintf(name, sizeof(name), "actor-%c", 'a' + i);
			det_context_name(t, DET_TASK, p->actor_cpus ? p->actor_cpus[i] : i, name);
		}
	}
	det_contexts_init();
}

/*
 * Reports of the kernel side become bugs of the execution; BUG() ends it. The text's first line is
 * the namesake's, its place the function that called.
 */
static bool take_report(enum sim_report_kind kind, const void *caller, const char *fmt,
			va_list args)
{
	char text[4096], where[160];

	if (!det.result || kind == SIM_REPORT_ALLOC)
		return false;
	if (det_bug_again(sim_report_kind_name(kind), (uint32_t)(uintptr_t)caller, 0))
		goto out;
	sim_symbol((const char *)caller - 1, where, sizeof(where));
	vsnprintf(text, sizeof(text), fmt, args);
	det_bug(sim_report_kind_name(kind), (uint32_t)(uintptr_t)caller, 0,
		"%s\n%s/%d on cpu %d at\n %s", text, sim_self->comm, sim_self->pid, sim_self->cpu,
		where);
out:
	if (kind == SIM_REPORT_BUG && det.cur)
		det_abandon(DET_BUG);
	return true;
}

/*
 * One execution whose results nobody sees: it finds the CPUs that are shared by what is made while
 * actors run, so that levels are events there from the first step on, in every execution.
 */
static void probe(void)
{
	struct det_result unseen = { .nr_bugs = DET_MAX_BUGS }, *seen = det.result;
	enum det_policy policy = det.policy;
	bool record = det.record, learn = det.learn, bounded = det.bounded;

	det.probing = true;
	det.bounded = false;
	det.policy = DET_RUN;
	det.record = det.recording = det.learn = false;
	det.result = &unseen;
	det_sync_reset();
	heap_reset();
	race_reset();
	det.rng = 0;
	if (det_execute() != DET_ENDED || det_cpus_shared)
		det_per_cpu_reset();
	det.result = seen;
	det.policy = policy;
	det.record = det.recording = record;
	det.learn = learn;
	det.bounded = bounded;
	det.probing = det.learned = false;
}

static bool count_report(enum sim_report_kind kind, const void *caller)
{
	return det.result && kind != SIM_REPORT_BUG &&
	       det_bug_again(sim_report_kind_name(kind), (uint32_t)(uintptr_t)caller, 0);
}

static int start(const struct det_program *program, const struct det_options *options,
		 struct det_result *result)
{
	det_world_init();
	det.program = program;
	det.options = options;
	det.result = result;
	det.nr_static = program->nr_actors + program->nr_irqs;
	det.nr_tasks = det.most_tasks = det.nr_static;
	det.max_steps = options->max_steps ? options->max_steps : DET_DEFAULT_STEPS;
	det.policy = options->policy == DET_DPOR && options->bound_preemptions ? DET_BOUNDED
									       : options->policy;
	det.race = options->race;
	det.tso = options->memory == DET_TSO;
	det.bounded = options->bound_preemptions;
	det.record = det.recording = options->policy == DET_DPOR || options->trace;
	/* Those of the last exploration that kept its trace. */
	free(det.schedule);
	free(det.ops);
	det.schedule = malloc(det.max_steps + 1);
	det.ops = malloc((det.max_steps + 1) * sizeof(*det.ops));
	sim_report_set_taker(take_report);
	sim_report_set_counter(count_report);
	sim_lockdep_alone(true);
	det_per_cpu_begin();
	det.learn = options->policy == DET_DPOR;
	spin_init();
	name_contexts(program);
	if (!det.schedule || !det.ops) {
		snprintf(result->error, sizeof(result->error), "out of memory");
		return -EINVAL;
	}
	probe();
	if (det_policies[det.policy]->init && det_policies[det.policy]->init()) {
		if (!*result->error)
			snprintf(result->error, sizeof(result->error), "out of memory");
		return -EINVAL;
	}
	return 0;
}

static void stop(struct sim_task *was)
{
	if (det_policies[det.policy]->fini)
		det_policies[det.policy]->fini();
	sim_self = was;
	sim_report_set_taker(NULL);
	sim_report_set_counter(NULL);
	sim_lockdep_alone(false);
	det_per_cpu_end();
	if (!det.options->trace) {
		free(det.ops);
		free(det.schedule);
		det.ops = NULL;
		det.schedule = NULL;
	}
}

static void add_state(uint64_t state)
{
	struct det_result *r = det.result;
	unsigned int low = 0, high = r->nr_states;

	r->last_state = state;
	if (!det.options->states)
		return;
	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (r->states[mid] < state)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < r->nr_states && r->states[low] == state)
		return;
	if (!(r->nr_states & (r->nr_states - 1)))
		r->states = realloc(r->states, 2 * (r->nr_states + 1) * sizeof(*r->states));
	if (!r->states)
		abort();
	memmove(&r->states[low + 1], &r->states[low], (r->nr_states - low) * sizeof(*r->states));
	r->states[low] = state;
	r->nr_states++;
}

/* The host's own memory, which lies elsewhere in each process, is no part of the program. */
static uintptr_t same_in_every_process(uintptr_t addr)
{
	return heap_holds(addr) || shadow_is_kept(addr) ? addr : 0;
}

static void hash_events(void)
{
	uint64_t h = det.result->trace_hash;
	uint32_t i;

	for (i = 0; i < det.nr_steps; i++) {
		const struct det_op *op = &det.ops[i];

		h = (h ^ det.schedule[i]) * 0x100000001b3ULL; /* FNV-1a, a word at a time */
		h = (h ^ op->kind ^ (uint64_t)op->size << 8) * 0x100000001b3ULL;
		h = (h ^ same_in_every_process(op->addr)) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	det.result->trace_hash = h;
}

static bool fault_hit(void)
{
	uint32_t i;

	for (i = 0; i < det.nr_tasks; i++)
		if (det.tasks[i].sim.fault_hit)
			return true;
	return false;
}

static void one_execution(void)
{
	struct det_result *r = det.result;
	enum det_end how;

	det_sync_reset();
	heap_reset();
	race_reset();
	how = det_execute();
	if (how == DET_DEADLOCK)
		det_report_hung();
	r->cut += how == DET_CUT;
	r->blocked += how == DET_BLOCKED;
	r->bounded += det.held_back;
	if (det.held_back)
		r->complete = false;
	r->events += det.nr_steps;
	r->fault_hits += fault_hit();
	if (how == DET_ENDED && det.program->state)
		add_state(det.program->state());
	if (det.record)
		hash_events();
	if (det_policies[det.policy]->end)
		det_policies[det.policy]->end(how);
	if (det.nr_steps > r->longest)
		r->longest = det.nr_steps;
	if (det.bug) {
		r->buggy++;
		det_bugs_end();
	}
	r->executions++;
	if (how != DET_ENDED || det_cpus_shared)
		det_per_cpu_reset();
}

/* A loop turned out to wait: the search begins anew, in which it is not a loop. */
static int start_again(void)
{
	const struct det_policy_ops *ops = det_policies[det.policy];

	det.learned = false;
	det.result->complete = false;
	det.result->cut = 0;
	det.result->learning = det.result->executions;
	ops->fini();
	return ops->init();
}

static bool enough(double began)
{
	const struct det_options *o = det.options;
	const struct det_result *r = det.result;

	if (*r->error || (o->executions && r->executions >= o->executions) ||
	    (o->first_bug && r->nr_bugs))
		return true;
	if (o->tick && !(r->executions & 15) && !o->tick(r))
		return true;
	return o->seconds > 0 && !(r->executions & 63) && cpu_seconds() - began >= o->seconds;
}

int det_explore(const struct det_program *program, const struct det_options *options,
		struct det_result *result)
{
	struct sim_task *was = sim_self;
	double began;
	int err;

	memset(result, 0, sizeof(*result));
	err = check(program, options, result);
	if (err)
		return err;
	err = start(program, options, result);
	began = cpu_seconds();
	while (!err && !enough(began)) {
		det.rng = seed_of(options->seed, result->executions);
		if (det_policies[det.policy]->begin &&
		    det_policies[det.policy]->begin(result->executions + 1) < 0)
			break;
		one_execution();
		if (det.learned && start_again()) {
			err = -ENOMEM;
			break;
		}
	}
	if (!err)
		race_reset();
	result->seconds = cpu_seconds() - began;
	stop(was);
	return err || *result->error ? -EINVAL : 0;
}

void det_result_free(struct det_result *result)
{
	unsigned int i;

	for (i = 0; i < result->nr_bugs; i++) {
		free(result->bugs[i].text);
		free(result->bugs[i].schedule);
	}
	free(result->states);
	memset(result, 0, sizeof(*result));
}
