// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/spinlock.h, rwlock.h, mutex.h and seqlock.h, one task.
 */
#include <linux/mutex.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include <kcase.h>
#include <sim/report.h>
#include <sim/task.h>

static DEFINE_SPINLOCK(lock);
static DEFINE_RWLOCK(rwlock);
static DEFINE_MUTEX(mutex);

static void spinlock_states(void)
{
	unsigned long flags;

	KEXPECT(!spin_is_locked(&lock));
	spin_lock(&lock);
	KEXPECT(spin_is_locked(&lock));
	KEXPECT(!spin_trylock(&lock));
	spin_unlock(&lock);
	KEXPECT(spin_trylock(&lock));
	spin_unlock(&lock);
	spin_lock_irqsave(&lock, flags);
	KEXPECT(irqs_disabled());
	spin_unlock_irqrestore(&lock, flags);
	KEXPECT(!irqs_disabled());
	spin_lock_irq(&lock);
	KEXPECT(irqs_disabled());
	spin_unlock_irq(&lock);
	KEXPECT(!irqs_disabled());
}

static void irqsave_nests(void)
{
	static DEFINE_SPINLOCK(inner);
	unsigned long outer_flags, inner_flags;

	spin_lock_irqsave(&lock, outer_flags);
	spin_lock_irqsave(&inner, inner_flags);
	spin_unlock_irqrestore(&inner, inner_flags);
	KEXPECT(irqs_disabled());
	spin_unlock_irqrestore(&lock, outer_flags);
	KEXPECT(!irqs_disabled());
}

static void mutex_states(void)
{
	KEXPECT(!mutex_is_locked(&mutex));
	mutex_lock(&mutex);
	KEXPECT(mutex_is_locked(&mutex));
	mutex_unlock(&mutex);
	KEXPECT(mutex_trylock(&mutex));
	mutex_unlock(&mutex);
	KEXPECT_EQ(mutex_lock_killable(&mutex), 0);
	mutex_unlock(&mutex);
	KEXPECT(!mutex_is_locked(&mutex));
}

static void rwlock_states(void)
{
	read_lock(&rwlock);
	KEXPECT(read_trylock(&rwlock));
	KEXPECT(!write_trylock(&rwlock));
	read_unlock(&rwlock);
	KEXPECT(!write_trylock(&rwlock));
	read_unlock(&rwlock);
	KEXPECT(write_trylock(&rwlock));
	KEXPECT(!read_trylock(&rwlock));
	write_unlock(&rwlock);
	write_lock_irq(&rwlock);
	KEXPECT(irqs_disabled());
	write_unlock_irq(&rwlock);
	KEXPECT(!irqs_disabled());
}

static void seqcount_retries(void)
{
	seqcount_t count;
	unsigned int seq;

	seqcount_init(&count);
	seq = read_seqcount_begin(&count);
	KEXPECT(!read_seqcount_retry(&count, seq));
	seq = read_seqcount_begin(&count);
	preempt_disable();
	write_seqcount_begin(&count);
	KEXPECT(raw_read_seqcount(&count) & 1);
	write_seqcount_end(&count);
	preempt_enable();
	KEXPECT(read_seqcount_retry(&count, seq));
	seq = read_seqcount_begin(&count);
	KEXPECT(!read_seqcount_retry(&count, seq));
}

static void seqlock_excludes_writers(void)
{
	static DEFINE_SEQLOCK(sl);
	unsigned int seq = read_seqbegin(&sl);

	write_seqlock(&sl);
	KEXPECT(spin_is_locked(&sl.lock));
	write_sequnlock(&sl);
	KEXPECT(!spin_is_locked(&sl.lock));
	KEXPECT(read_seqretry(&sl, seq));
}

