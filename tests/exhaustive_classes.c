// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policy dpor against brute force, on small programs made by seed: it runs every class of
 * equivalent interleavings, and none twice. The programs are host code that makes the events
 * itself.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <sim/det.h>

#include "../sim/host/sched/det_depend.h"

#define MAX_ACTORS 4 /* the last one's code is the handler of a source of interrupts */
#define MAX_LENGTH 6

void __tsan_volatile_read4(void *p);
void __tsan_volatile_write4(void *p);
void __kcsan_check_access(const volatile void *p, size_t size, int type);

enum what {
	READ,
	WRITE,
	ADD,
	LOCK,
	UNLOCK,
	SHARE,
	UNSHARE,
	TRY,
	ENTER,
	LEAVE,
	GRACE,
	WAIT,
	LEVEL,
	PENDING,
	NOT_PENDING,
	MAKE,
	IDLE
};

static struct instruction {
	enum what what;
	int where;
} code[MAX_ACTORS][MAX_LENGTH];
static int lengths[MAX_ACTORS];
static int source;
static uint32_t variables[3], locks[2], domain, seen[MAX_ACTORS];

static uint32_t prng, seed_of_program;
static uint32_t below(uint32_t n)
{
	prng ^= prng << 13;
	prng ^= prng >> 17;
	prng ^= prng << 5;
	return prng % n;
}

static void child(void *arg);

static void step(unsigned int n, const struct instruction *i, bool *taken)
{
	uint32_t *v = &variables[i->where];
	const void *here = __builtin_return_address(0);

	switch (i->what) {
	case READ:
		__tsan_volatile_read4(v);
		seen[n] = seen[n] * 31 + *v;
		break;
	case WRITE:
		__tsan_volatile_write4(v);
		*v = seen[n] % 7 + n + 1;
		break;
	case ADD:
		__kcsan_check_access(v, 4, 7);
		*v += 1;
		break;
	case LOCK:
		det_lock(&locks[i->where], DET_EXCLUSIVE, here);
		break;
	case UNLOCK:
		det_unlock(&locks[i->where], DET_EXCLUSIVE, here);
		break;
	case SHARE:
		det_lock(&locks[i->where], DET_SHARED, here);
		break;
	case UNSHARE:
		det_unlock(&locks[i->where], DET_SHARED, here);
		break;
	case TRY:
		*taken = det_trylock(&locks[i->where], DET_EXCLUSIVE, here);
		seen[n] = seen[n] * 31 + *taken;
		if (*taken)
			det_unlock(&locks[i->where], DET_EXCLUSIVE, here);
		break;
	case ENTER:
		det_read_lock(&domain, here);
		break;
	case LEAVE:
		det_read_unlock(&domain, here);
		break;
	case GRACE:
		det_gp_wait(&domain, here);
		break;
	case WAIT:
		det_await(v, 0, here);
		seen[n] = seen[n] * 31 + *v;
		break;
	case LEVEL:
		det_cpu_level(i->where, here);
		break;
	case PENDING:
		det_irq_raise(source, here);
		break;
	case NOT_PENDING:
		seen[n] = seen[n] * 31 + det_irq_cancel(source, here);
		break;
	case MAKE:
		det_task_new(i->where, "child", child, NULL, here);
		break;
	case IDLE:
		det_idle(v, 0, here);
		seen[n] = seen[n] * 31 + *v;
		break;
	}
}

static void actor(unsigned int n)
{
	bool taken = false;
	int i;

	for (i = 0; i < lengths[n]; i++)
		step(n, &code[n][i], &taken);
}

static struct det_program program;

static void irq(unsigned int n)
{
	actor(program.nr_actors + n);
}

static void child(void *arg)
{
	(void)arg;
	actor(MAX_ACTORS - 1);
}

static void from_source(void *arg)
{
	(void)arg;
	actor(MAX_ACTORS - 1);
}

static enum det_context source_context;

