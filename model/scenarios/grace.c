// SPDX-License-Identifier: GPL-2.0-only
/*
 * Small programs on grace periods: callbacks, cookies, sections that another task ends, and domains
 * whose readers do not sleep.
 */
#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/srcu.h>

#include "../../kernel-port/compat/srcu_atomic.h"
#include "programs.h"

struct thing {
	int value;
	struct rcu_head rcu;
};
static struct thing __rcu *published;
DEFINE_STATIC_SRCU(domain);
static struct srcu_struct atomic_domain;

static void setup(void)
{
	struct thing *t = kmalloc(sizeof(*t), GFP_KERNEL);

	t->value = 1;
	rcu_assign_pointer(published, t);
	DET_CHECK(!init_srcu_struct_atomic(&atomic_domain));
}

static struct thing *replace(void)
{
	struct thing *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL), *old;

	fresh->value = 2;
	old = rcu_dereference_protected(published, 1);
	rcu_assign_pointer(published, fresh);
	return old;
}

static void end(void)
{
	kfree(rcu_dereference_protected(published, 1));
	det_check_leaks();
}

static void free_thing(struct rcu_head *head)
{
	struct thing *t = container_of(head, struct thing, rcu);

	DET_CHECK(t->value == 1);
	kfree(t);
}

/* ---- RCU ---- */

static void rcu_reader(void)
{
	struct thing *t;

	rcu_read_lock();
	t = rcu_dereference(published);
	DET_CHECK(t->value == 1 || t->value == 2);
	rcu_read_unlock();
}

static void free_by_call_rcu(unsigned int n)
{
	if (n)
		rcu_reader();
	else
		call_rcu(&replace()->rcu, free_thing);
}

static void free_by_kfree_rcu(unsigned int n)
{
	struct thing *old;

	if (n) {
		rcu_reader();
		return;
	}
	old = replace();
	kfree_rcu(old, rcu);
}

static void free_after_barrier(unsigned int n)
{
	struct thing *old;

	if (n) {
		rcu_reader();
		return;
	}
	old = replace();
	call_rcu(&old->rcu, free_thing);
	rcu_barrier();
}

static void free_by_cookie(unsigned int n)
{
	unsigned long cookie;
	struct thing *old;

	if (n) {
		rcu_reader();
		return;
	}
	old = replace();
	cookie = start_poll_synchronize_rcu();
	if (!poll_state_synchronize_rcu(cookie))
		cond_synchronize_rcu(cookie);
	DET_CHECK(poll_state_synchronize_rcu(cookie));
	kfree(old);
}

/* The cookie is of before the old one could not be found any more. */
static void free_by_early_cookie(unsigned int n)
{
	unsigned long cookie;
	struct thing *old;

	if (n) {
		rcu_reader();
		return;
	}
	cookie = start_poll_synchronize_rcu();
	old = replace();
	cond_synchronize_rcu(cookie);
	kfree(old);
}

#define GRACE(id, title, about, fn, ...) \
	PROGRAM(id, title, about, 2, .setup = setup, .actor = fn, .final = end, __VA_ARGS__)

GRACE(rcu_call, "rcu-call", "call_rcu() against a reader", free_by_call_rcu);
GRACE(rcu_kfree, "rcu-kfree", "kfree_rcu() against a reader", free_by_kfree_rcu);
GRACE(rcu_barrier_program, "rcu-barrier", "call_rcu() and rcu_barrier() against a reader",
      free_after_barrier);
GRACE(rcu_poll, "rcu-poll", "an object freed when its cookie is over", free_by_cookie);
GRACE(rcu_poll_early, "rcu-poll-early", "the same with a cookie taken too early",
      free_by_early_cookie, .expects = "kcsan");

/* ---- SRCU ---- */

static int order[2], nr_called;

static void note_first(struct rcu_head *head)
{
	order[nr_called++] = 1;
}

static void note_second(struct rcu_head *head)
{
	order[nr_called++] = 2;
}

static struct rcu_head first, second;

static void two_callbacks(unsigned int n)
{
	int idx;

	if (n) {
		idx = srcu_read_lock(&domain);
		srcu_read_unlock(&domain, idx);
		return;
	}
	nr_called = 0;
	call_srcu(&domain, &first, note_first);
	call_srcu(&domain, &second, note_second);
	srcu_barrier(&domain);
	DET_CHECK(nr_called == 2 && order[0] == 1 && order[1] == 2);
}

