/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How simulated kernel code waits, and RCU, in the threads world. The kernel side's locks are built
 * on these; in the det world the same calls end in its scheduler.
 */
#ifndef SIM_SYNC_H
#define SIM_SYNC_H

#include <stdint.h>

/* One more turn of a spin loop, the @turn-th: pause, later sched_yield(). */
void sim_spin_wait(unsigned int turn);

/* Sleep while *@word is @value; may return early. Wake all that sleep on @word. Futex semantics. */
void sim_wait_on(const uint32_t *word, uint32_t value);
void sim_wake_all(const uint32_t *word);
/* The same until sim_clock_ns() is @deadline, nanoseconds. */
void sim_wait_on_until(const uint32_t *word, uint32_t value, uint64_t deadline);

/* The host's monotonic clock. For timers of the threads world only. */
uint64_t sim_clock_ns(void);

/*
 * SRCU: for each domain two indices of per-CPU counters, lock and unlock apart, as the kernel's
 * Tree SRCU has them (kernel/rcu/srcutree.c). liburcu itself has no domains, and its
 * synchronize_rcu() inside any reader would hang; only its atomics and barriers are used here.
 *
 * read_lock: full barrier after the count. read_unlock: full barrier before it. synchronize:
 * returns after every read section that began before the call has ended; full barrier at both ends.
 * Any thread may unlock what another locked. Contexts are the caller's business
 * (sim/kernel/srcu.c).
 */
struct sim_srcu;
struct sim_srcu *sim_srcu_new(void); /* NULL without memory */
void sim_srcu_delete(struct sim_srcu *srcu);
int sim_srcu_read_lock(struct sim_srcu *srcu); /* 0 or 1: the index for unlock */
void sim_srcu_read_unlock(struct sim_srcu *srcu, int idx);
void sim_srcu_synchronize(struct sim_srcu *srcu);
uint64_t sim_srcu_readers(struct sim_srcu *srcu); /* read sections open now */

/* RCU: liburcu, memb flavour. Ordering as its documentation says for urcu_memb_*. */
void sim_rcu_read_lock(void);
void sim_rcu_read_unlock(void);
void sim_rcu_synchronize(void); /* hangs inside a reader; the kernel side reports that first */

/*
 * Queue @func(@head) for after a grace period. It runs in the task that next calls
 * sim_rcu_run_callbacks(); the kernel side does so when a system call returns.
 * @head: two words of the caller's, as the kernel's struct rcu_head.
 */
void sim_rcu_call(void *head, void (*func)(void *head));
void sim_rcu_run_callbacks(void); /* cheap when none is queued */

/* Every callback queued before has run, whoever took it. Not from a callback. */
void sim_rcu_barrier(void);

#endif