static void all_states_are_silent(void)
{
	spinlock_states();
	irqsave_nests();
	mutex_states();
	rwlock_states();
	seqcount_retries();
	seqlock_excludes_writers();
	KEXPECT_EQ(sim_kcase_any_report(), 0);
	KEXPECT_EQ(sim_self->nr_locks, 0);
	KEXPECT_EQ(sim_self->atomic_depth, 0);
	KEXPECT_EQ(sim_self->lockdep_depth, 0);
}

static void take_spinlock_twice(void)
{
	spin_lock(&lock);
	spin_lock(&lock);
	barrier(); /* no tail call: the report names this function */
}

static void spinlock_recursion(void)
{
	KEXPECT_EQ(sim_kcase_child(take_spinlock_twice, "BUG: spinlock recursion on CPU#0"), 1);
	KEXPECT_EQ(sim_kcase_child(take_spinlock_twice, "take_spinlock_twice+"), 1);
}

static void take_mutex_twice(void)
{
	mutex_lock(&mutex);
	mutex_lock(&mutex);
}

static void mutex_recursion(void)
{
	KEXPECT_EQ(sim_kcase_child(take_mutex_twice, "tried to take a mutex that it holds"), 1);
}

static int bad_unlocks(const char *function)
{
	return sim_kcase_reported(SIM_REPORT_LOCKDEP, "WARNING: bad unlock balance detected!",
				  function);
}

static void double_spin_unlock(void)
{
	spin_lock(&lock);
	spin_unlock(&lock);
	spin_unlock(&lock);
	KEXPECT_EQ(bad_unlocks(__func__), 1);
	spin_lock(&lock);
	spin_unlock(&lock);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

static void double_mutex_unlock(void)
{
	mutex_lock(&mutex);
	mutex_unlock(&mutex);
	mutex_unlock(&mutex);
	KEXPECT_EQ(bad_unlocks(__func__), 1);
	KEXPECT(!mutex_is_locked(&mutex));
}

static void rwlock_unlock_of_the_wrong_kind(void)
{
	read_lock(&rwlock);
	write_unlock(&rwlock);
	KEXPECT_EQ(bad_unlocks(__func__), 1);
	read_unlock(&rwlock);
	read_unlock(&rwlock);
	KEXPECT_EQ(bad_unlocks(__func__), 1);
	KEXPECT(write_trylock(&rwlock));
	write_unlock(&rwlock);
	KEXPECT_EQ(sim_kcase_any_report(), 0);
}

/* The bit that a writer sets while it waits for the reader that this task is. */
#define WRITER_WAITS 0x100

static void read_in_handler(void)
{
	read_lock(&rwlock);
	atomic_or(WRITER_WAITS, &rwlock.raw_lock.cnts);
	sim_self->in_hardirq = 1;
	read_lock(&rwlock);
	read_unlock(&rwlock);
	sim_self->in_hardirq = 0;
}

static void reader_in_handler_passes_waiting_writer(void)
{
	KEXPECT_EQ(sim_kcase_child(read_in_handler, NULL), 0);
	read_lock(&rwlock);
	atomic_or(WRITER_WAITS, &rwlock.raw_lock.cnts);
	KEXPECT(!read_trylock(&rwlock));
	atomic_andnot(WRITER_WAITS, &rwlock.raw_lock.cnts);
	KEXPECT(read_trylock(&rwlock));
	read_unlock(&rwlock);
	read_unlock(&rwlock);
}

KCASE_LIST(locks, KERNEL_CASE(spinlock_states), KERNEL_CASE(irqsave_nests),
	   KERNEL_CASE(mutex_states), KERNEL_CASE(rwlock_states), KERNEL_CASE(seqcount_retries),
	   KERNEL_CASE(seqlock_excludes_writers), SIM_CASE(all_states_are_silent),
	   SIM_CASE(spinlock_recursion), SIM_CASE(mutex_recursion), SIM_CASE(double_spin_unlock),
	   SIM_CASE(double_mutex_unlock), SIM_CASE(rwlock_unlock_of_the_wrong_kind),
	   SIM_CASE(reader_in_handler_passes_waiting_writer));
