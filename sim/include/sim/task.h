/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running task as the simulator sees it: which simulated CPU it is on and which context its
 * kernel code is in. One object a task; sim_self names the running one, on both sides of the
 * border.
 *
 * Nothing here depends on a kernel version. The kernel side keeps the fields true (irqflags.h,
 * spinlock.c, srcu.c ...); the checkers read them.
 */
#ifndef SIM_TASK_H
#define SIM_TASK_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_NR_CPUS	   64 /* simulated CPUs of the prebuilt variants */
#define SIM_SRCU_HELD_MAX  16 /* SRCU read sections one task may nest */
#define SIM_LOCKS_HELD_MAX 48 /* as MAX_LOCK_DEPTH of the kernel's lockdep */

struct sim_srcu_hold {
	const void *domain; /* the struct srcu_struct */
	const void *caller; /* where it was entered */
	int idx;
	int cpu;
};

/* A lock that lockdep knows to be held (variants "lockdep" and "det" only). */
struct sim_lock_hold {
	const void *instance; /* the lock's lockdep map */
	const void *caller;
	uint64_t chain; /* hash of the classes held up to this one, and how */
	unsigned int class_id;
	uint8_t read; /* 0 exclusive, 1 reader, 2 recursive reader */
	uint8_t trylock;
	uint8_t in_hardirq; /* taken by a handler: what its task holds is not before it */
	uint8_t safe_from;  /* interrupts that could not come since it was taken: 1 hard, 2 soft */
};

struct sim_task {
	int cpu;
	int irqs_off;	   /* boolean: hard interrupts disabled on this CPU */
	int in_hardirq;	   /* nesting of simulated hard interrupts */
	int in_softirq;	   /* 1 in a softirq's handler */
	int in_eqs;	   /* not 0: RCU does not watch; the kernel's enum ctx_state (user, guest) */
	int eqs_below;	   /* handlers: in_eqs of what they interrupted */
	int atomic_depth;  /* spinlocks and rwlocks held: may not sleep while > 0 */
	int preempt_depth; /* preempt_disable() alone */
	int bh_depth;	   /* local_bh_disable() */
	int bh_locked;	   /* PREEMPT_RT: it holds its CPU's lock of softirqs */
	int migrate_depth; /* migrate_disable() */
	int rcu_depth;
	int nr_locks; /* mutexes, spinlocks and rwlocks held */
	int nr_srcu;
	int lockdep_depth;
	int pid;
	char comm[16];
	struct sim_lock_hold held[SIM_LOCKS_HELD_MAX];
	struct sim_srcu_hold srcu[SIM_SRCU_HELD_MAX];
	unsigned long
		fail_nth; /* the kernel's fail-nth: the Nth fault point from now fails; 0 is off */
	unsigned long fault_points; /* fault points passed since sim_fail_nth_set() */
	bool fault_hit;		    /* fail_nth was reached */
	int section;		    /* enum sim_section that operations are counted in */
	void *worker;		    /* of a workqueue's pool, or NULL: told where it sleeps */
	const void *preempt_ip;	    /* where preemption was disabled last, and interrupts: */
	const void *irqs_ip;	    /* deterministic world only */
	void *kernel_task;	    /* struct task_struct of the running KVM object, or NULL */
};

extern __thread struct sim_task *sim_self;

/*
 * sim_thread_enter - make the calling pthread a simulated task
 * @cpu: simulated CPU it stays on, 0 <= cpu < SIM_NR_CPUS; one task a CPU in the threads world
 * @comm: name in reports, cut to 15 characters
 *
 * Registers with liburcu and points GS at that CPU's per-CPU area. The thread that calls sim_init()
 * becomes task "init" on CPU 0 by itself. Returns 0, or -EBUSY if the CPU has a task, -EINVAL if
 * there is no such CPU.
 */
int sim_thread_enter(int cpu, const char *comm);
void sim_thread_exit(void);

/*
 * sim_thread_new - a pthread that is a simulated task, on a CPU that has none
 * @fn: its life, which ends where it returns; @comm as above
 *
 * Everything before the call happens before @fn. Returns its CPU, or -EAGAIN where every CPU has a
 * task or the host has no thread left.
 */
int sim_thread_new(const char *comm, void (*fn)(void *arg), void *arg);

/*
 * sim_set_alone - from here on the calling task is the only one: no worker of a workqueue is made;
 * what is queued runs in the task that queued it, when its system call ends or when it waits. Equal
 * inputs then do equal things in the threads world too, and nothing waits for another thread.
 * Before the first work item is queued.
 */
void sim_set_alone(void);
bool sim_alone(void);

/*
 * A KVM object's per-CPU variables that are not alike on every CPU: called in each task that enters
 * a CPU of the threads world, with GS at its area.
 */
typedef void sim_cpu_up_fn(int cpu);
#define SIM_CPU_UP(fn)                              \
	static sim_cpu_up_fn *const sim_cpu_up_##fn \
		__attribute__((used, section("irqsim_cpu_up"))) = &(fn)

/* From where the template of per-CPU variables is to @cpu's copy. */
unsigned long sim_per_cpu_offset(int cpu);

/*
 * sim_init - bring the simulator up: memory, CPUs, RCU. Safe to call again; aborts with a message
 * on stderr where the machine cannot give what is needed (the fixed address range).
 */
void sim_init(void);

#endif
