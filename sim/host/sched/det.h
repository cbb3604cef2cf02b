/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The deterministic world's own view of itself: tasks, their next operations, the running
 * execution. All of it belongs to one OS thread.
 */
#ifndef SIM_HOST_DET_H
#define SIM_HOST_DET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sim/det.h>
#include <sim/report.h>
#include <sim/task.h>

/* What a task is about to do. A pending operation is known before it is done. */
enum det_kind {
	DET_OP_START, /* first instruction of an actor */
	DET_OP_READ,
	DET_OP_WRITE,
	DET_OP_RMW,
	DET_OP_FREE,  /* a write to the whole object */
	DET_OP_AWAIT, /* a read that waits until the value is another */
	DET_OP_FENCE, /* tso: waits until the task's store buffer is empty */
	DET_OP_FLUSH, /* tso: the oldest buffered store reaches memory */
	DET_OP_LOCK,
	DET_OP_TRYLOCK,
	DET_OP_UNLOCK,
	DET_OP_RDLOCK,
	DET_OP_RDTRYLOCK,
	DET_OP_RDUNLOCK,
	DET_OP_READER_IN, /* SRCU and RCU read sections */
	DET_OP_READER_OUT,
	DET_OP_GP_BEGIN,
	DET_OP_GP_END,
	DET_OP_NEW,   /* a context is made: a task or a source of interrupts */
	DET_OP_IRQ,   /* an interrupt is raised */
	DET_OP_UNIRQ, /* ... taken back */
	DET_OP_BEGIN, /* its handler begins */
	DET_OP_END,
	DET_OP_LEVEL, /* what its CPU lets in changes */
	DET_NR_OPS
};

enum {
	DET_MARKED = 1, /* READ_ONCE, WRITE_ONCE, atomics: never one side of a data race alone */
	DET_ATOMIC =
		2, /* inside kcsan's atomic regions and data_race(): ignored by the race check */
	DET_ASSERT = 8, /* ASSERT_EXCLUSIVE_WRITER(): no access, but races with any store ... */
	DET_ASSERT_ALL = 16, /* ... ASSERT_EXCLUSIVE_ACCESS(): with any access */
	DET_FAILED = 4,	     /* a compare-and-exchange that found another value: it only reads */
	DET_DIRECT = 32, /* tso: a store that is not buffered */
	DET_QUEUES = 64, /* a reader that waits behind a waiting writer */
	DET_LOCAL = 128, /* a this_cpu operation */
};

struct det_op {
	uint8_t kind;
	uint8_t flags;
	uint16_t mask; /* tasks: GP_END waits for them; READER_OUT: grace periods that waited for it
			*/
	uint32_t pc;   /* the program is linked below 4 GiB */
	uintptr_t addr;
	uint32_t size;
	/* Whose it is, for contexts of one CPU; kept with recorded ones only. */
	uint8_t cpu;
	uint8_t need;	/* its context is let in below this level; 0: no context's */
	uint8_t level;	/* of its context, before */
	uint8_t to;	/* and after */
	uint64_t value; /* AWAIT: what it waits to see changed; a write: what it found; TRYLOCK:
			   taken; IRQ, UNIRQ: was it pending */
};

/* Sixteen clocks at once. A task's own grows with its releases, so 16 bits outlast any execution.
 */
typedef struct {
	int16_t n[DET_MAX_TASKS];
} __attribute__((aligned(16))) det_clock;
typedef int16_t det_clock_half __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) void clock_join(det_clock *to, const det_clock *from)
{
	det_clock_half *t = (det_clock_half *)to;
	const det_clock_half *f = (const det_clock_half *)from;
	int i;

	for (i = 0; i < 2; i++) {
		det_clock_half newer = f[i] > t[i];

		t[i] = (f[i] & newer) | (t[i] & ~newer);
	}
}

struct det_task {
	void *sp;
	uint8_t id;
	uint8_t cpu;
	uint8_t context;   /* enum det_context */
	uint8_t level;	   /* what it makes its CPU let in, enum det_level */
	bool started;	   /* a task that took a step; a handler in progress */
	bool pending;	   /* an interrupt that was raised, or is to come */
	bool injected;	   /* comes once */
	bool idle;	   /* nothing is wrong if it waits for ever */
	bool has_rel;	   /* there was a release fence */
	bool fresh_rel;	   /* ... and no access since */
	bool acquires;	   /* its next marked read is an acquire */
	bool done;
	uint8_t kcsan_off;
	uint8_t kcsan_next;
	uint32_t spin_pc;    /* its last step was a read here ... */
	uintptr_t spin_addr; /* ... of this, which gave ... */
	uint64_t spin_value;
	bool goes_round;    /* it came back to a state in which it was before ... */
	uint64_t round;	    /* ... to this one, with the place */
	uint64_t spin_hash; /* ... in this state, where known (race/spin.c) */
	bool in_loop;	    /* inside an atomic operation that is a loop around another */
	uint8_t compares;   /* bytes that the next atomic operation compares with ... */
	uint64_t expects;   /* ... this */
	struct det_op op;
	det_clock clk;	       /* everything that happens before its next step */
	det_clock rel;	       /* as of its last release fence: what its marked stores publish */
	det_clock acq;	       /* what its marked loads have seen, until an acquire fence */
	det_clock raised;      /* an interrupt: what comes before its handler */
	void (*fn)(void *arg); /* NULL: the program's actor or interrupt */
	void *arg;
	struct sim_task sim;
};

