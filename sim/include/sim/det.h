/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The deterministic world: tasks are fibers on one OS thread, every shared access of instrumented
 * code is an event, and a policy chooses the task that takes the next one. A program is set up, its
 * actors run to their end, and a final check looks at what is left; then everything is put back,
 * for the next execution.
 *
 * Read from both sides of the border: plain C types only.
 */
#ifndef SIM_DET_H
#define SIM_DET_H

#include <stdbool.h>
#include <stdint.h>

#define DET_MAX_TASKS	 16
#define DET_MAX_BUGS	 32
#define DET_DEFAULT_STEPS 20000 /* events of an execution before it is cut; assumed enough */
#define DET_MAX_STEPS	 30000 /* at most: clocks have 15 bits */
#define DET_MAX_DEPTH	 16    /* of pct; assumed enough */

/* What runs on a simulated CPU: tasks, softirqs on top of them, hard interrupts on top of both. */
enum det_context { DET_TASK, DET_SOFTIRQ, DET_HARDIRQ };

/*
 * What a CPU lets in. Raised by preempt_disable() and spinlocks (1), local_bh_disable() (2),
 * local_irq_disable() (3); a softirq runs at 2, a hard interrupt at 3.
 */
enum det_level { DET_PREEMPTIBLE, DET_NO_TASKS, DET_NO_SOFTIRQS, DET_NO_IRQS };

struct sim_task;

/* The kernel side of a program's object, told where contexts of one CPU take turns. */
struct det_kernel {
	/* @to goes on where @from (or NULL) was: preempt_count, current. */
	void (*switch_context)(struct sim_task *from, struct sim_task *to);
	void (*enter)(enum det_context context, struct sim_task *task); /* its handler begins */
	/* It ends; called for tasks as well, and for set-up and the final check. */
	void (*exit)(enum det_context context, struct sim_task *task);
	/* Of programs with rt: a softirq's handler, in its task. */
	void (*softirq_thread)(void (*handler)(void *arg), void *arg);
};

struct det_program {
	const char *name;
	const char *what;	/* one line for lists */
	const char *strategy;	/* the KVM object that it is in, or NULL */
	unsigned int nr_actors; /* at most DET_MAX_TASKS with interrupts and what is made later */
	const uint8_t *actor_cpus; /* NULL: actor n runs on CPU n */
	unsigned int
		nr_irqs; /* hard interrupts: each comes once, at any event where it is let in */
	const uint8_t *irq_cpus; /* NULL: interrupt n comes to CPU n */
	void (*setup)(void);	 /* may be NULL, as the others but for actor() */
	void (*actor)(unsigned int n);
	void (*irq)(unsigned int n); /* handler of interrupt n, on top of its CPU's task */
	void (*final)(void);	     /* every actor and interrupt has ended */
	uint64_t (*state)(void);     /* what an execution ended with, for comparisons */
	const struct det_kernel *kernel;
	/* The kind of bug that it exists to show; NULL: nothing is to be found in it. */
	const char *expects;
	bool expects_tso; /* with store buffers only: nothing is to be found without */
	/*
	 * Compiled with CONFIG_PREEMPT_RT: its softirqs are tasks. Its interrupts still are hard
	 * ones, as those of drivers that ask for no thread (IRQF_NO_THREAD).
	 */
	bool rt;
};

/* Registration: one line beside the program; nothing else lists it. */
#define DET_PROGRAM(p)                                          \
	static const struct det_program *const det_register_##p \
		__attribute__((used, section("irqsim_programs"))) = &(p)

/* NULL: none. @strategy NULL: the one without, or the first of that name. */
const struct det_program *det_program_find(const char *name, const char *strategy);
/* Is it a mutant's? These carry the mutant's name, which begins with a number, as strategy. */
bool det_program_is_mutant(const struct det_program *program);
unsigned int det_nr_programs(void);
const struct det_program *det_program_at(unsigned int i);

/* A KVM object of this world, for programs that the host makes (scenarios from a trace). */
struct port_ops;
struct det_object {
	const char *name;
	const struct port_ops *ops;
	const struct det_kernel *kernel;
	bool rt;
};
#define DET_OBJECT(o)                                          \
	static const struct det_object *const det_register_##o \
		__attribute__((used, section("irqsim_objects"))) = &(o)
unsigned int det_nr_objects(void);
const struct det_object *det_object_at(unsigned int i);

enum det_policy {
	DET_RUN,    /* one actor after another; a switch only where it blocks */
	DET_RANDOM, /* each event: any task that can go on, all alike */
	DET_PCT,    /* priorities, with depth - 1 change points (Burckhardt et al., ASPLOS 2010) */
	DET_DPOR,   /* every interleaving up to equivalence (Abdulla et al., POPL 2014) */
	DET_NAIVE,  /* every interleaving; for small programs, to compare with */
	DET_REPLAY, /* a schedule in text */
	DET_NR_POLICIES
};
const char *det_policy_name(enum det_policy policy);