static void setup(void)
{
	memset(variables, 0, sizeof(variables));
	memset(seen, 0, sizeof(seen));
	if (source_context)
		source = det_irq_new(source_context, 0, "source", from_source, NULL,
				     __builtin_return_address(0));
}

/* The order that an execution's steps have, whatever the sequence in which they were taken. */
static uint64_t class_of(void)
{
	static struct order_step steps[512];
	uint64_t sum = 0, h;
	uint32_t i;
	int k;

	cr_assert_lt(det.nr_steps, 512);
	for (i = 0; i < det.nr_steps; i++) {
		steps[i].op = det.ops[i];
		steps[i].id = det.schedule[i];
		det_order(steps, i, NULL);
		h = steps[i].id * 1000003ULL + steps[i].index;
		for (k = 0; k < DET_IDS; k++)
			h = (h ^ steps[i].clk.n[k]) * 0x9e3779b97f4a7c15ULL, h ^= h >> 31;
		sum += h;
	}
	return sum;
}

static uint64_t outcome(void)
{
	uint64_t h = 0;
	int i;

	for (i = 0; i < 3; i++)
		h = h * 1000003 + variables[i];
	for (i = 0; i < MAX_ACTORS; i++)
		h = h * 1000003 + seen[i];
	return h;
}

/* With contexts that share CPUs: levels, and a source of interrupts. */
static int add_of_cpu(struct instruction *at, int room)
{
	if (source_context && below(2)) {
		at[0] = (struct instruction){ below(3) ? PENDING : NOT_PENDING, 0 };
		return 1;
	}
	if (room < 3)
		return 0;
	at[0] = (struct instruction){ LEVEL, 1 + below(3) };
	at[1] = (struct instruction){ below(3), below(3) };
	at[2] = (struct instruction){ LEVEL, 0 };
	return 3;
}

static bool on_one_cpu;
static int child_cpu = -1;

/* A pair of instructions in place of one where something has to be given back. */
static int add(struct instruction *at, int room, bool with_waits)
{
	static const enum what pairs[][2] = { { LOCK, UNLOCK },
					      { SHARE, UNSHARE },
					      { ENTER, LEAVE } };
	uint32_t kind = below(12), which;
	int n = on_one_cpu && below(2) ? add_of_cpu(at, room) : 0;

	if (n)
		return n;
	if (kind < 6 || room < 3) {
		at[0] = (struct instruction){ kind % 3, below(3) };
		return 1;
	}
	if (kind == 6 || kind == 7) {
		at[0] = (struct instruction){ kind == 6 ? GRACE : TRY, below(2) };
		return 1;
	}
	if (kind == 8 && with_waits) {
		at[0] = (struct instruction){ WAIT, below(3) };
		return 1;
	}
	which = below(3);
	at[0] = (struct instruction){ pairs[which][0], below(2) };
	at[1] = (struct instruction){ below(3), below(3) };
	at[2] = (struct instruction){ pairs[which][1], at[0].where };
	return 3;
}

static void make_code(int n, int length, bool with_waits)
{
	int k;

	for (k = 0; k < length;)
		k += add(&code[n][k], length - k, with_waits);
	lengths[n] = k;
}

static void make(uint32_t seed, int length, bool with_waits)
{
	enum det_context context = source_context;
	unsigned int n;

	prng = seed * 2654435761u + 1;
	seed_of_program = seed;
	for (n = 0; n < program.nr_actors + program.nr_irqs; n++)
		make_code(n, length, with_waits);
	source_context = DET_TASK; /* a handler that raises itself would not end */
	if (context)
		make_code(MAX_ACTORS - 1, 2, false);
	source_context = context;
	if (child_cpu < 0)
		return;
	memmove(&code[0][1], &code[0][0], lengths[0]++ * sizeof(code[0][0]));
	code[0][0] = (struct instruction){ MAKE, child_cpu };
	make_code(MAX_ACTORS - 1, length, with_waits);
	code[MAX_ACTORS - 1][lengths[MAX_ACTORS - 1]++] = (struct instruction){ IDLE, below(3) };
}