struct det_world {
	struct det_task *cur; /* NULL: no actor runs, accesses are not events */
	uint32_t runnable;    /* contexts whose next operation can be done now ... */
	uint32_t kept_out;    /* ... unless others of their CPU keep them out, or the bound */
	uint32_t bound_out;   /* by the bound of preemptions alone */
	uint32_t preemptions; /* of this execution */
	uint32_t awaiting;    /* tasks whose next operation is DET_OP_AWAIT */
	uint32_t nr_tasks;    /* contexts: actors, injected interrupts, what was made since */
	uint32_t nr_static;   /* of these, actors and injected interrupts */
	uint32_t most_tasks;  /* in any execution so far */
	uint32_t nr_steps;
	uint32_t max_steps;
	uint32_t stop_at;      /* step at which something is to be done about its length */
	uint32_t watched_from; /* the step from which spin_watch() is on, or UINT32_MAX */
	uint32_t exec_tag; /* of this execution; marks what is current in tables never cleared */
	uint64_t rng;
	enum det_policy policy;
	enum det_race race;
	bool tso;
	bool bounded;
	bool learn;	    /* waits recognised in one execution are known in the next */
	bool learned;	    /* something new, in this one */
	bool record;	    /* keep each step's operation */
	bool recording;	    /* ... as this exploration wants it */
	bool bug;	    /* this execution has one */
	bool held_back;	    /* by the bound of preemptions, in this one */
	bool probing;	    /* a first execution, only to see which CPUs are shared */
	int8_t hook_cpu;    /* where the kernel side is told of a change of contexts */
	uint8_t *schedule;  /* who took each step */
	struct det_op *ops; /* what it was, with record */
	const struct det_program *program;
	const struct det_options *options;
	struct det_result *result;
	struct sim_task main; /* set-up and final check */
	void *main_sp;
	struct det_task tasks[DET_MAX_TASKS];
};
extern struct det_world det;

/* ---- fibers (det_fiber.c) ---- */

#define DET_STACK_SIZE 0x80000UL /* a report's look into debug information needs 200 KiB */
#define DET_STACKS     0x6b0000000000UL /* addresses: see sim/mm.h */
#define DET_PERCPU     0x6c0000000000UL /* per-CPU areas ... */
#define DET_PERCPU_STRIDE 0x100000UL	/* ... and how far they are apart */
void det_fibers_init(void);
void det_fiber_prepare(struct det_task *t);
void det_fiber_switch(void **save, void *load);
struct sim_stack det_fiber_stack(const struct det_task *t); /* of one that does not run */
void det_per_cpu_init(unsigned int nr_cpus);
void det_per_cpu_slowly(unsigned int cpu);
extern enum det_gs { DET_GS_NONE, DET_GS_SHARED, DET_GS_FAST, DET_GS_SLOW } det_gs_how;
extern uintptr_t det_gs_bases[DET_MAX_TASKS];

static inline __attribute__((always_inline)) void det_per_cpu_select(unsigned int cpu)
{
	if (det_gs_how == DET_GS_FAST)
		__asm__ volatile("wrgsbase %0" : : "r"(det_gs_bases[cpu]) : "memory");
	else if (det_gs_how == DET_GS_SLOW)
		det_per_cpu_slowly(cpu);
}
uintptr_t det_per_cpu_offset(void); /* of the running context's CPU */
void det_per_cpu_reset(void);
void det_per_cpu_begin(void); /* of an exploration */
void det_per_cpu_end(void);

/* ---- one execution (det_run.c) ---- */

/* Announce @t->op, let the policy choose, return when this task was chosen. */
void det_schedule(struct det_task *t);
/* Its operation is not possible now: the task cannot be chosen until det_enable(). */
static inline void det_disable(unsigned int id)
{
	det.runnable &= ~(1u << id);
}
static inline void det_enable(uint32_t mask)
{
	det.runnable |= mask;
}
enum det_end { DET_ENDED, DET_CUT, DET_BLOCKED, DET_DEADLOCK, DET_BUG, DET_DIVERGED };
enum det_end det_execute(void);
/* Give the running execution up. Does not return. */
void det_abandon(enum det_end why) __attribute__((noreturn));
uint64_t det_random(void);
extern enum det_end det_how_ended;

/* ---- contexts of one CPU (det_context.c) ---- */