/* Under tso, a handler and another task of the CPU find its store buffer empty: assumed for the
 * handler's begin (its end, iret, serialises; so does a switch of tasks). */
enum det_memory { DET_SC, DET_TSO };
enum det_race { DET_RACE_KCSAN, DET_RACE_STRICT, DET_RACE_OFF };

struct det_result;

struct det_options {
	enum det_policy policy;
	enum det_memory memory;
	enum det_race race;
	unsigned int depth;  /* pct: bug depth d >= 1 */
	uint64_t executions; /* at most so many; 0: no limit */
	double seconds;	     /* at most so long; 0: no limit */
	uint64_t seed;
	uint32_t max_steps; /* events in one execution; 0: DET_DEFAULT_STEPS */
	/*
	 * At most so many preemptions an execution: steps of another context, a handler's begin
	 * included, where the running one could have gone on. Store buffers may be emptied all the
	 * same. naive covers all executions within the bound; dpor one of each class that has one
	 * within, and sometimes more than one. Neither is complete where the bound kept something
	 * back.
	 */
	bool bound_preemptions;
	uint32_t preemptions;
	const char *schedule; /* replay: its text; */
	bool lenient;	      /* ... where it does not fit, go on as `run` does */
	bool first_bug;	      /* stop after the first execution with a bug */
	bool states;	      /* gather the set of det_program.state() */
	bool unfair_rwlocks;  /* readers pass waiting writers, as before queued rwlocks (4.x) */
	bool trace;	      /* keep the last execution's events for det_trace_print() */
	unsigned long fail_nth; /* each actor's Nth fault point fails; 0: none (sim/fault.h) */
	/* Called between executions, now and then. False: stop. May be NULL. */
	bool (*tick)(const struct det_result *so_far);
};

struct det_bug {
	char kind[16];	    /* "kcsan", "kasan", "deadlock" ... */
	char where[128];    /* function, and for a race the other function */
	uint64_t execution; /* the first that had it, from 1 */
	uint64_t count;	    /* executions that had it */
	char *text;	    /* the report */
	char *schedule;	    /* replays it */
	uint32_t pc[2];	    /* code addresses of it, 0: none */
	uint32_t step;	    /* that showed it in that execution, from 1 */
};

struct det_result {
	uint64_t executions; /* complete ones and cut ones */
	uint64_t blocked;    /* of these, given up because another one is equivalent */
	uint64_t cut;	     /* of these, stopped at max_steps */
	uint64_t bounded;    /* of these, kept from one preemption more; not complete then */
	uint64_t learning;   /* of these, before the search began anew */
	uint64_t events;
	uint64_t buggy;	  /* executions with a bug */
	uint32_t preemptions; /* replay: switches away from a context that could go on */
	uint64_t fault_hits; /* executions in which an actor reached its fail_nth */
	bool complete;	  /* every interleaving was covered */
	double seconds;	  /* CPU time */
	double pct_bound; /* pct: least probability of a bug of that depth, a run */
	uint32_t longest; /* events of the longest execution */
	unsigned int nr_bugs;
	struct det_bug bugs[DET_MAX_BUGS];
	uint64_t *states; /* sorted, without repetition */
	unsigned int nr_states;
	uint64_t last_state;
	uint64_t trace_hash; /* of all events of all executions */
	char error[160];     /* not empty: nothing was run, or replay left the schedule */
};

/* Returns 0, or -EINVAL with result->error set. */
int det_explore(const struct det_program *program, const struct det_options *options,
		struct det_result *result);
void det_result_free(struct det_result *result);

/* Fewest preemptions, then fewest events, that still give a bug of @bug's kind and place. Malloced
 * text. */
char *det_shrink(const struct det_program *program, const struct det_options *options,
		 const struct det_bug *bug);

/* One step of the last execution with options->trace. */
struct det_step {
	unsigned int id; /* of the context: actors first */
	unsigned int cpu;
	enum det_context context;
	const char *comm;
	int pid;
	char letter;	/* in schedules; a capital: its store buffer is flushed */
	const char *op; /* "read", "lock" ... */
	bool marked;
	bool takes, gives; /* acquires from, releases to whoever else works on @addr */
	uint32_t size, pc;
	uintptr_t addr;
	char function[64], line[48]; /* "kvm_irq_map_gsi", "irqchip.c:32" */
	char object[192];	     /* what is accessed */
	bool marks_bug;		     /* one of a bug's code addresses, where it struck */
};
unsigned int det_trace_steps(void);
void det_trace_step(unsigned int i, struct det_step *out);
void det_trace_step_short(unsigned int i, struct det_step *out); /* without names */
/* Which steps are those of @result's bugs; before det_trace_step() and det_trace_print(). */
void det_trace_mark(const struct det_result *result);