static void show(uint32_t seed)
{
	static const char *const names[] = { "read",  "write",	 "add",	  "lock",  "unlock",
					     "share", "unshare", "try",	  "enter", "leave",
					     "grace", "wait",	 "level", "raise", "cancel",
					     "make",  "idle" };
	int n, k;

	for (n = 0; n < MAX_ACTORS; n++) {
		fprintf(stderr, "seed %u, task %c:", seed, 'a' + n);
		for (k = 0; k < lengths[n]; k++)
			fprintf(stderr, " %s(%d)", names[code[n][k].what], code[n][k].where);
		fputc('\n', stderr);
	}
}

static struct det_program program = { .name = "made", .setup = setup, .actor = actor, .irq = irq };

/* Preemptions that are allowed; -1: any number. */
static int bound = -1;

static unsigned int count(enum det_policy policy, enum det_memory memory, uint64_t (*state)(void),
			  struct det_result *r)
{
	struct det_options o = { .policy = policy,
				 .memory = memory,
				 .race = DET_RACE_OFF,
				 .states = true,
				 .trace = true,
				 .bound_preemptions = bound >= 0,
				 .preemptions = bound < 0 ? 0 : bound };

	program.state = state;
	cr_assert_eq(det_explore(&program, &o, r), 0, "%s", r->error);
	if (!r->complete && bound < 0)
		show(seed_of_program);
	cr_assert(r->complete || bound >= 0, "seed %u: %s", seed_of_program,
		  det_policy_name(policy));
	return r->nr_states;
}

/* Within a bound, what ends how is what brute force within the bound says. */
static void compare_bounded(uint32_t seed, enum det_memory memory)
{
	struct det_result all, some;

	bound = (int)(seed % 3);
	count(DET_NAIVE, memory, class_of, &all);
	count(DET_DPOR, memory, class_of, &some);
	cr_expect_eq(all.nr_states, some.nr_states, "seed %u, %d preemptions: %u of %u classes",
		     seed, bound, some.nr_states, all.nr_states);
	cr_expect_leq(some.executions - some.learning, all.executions, "seed %u", seed);
	if (all.nr_states != some.nr_states)
		show(seed);
	det_result_free(&all);
	det_result_free(&some);
	bound = -1;
}

static void compare(uint32_t seed, int nr_actors, int length, enum det_memory memory, bool waits)
{
	struct det_result all, classes, reduced, outcomes;

	program.nr_actors = nr_actors;
	make(seed, length, waits);
	count(DET_NAIVE, memory, outcome, &all);
	count(DET_NAIVE, memory, class_of, &classes);
	count(DET_DPOR, memory, outcome, &outcomes);
	count(DET_DPOR, memory, class_of, &reduced);
	cr_expect_eq(outcomes.nr_states, all.nr_states, "seed %u: %u of %u outcomes", seed,
		     outcomes.nr_states, all.nr_states);
	if (all.nr_states == outcomes.nr_states)
		cr_expect(!memcmp(all.states, outcomes.states, all.nr_states * sizeof(*all.states)),
			  "seed %u: other outcomes", seed);
	cr_expect_eq(reduced.nr_states, classes.nr_states, "seed %u: %u of %u classes", seed,
		     reduced.nr_states, classes.nr_states);
	cr_expect_eq(reduced.executions - reduced.learning, reduced.nr_states + reduced.buggy,
		     "seed %u: %lu executions for %u classes, %lu given up", seed,
		     reduced.executions, reduced.nr_states, reduced.blocked);
	cr_expect_eq(!all.nr_bugs, !outcomes.nr_bugs, "seed %u: deadlock found by one only", seed);
	if (all.nr_states != outcomes.nr_states || reduced.nr_states != classes.nr_states ||
	    !all.nr_bugs != !outcomes.nr_bugs)
		show(seed);
	det_result_free(&all);
	det_result_free(&classes);
	det_result_free(&reduced);
	det_result_free(&outcomes);
	compare_bounded(seed, memory);
}

