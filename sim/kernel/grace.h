/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What RCU and SRCU have around their grace periods: callbacks, run by a task of the domain's own,
 * and cookies to ask by whether a grace period has passed.
 *
 * Grace periods are numbered where they begin. A cookie is the number of the next one to begin, and
 * is over when that or a later one has ended. Cookies are counted in steps of 4: 1 is the kernel's
 * for "over already" (RCU_GET_STATE_COMPLETED).
 */
#ifndef SIM_KERNEL_GRACE_H
#define SIM_KERNEL_GRACE_H

#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#define GRACE_STEP 4UL

struct grace {
	const void *domain;				/* NULL: free */
	void (*wait)(void *domain, const void *caller); /* for one grace period */
	bool used;					/* somebody looks at the numbers */
	bool has_task;
	struct task_struct *task;
	raw_spinlock_t lock;
	struct rcu_head *first, *last;
	unsigned long queued, done; /* callbacks */
	unsigned long begun, ended; /* grace periods, in steps */
	unsigned long wanted;	    /* the number that somebody asked to be driven to */
	wait_queue_head_t all_done;
};

#define GRACE_INIT(name, domain_, wait_)                                                           \
	{                                                                                          \
		.domain = (domain_), .wait = (wait_), .lock = __RAW_SPIN_LOCK_UNLOCKED(name.lock), \
		.all_done = __WAIT_QUEUE_HEAD_INITIALIZER(name.all_done),                          \
	}

/* The number of a grace period that begins, 0 where nobody looks; and its end. */
unsigned long grace_begins(struct grace *g);
void grace_ended(struct grace *g, unsigned long number);

/* @func may be what kfree_rcu() makes of it: the head's place in its object. */
void grace_call(struct grace *g, struct rcu_head *head, rcu_callback_t func, const void *caller);
void grace_barrier(struct grace *g);

unsigned long grace_cookie(struct grace *g);
unsigned long grace_start(struct grace *g, const void *caller);
bool grace_is_over(struct grace *g, unsigned long cookie);

extern struct grace irqsim_rcu_grace; /* rcu_poll.c */

/* One grace period, which nobody counts (rcupdate.c, srcu.c) ... */
void irqsim_rcu_wait(void *domain, const void *caller);
void irqsim_srcu_wait(void *domain, const void *caller);
/* ... or those who have cookies come to know of. */
void irqsim_rcu_synchronize(const void *caller);
void irqsim_srcu_synchronize(void *domain, const void *caller);

/* synchronize_rcu() in the name of @what (synchronize.c). */
void rcu_synchronize(const char *what, const void *caller);

bool irqsim_srcu_is_atomic(const void *domain);

/* SRCU domains that have one (srcu_poll.c). NULL: nobody asked yet. */
struct grace *grace_of_srcu(const void *domain);
/* It goes, and its grace with it; false while callbacks wait. */
bool grace_of_srcu_gone(const void *domain);

#endif