extern uint32_t det_shared_cpus; /* CPUs with more than one context, whose levels are events */
void det_contexts_begin(void);	 /* of an execution */
void det_contexts_init(void);	 /* of an exploration: nothing is known */
void det_contexts_look(unsigned int cpu); /* a level of it changed: whom does it keep out now? */
/* @op of @t with what det_op says of its context. */
struct det_op det_op_placed(const struct det_op *op, const struct det_task *t);
void det_bound_set(uint32_t out);	   /* whom the bound of preemptions keeps out */
void det_context_over(struct det_task *t); /* it ended */
void det_context_run(struct det_task *t);  /* what it is there for */
void det_task_ends(struct sim_task *task); /* also set-up and the final check */
void det_cpu_turn(struct det_task *to); /* @to takes a step, and perhaps its CPU goes over to it */
void det_context_name(struct det_task *t, enum det_context context, unsigned int cpu,
		      const char *name);
void det_context_add(const struct det_task *t); /* to its CPU */
void det_context_announce(struct det_task *t, enum det_kind kind, const void *what,
			  const void *caller);
bool det_all_over(void);		    /* has everybody ended, or is idle? */
void det_context_ready(struct det_task *t); /* its fiber is to begin, its clock as it is */

/* ---- policies: the task to take the next step, one of det_can_run() ---- */

static inline uint32_t det_can_run(void)
{
	return det.runnable & ~det.kept_out;
}

#define DET_IDS (2 * DET_MAX_TASKS) /* the store buffer of context n is n + DET_MAX_TASKS */

struct det_policy_ops {
	/* All may be NULL but choose(). begin: 0, or -1: there is nothing left to run. */
	int (*init)(void);
	int (*begin)(uint64_t execution);
	int (*choose)(void); /* -1: give the execution up */
	void (*end)(enum det_end how);
	void (*fini)(void);
};
#define DET_BOUNDED ((enum det_policy)DET_NR_POLICIES) /* dpor with a bound of preemptions */
extern const struct det_policy_ops *const det_policies[DET_NR_POLICIES + 1];
extern const struct det_policy_ops det_run_ops, det_random_ops, det_dpor_ops, det_bounded_ops;
int det_lowest_or_current(void); /* what `run` does */

/* ---- primitives (det_sync.c) and what they share with the race check ---- */

void det_sync_reset(void);
void det_await_value(struct det_task *t);
/* det_store() that says what was there. */
uint32_t det_exchange(volatile uint32_t *word, uint32_t value, const void *caller);
void det_look_at_awaited(void); /* values may have changed */

/* ---- virtual time (time/), which the same callbacks serve while no execution runs ---- */

struct det_timing {
	void (*access)(uintptr_t addr, uint32_t size, enum det_kind kind, uint8_t flags);
	void (*barrier)(void); /* a full one */
	void (*lock)(const volatile void *lock, enum det_lock_mode mode);
	bool (*trylock)(const volatile void *lock, enum det_lock_mode mode);
	void (*unlock)(const volatile void *lock, enum det_lock_mode mode);
	/* @barrier: SRCU's sections begin and end with one, RCU's do not */
	void (*read_lock)(const volatile void *domain, bool barrier);
	void (*read_unlock)(const volatile void *domain, bool barrier);
	void (*gp_wait)(const volatile void *domain);
};
extern const struct det_timing *det_timing; /* NULL: it does not run */
void det_world_init(void);		    /* once; again is nothing */
void det_world_reset(void);		    /* memory is as before the run */

/* ---- accesses (race/) ---- */

void race_init(void);
void race_reset(void); /* between executions; puts static data back */
void race_commit(struct det_task *t, const struct det_op *op);
void race_announce_free(struct det_task *t, uintptr_t addr, uint64_t size, const void *caller);
void race_release(struct det_task *t); /* release fence */
void race_acquire(struct det_task *t); /* acquire fence */
void race_undo(void); /* static and per-CPU variables are as before the execution */
void race_undo_note(uintptr_t addr, uint32_t size);
/* Would this read only repeat itself? Then wait for another value, and true. */
bool spin_wait(struct det_task *t, uintptr_t addr, uint32_t size, uint32_t pc);
void spin_watch(void); /* from this step on: who only goes round? */
void spin_watch_stop(void);
void spin_init(void);	       /* of an exploration: nothing is known */
extern uint32_t spin_nr_sites; /* code addresses of waits that are known */
void heap_init(void);
void heap_reset(void);
/* "object of 64 bytes allocated at f+0x..." for an address; what reports call a location. */
void heap_describe(uintptr_t addr, char *buf, size_t size);
void heap_check(const struct det_op *op);

/* ---- reports (det_hung.c, det_report.c) ---- */

void det_report_hung(void); /* nobody can go on */

__attribute__((format(printf, 4, 5))) void det_bug(const char *kind, uint32_t pc, uint32_t other_pc,
						   const char *fmt, ...);
/* A bug that is known is counted, and true: no text is needed. */
bool det_bug_again(const char *kind, uint32_t pc, uint32_t other_pc);
void det_bugs_end(void); /* of one execution: gives its bugs their schedule */
char det_letter(unsigned int id); /* of a task, or of a flush, in schedules */
char *det_schedule_text(const uint8_t *schedule, uint32_t n);
int det_schedule_parse(const char *text, uint8_t *out, uint32_t max, char *err, size_t size);

#endif