static int srcu_reader(void)
{
	struct thing *t;
	int idx = srcu_read_lock(&domain);

	t = srcu_dereference(published, &domain);
	DET_CHECK(t->value == 1 || t->value == 2);
	srcu_read_unlock(&domain, idx);
	return 0;
}

static void srcu_by_cookie(unsigned int n)
{
	unsigned long cookie;
	struct thing *old;

	if (n) {
		srcu_reader();
		return;
	}
	old = replace();
	cookie = get_state_synchronize_srcu(&domain);
	if (!poll_state_synchronize_srcu(&domain, cookie))
		synchronize_srcu(&domain);
	DET_CHECK(poll_state_synchronize_srcu(&domain, cookie));
	kfree(old);
}

/* The section goes on in another task, and so does the use of what it protects. */
static struct thing *handed_over;
static int handed_idx;
static DECLARE_COMPLETION(handed);

static void hand_over(unsigned int n)
{
	struct thing *old;

	switch (n) {
	case 0:
		old = replace();
		synchronize_srcu(&domain);
		kfree(old);
		break;
	case 1:
		handed_idx = srcu_down_read(&domain);
		handed_over = srcu_dereference_check(published, &domain, 1);
		complete(&handed);
		break;
	default:
		wait_for_completion(&handed);
		DET_CHECK(handed_over->value);
		srcu_up_read(&domain, handed_idx);
	}
}

static void setup_handed(void)
{
	setup();
	reinit_completion(&handed);
}

GRACE(srcu_order, "srcu-callbacks", "call_srcu() twice, in order, and srcu_barrier()",
      two_callbacks);
GRACE(srcu_poll, "srcu-poll", "an object freed when its cookie of a domain is over",
      srcu_by_cookie);
PROGRAM(srcu_handed, "srcu-down-read", "a section that ends in another task", 3,
	.setup = setup_handed, .actor = hand_over, .final = end);

/* ---- atomic domains ---- */

static void atomic_free(unsigned int n)
{
	struct thing *t;
	int idx;

	if (n) {
		preempt_disable();
		idx = srcu_read_lock(&atomic_domain);
		t = srcu_dereference(published, &atomic_domain);
		DET_CHECK(t->value == 1 || t->value == 2);
		srcu_read_unlock(&atomic_domain, idx);
		preempt_enable();
		return;
	}
	t = replace();
	preempt_disable(); /* where synchronize_srcu() could not be called */
	synchronize_srcu_atomic(&atomic_domain);
	preempt_enable();
	kfree(t);
}

static void atomic_sleeps(unsigned int n)
{
	int idx;

	preempt_disable();
	idx = srcu_read_lock(&atomic_domain);
	might_sleep();
	srcu_read_unlock(&atomic_domain, idx);
	preempt_enable();
}

static void atomic_preemptible(unsigned int n)
{
	int idx = srcu_read_lock(&atomic_domain);

	srcu_read_unlock(&atomic_domain, idx);
}

static void atomic_own_reader(unsigned int n)
{
	int idx;

	preempt_disable();
	idx = srcu_read_lock(&atomic_domain);
	synchronize_srcu_atomic(&atomic_domain);
	srcu_read_unlock(&atomic_domain, idx);
	preempt_enable();
}

static void atomic_polled(unsigned int n)
{
	start_poll_synchronize_srcu(&atomic_domain);
}

static void not_atomic(unsigned int n)
{
	synchronize_srcu_atomic(&domain);
}

#define MISUSE(id, title, about, fn, kind) \
	PROGRAM(id, title, about, 1, .setup = setup, .actor = fn, .expects = kind)

GRACE(srcu_atomic, "srcu-atomic", "synchronize_srcu_atomic() in atomic context against a reader",
      atomic_free);
MISUSE(srcu_atomic_sleeps, "srcu-atomic-sleeps", "a reader of an atomic domain sleeps",
       atomic_sleeps, "atomic-sleep");
MISUSE(srcu_atomic_preemptible, "srcu-atomic-preemptible",
       "a reader of an atomic domain that can be preempted", atomic_preemptible, "rcu");
MISUSE(srcu_atomic_reader, "srcu-atomic-own-reader",
       "a reader of an atomic domain waits for its grace period", atomic_own_reader, "rcu");
MISUSE(srcu_atomic_polled, "srcu-atomic-polled", "polling an atomic domain", atomic_polled, "rcu");
MISUSE(srcu_atomic_other, "srcu-atomic-other",
       "synchronize_srcu_atomic() of a domain that is not atomic", not_atomic, "rcu");