Test(exhaustive_classes, two_tasks)
{
	uint32_t seed;

	for (seed = 1; seed <= 300; seed++)
		compare(seed, 2, 5, DET_SC, false);
}

Test(exhaustive_classes, two_tasks_that_wait)
{
	uint32_t seed;

	for (seed = 1; seed <= 300; seed++)
		compare(seed, 2, 5, DET_SC, true);
}

Test(exhaustive_classes, three_tasks)
{
	uint32_t seed;

	for (seed = 1; seed <= 100; seed++)
		compare(seed, 3, 3, DET_SC, true);
}

Test(exhaustive_classes, store_buffers)
{
	uint32_t seed;

	for (seed = 1; seed <= 100; seed++)
		compare(seed, 2, 3, DET_TSO, false);
}

/*
 * The same with contexts that share CPUs: @nr_actors tasks on @cpus, @nr_irqs interrupts that come
 * once to CPU 0, and a source of @source interrupts there.
 */
static void compare_shared(uint32_t seeds, int nr_actors, const uint8_t *cpus, int nr_irqs,
			   enum det_context made, enum det_memory memory, int length)
{
	static const uint8_t irq_cpus[MAX_ACTORS];
	uint32_t seed;

	on_one_cpu = true;
	source_context = made;
	program.actor_cpus = cpus;
	program.irq_cpus = irq_cpus;
	program.nr_irqs = nr_irqs;
	for (seed = 1; seed <= seeds; seed++)
		compare(seed, nr_actors, length, memory, seed & 1);
}

static const uint8_t one[] = { 0, 0, 0 }, two[] = { 0, 1, 1 }, mixed[] = { 0, 0, 1 };

Test(exhaustive_classes, tasks_of_one_cpu)
{
	compare_shared(200, 2, one, 0, DET_TASK, DET_SC, 4);
}

Test(exhaustive_classes, task_and_interrupt)
{
	compare_shared(200, 1, one, 1, DET_TASK, DET_SC, 5);
	compare_shared(100, 1, one, 2, DET_TASK, DET_SC, 3);
}

Test(exhaustive_classes, two_cpus_and_an_interrupt)
{
	compare_shared(100, 2, two, 1, DET_TASK, DET_SC, 3);
	compare_shared(100, 3, mixed, 0, DET_TASK, DET_SC, 3);
}

Test(exhaustive_classes, raised_interrupts)
{
	compare_shared(150, 1, one, 0, DET_HARDIRQ, DET_SC, 3);
	compare_shared(150, 1, one, 1, DET_SOFTIRQ, DET_SC, 3);
	compare_shared(100, 2, two, 0, DET_HARDIRQ, DET_SC, 3);
}

Test(exhaustive_classes, store_buffers_of_one_cpu)
{
	compare_shared(100, 2, one, 0, DET_TASK, DET_TSO, 3);
	compare_shared(100, 1, one, 1, DET_TASK, DET_TSO, 3);
	compare_shared(100, 1, one, 0, DET_HARDIRQ, DET_TSO, 3);
	compare_shared(40, 2, two, 1, DET_TASK, DET_TSO, 2);
}

/* A task that is made by the first one, on its CPU or another, and that may wait for ever. */
Test(exhaustive_classes, task_made_by_a_task)
{
	child_cpu = 0;
	compare_shared(100, 1, one, 0, DET_TASK, DET_SC, 4);
	compare_shared(70, 1, one, 1, DET_TASK, DET_SC, 3);
	child_cpu = 1;
	compare_shared(40, 2, two, 0, DET_TASK, DET_SC, 2);
	child_cpu = 2;
	compare_shared(40, 2, two, 0, DET_TASK, DET_SC, 2);
}