#ifndef __KERNEL__
#include <stdio.h>
void det_trace_print(FILE *out); /* a lane for each CPU */
#endif

/* ---- what the kernel side of this world is built on (sim/kernel/det) ---- */

/*
 * Locks by specification, known by their address. Taking blocks in the scheduler, never spins.
 * Acquire and release as the kernel's. det_trylock: true when taken.
 */
enum det_lock_mode {
	DET_EXCLUSIVE,
	DET_SHARED,
	DET_SHARED_FAIR /* det_lock() only: shared, but not past a waiting DET_EXCLUSIVE */
};
void det_lock(const volatile void *lock, enum det_lock_mode mode, const void *caller);
bool det_trylock(const volatile void *lock, enum det_lock_mode mode, const void *caller);
bool det_unlock(const volatile void *lock, enum det_lock_mode mode, const void *caller);
bool det_rwlocks_are_fair(void); /* as the options ask */
bool det_lock_is_mine(const volatile void *lock);

/*
 * Read sections of a domain and their grace periods: det_gp_wait() returns when every section that
 * began before it has ended, whenever the policy pleases after that.
 */
void det_read_lock(const volatile void *domain, const void *caller);
void det_read_unlock(const volatile void *domain, const void *caller);
void det_gp_wait(const volatile void *domain, const void *caller);
/* The same for RCU's, which cost no barrier where time is modelled (sim/time.h). */
void det_rcu_read_lock(const volatile void *domain, const void *caller);
void det_rcu_read_unlock(const volatile void *domain, const void *caller);
/*
 * Sections that another task may end (srcu_down_read()). up ends one of the caller's own, or else
 * one of somebody's; false where there is none.
 */
void det_read_down(const volatile void *domain, const void *caller);
bool det_read_up(const volatile void *domain, const void *caller);
unsigned int det_readers(const volatile void *domain);

/* Wait until *@word is not @value (a load with acquire). For completions and wait queues. */
void det_await(const volatile uint32_t *word, uint32_t value, const void *caller);
/* A store that kernel code makes through a primitive: release, and whoever awaits the word looks
 * again. */
void det_store(volatile uint32_t *word, uint32_t value, const void *caller);

/* As det_await(), for those who may wait for ever without anything being wrong (idle workers). */
void det_idle(const volatile uint32_t *word, uint32_t value, const void *caller);

/*
 * A task beside the program's actors, on @cpu, which runs @fn(@arg) to its end. From set-up, or
 * from an actor: everything before the call happens before its first step. Its number, or -1 where
 * there are DET_MAX_TASKS. The execution ends when all have ended or are idle.
 */
int det_task_new(int cpu, const char *comm, void (*fn)(void *arg), void *arg, const void *caller);

/*
 * A source of interrupts (DET_SOFTIRQ or DET_HARDIRQ) on @cpu. From raise on, @handler(@arg) may
 * begin at any event where the CPU lets it in, once for any number of raises until it begins;
 * everything before the raise happens before it. cancel: true if one had been pending. A softirq
 * of a program with rt is a task that waits for raises.
 */
int det_irq_new(enum det_context context, int cpu, const char *name, void (*handler)(void *arg),
		void *arg, const void *caller);
void det_irq_raise(int irq, const void *caller);
bool det_irq_cancel(int irq, const void *caller);

/*
 * The running context's CPU changes what it lets in: before it takes effect where it is raised,
 * after where it is lowered. Called only where somebody could notice: a CPU with more than one
 * context.
 */
extern bool det_cpus_shared;
void det_cpu_level(enum det_level level, const void *caller);

const struct det_program *det_program_running(void); /* the one explored now */
/* Is a program's actor running? */
bool det_running(void);
unsigned int det_actor(void);

/* Objects of the execution; never handed out twice in it, so that every use after free is seen. */
void *det_alloc(uint64_t size, bool zero, const void *caller);
void det_free(const void *p, const void *caller);
uint64_t det_alloc_size(const void *p);
/* Report what was not freed, as kind "leak"; for a program's final check. */
void det_check_leaks(void);

/* A failed check of a program: reported as kind "check". */
void det_check_failed(const char *file, int line, const char *what);
#define DET_CHECK(cond)                                              \
	do {                                                         \
		if (!(cond))                                         \
			det_check_failed(__FILE__, __LINE__, #cond); \
	} while (0)

#endif
