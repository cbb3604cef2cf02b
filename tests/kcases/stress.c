// SPDX-License-Identifier: GPL-2.0-only
/*
 * The locks on four CPUs that really run at once: a plain counter comes out exact, and every CPU
 * gets its turns.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>

#include <kcase.h>
#include <sim/sync.h>

#define NR_CPUS_USED 4
#define TURNS	     5000

/* Two that must agree whenever nobody writes; nothing but the lock orders them. */
static unsigned long count, twin;
static atomic_t bad;

static void start(void)
{
	count = 0;
	twin = 0;
	atomic_set(&bad, 0);
}

static void add_one(void)
{
	unsigned long was = READ_ONCE(count);

	if (READ_ONCE(twin) != was)
		atomic_inc(&bad);
	WRITE_ONCE(count, was + 1);
	cpu_relax();
	WRITE_ONCE(twin, was + 1);
}

static void look(void)
{
	unsigned long was = READ_ONCE(count);

	cpu_relax();
	if (READ_ONCE(twin) != was)
		atomic_inc(&bad);
}

static void finish(unsigned long turns)
{
	KEXPECT_EQ(count, turns);
	KEXPECT_EQ(twin, turns);
	KEXPECT_EQ(atomic_read(&bad), 0);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static DEFINE_SPINLOCK(spin);

static void spin_turns(void)
{
	unsigned long flags;
	int i;

	for (i = 0; i < TURNS; i++) {
		spin_lock_irqsave(&spin, flags);
		add_one();
		spin_unlock_irqrestore(&spin, flags);
	}
}

static void spinlock_excludes(void)
{
	start();
	sim_kcase_on_cpus(NR_CPUS_USED, spin_turns);
	finish(NR_CPUS_USED * TURNS);
}

static DEFINE_MUTEX(mutex);

static void mutex_turns(void)
{
	int i, j;

	for (i = 0; i < TURNS; i++) {
		mutex_lock(&mutex);
		add_one();
		/* Now and then so long that the others go to sleep. */
		for (j = 0; i % 50 == 0 && j < 5000; j++)
			cpu_relax();
		mutex_unlock(&mutex);
	}
}

static void mutex_excludes(void)
{
	start();
	sim_kcase_on_cpus(NR_CPUS_USED, mutex_turns);
	finish(NR_CPUS_USED * TURNS);
}

static DEFINE_RWLOCK(rwlock);

static void rwlock_turns(void)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		if (i % 4 == 0) {
			write_lock(&rwlock);
			add_one();
			write_unlock(&rwlock);
		} else {
			read_lock(&rwlock);
			look();
			read_unlock(&rwlock);
		}
	}
}

static void rwlock_excludes(void)
{
	start();
	sim_kcase_on_cpus(NR_CPUS_USED, rwlock_turns);
	finish(NR_CPUS_USED * TURNS / 4);
}

static DEFINE_SEQLOCK(seqlock);

static void seqlock_turns(void)
{
	unsigned long a, b;
	unsigned int seq;
	int i;

	for (i = 0; i < TURNS; i++) {
		if (i % 4 == 0) {
			write_seqlock(&seqlock);
			add_one();
			write_sequnlock(&seqlock);
			continue;
		}
		do {
			seq = read_seqbegin(&seqlock);
			a = READ_ONCE(count);
			cpu_relax();
			b = READ_ONCE(twin);
		} while (read_seqretry(&seqlock, seq));
		if (a != b)
			atomic_inc(&bad);
	}
}

static void seqlock_readers_see_whole_writes(void)
{
	start();
	sim_kcase_on_cpus(NR_CPUS_USED, seqlock_turns);
	finish(NR_CPUS_USED * TURNS / 4);
}

/* ---- a table that is replaced under its readers, as routing is ---- */

struct table {
	int value, same;
};

DEFINE_STATIC_SRCU(domain);
static struct table __rcu *current_table;

static void read_table(void)
{
	int idx = srcu_read_lock(&domain), i;
	struct table *t = srcu_dereference(current_table, &domain);

	for (i = 0; i < 20; i++)
		if (READ_ONCE(t->value) != READ_ONCE(t->same))
			atomic_inc(&bad);
	srcu_read_unlock(&domain, idx);
}

static void replace_table(int value)
{
	struct table *new = kmalloc(sizeof(*new), GFP_KERNEL), *old;

	new->value = new->same = value;
	mutex_lock(&mutex);
	old = rcu_replace_pointer(current_table, new, lockdep_is_held(&mutex));
	mutex_unlock(&mutex);
	synchronize_srcu_expedited(&domain);
	WRITE_ONCE(old->value, -1); /* for a reader that is still in it */
	kfree(old);
}

static void table_turns(void)
{
	int i;

	for (i = 0; i < TURNS / 5; i++) {
		if (i % 10 == 0)
			replace_table(i);
		else
			read_table();
	}
}

static void readers_see_whole_tables(void)
{
	struct table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	start();
	rcu_assign_pointer(current_table, t);
	sim_kcase_on_cpus(NR_CPUS_USED, table_turns);
	finish(0);
	kfree(rcu_dereference_protected(current_table, true));
	RCU_INIT_POINTER(current_table, NULL);
}

struct late {
	struct rcu_head rcu;
	int alive;
};

static struct late __rcu *late;

static void kfree_rcu_turns(void)
{
	struct late *old;
	int i;

	for (i = 0; i < 300; i++) {
		struct late *new = kzalloc(sizeof(*new), GFP_KERNEL);

		new->alive = 1;
		rcu_read_lock();
		old = rcu_dereference(late);
		if (old && READ_ONCE(old->alive) != 1)
			atomic_inc(&bad);
		rcu_read_unlock();
		old = unrcu_pointer(xchg(&late, RCU_INITIALIZER(new)));
		if (old)
			kfree_rcu(old, rcu);
		if (i % 50 == 0)
			sim_rcu_run_callbacks();
	}
}

/* Each is freed, once, and none under a reader; freed memory is poisoned. */
static void kfree_rcu_from_all_cpus(void)
{
	start();
	sim_kcase_on_cpus(NR_CPUS_USED, kfree_rcu_turns);
	kfree(rcu_dereference_protected(late, true));
	RCU_INIT_POINTER(late, NULL);
	sim_rcu_run_callbacks();
	finish(0);
}

KCASE_LIST(stress, SIM_CASE(spinlock_excludes), SIM_CASE(mutex_excludes), SIM_CASE(rwlock_excludes),
	   SIM_CASE(seqlock_readers_see_whole_writes), SIM_CASE(readers_see_whole_tables),
	   SIM_CASE(kfree_rcu_from_all_cpus));
