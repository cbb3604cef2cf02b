// SPDX-License-Identifier: GPL-2.0-only
/*
 * RCU and SRCU: a section either ends before a grace period does, and the updater then sees what it
 * did, or begins after the grace period began, and sees what the updater had done
 * (explanation.txt, "RCU RELATIONS"; SRCU likewise, for sections of the same domain).
 */
#include <linux/cache.h>
#include <linux/rcupdate.h>
#include <linux/srcu.h>
#include <asm/barrier.h>

#include "litmus.h"

static int x ____cacheline_aligned, y ____cacheline_aligned, z ____cacheline_aligned;
static int *pointer ____cacheline_aligned;
DEFINE_SRCU(domain);
DEFINE_SRCU(other_domain);

static void clear(void)
{
	x = y = z = 0;
}

/* The same with both: ENTER, LEAVE and WAIT are the primitives */
#define RCU_ENTER()	 rcu_read_lock()
#define RCU_LEAVE()	 rcu_read_unlock()
#define RCU_WAIT()	 synchronize_rcu()
#define RCU_EXP_ENTER()	 rcu_read_lock()
#define RCU_EXP_LEAVE()	 rcu_read_unlock()
#define RCU_EXP_WAIT()	 synchronize_rcu_expedited()
#define SRCU_ENTER()	 int idx = srcu_read_lock(&domain)
#define SRCU_LEAVE()	 srcu_read_unlock(&domain, idx)
#define SRCU_WAIT()	 synchronize_srcu(&domain)
#define SRCU_EXP_ENTER() SRCU_ENTER()
#define SRCU_EXP_LEAVE() SRCU_LEAVE()
#define SRCU_EXP_WAIT()	 synchronize_srcu_expedited(&domain)

#define PROGRAMS(how, name)                                                                      \
	/* RCU+sync+read: a section does not see one store from before a grace period stale    \
	 * and one from after it */ \
	static void how##_read(void)                                                             \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int r0 = READ_ONCE(x), r1 = READ_ONCE(y);                                        \
                                                                                                 \
		how##_LEAVE();                                                                   \
		litmus_out(0, r0);                                                               \
		litmus_out(1, r1);                                                               \
	}                                                                                        \
	static void how##_update(void)                                                           \
	{                                                                                        \
		WRITE_ONCE(x, 1);                                                                \
		how##_WAIT();                                                                    \
		WRITE_ONCE(y, 1);                                                                \
	}                                                                                        \
	LITMUS(how##_sync_read, name "+sync+read", 2, 2, clear, { how##_read, how##_update },    \
	       .sc = "00 10 11");                                                                \
                                                                                                 \
	/* SB: the section's store comes first */                                                \
	static void how##_sb_reader(void)                                                        \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int r;                                                                           \
                                                                                                 \
		WRITE_ONCE(y, 1);                                                                \
		r = READ_ONCE(x);                                                                \
		how##_LEAVE();                                                                   \
		litmus_out(1, r);                                                                \
	}                                                                                        \
	static void how##_sb_updater(void)                                                       \
	{                                                                                        \
		int r;                                                                           \
                                                                                                 \
		WRITE_ONCE(x, 1);                                                                \
		how##_WAIT();                                                                    \
		r = READ_ONCE(y);                                                                \
		litmus_out(0, r);                                                                \
	}                                                                                        \
	LITMUS(how##_sb, "SB+" name, 2, 2, clear, { how##_sb_updater, how##_sb_reader },         \
	       .sc = "01 10 11");                                                                \
                                                                                                 \
	/* and its load first: what a section that did not see x did is seen */                  \
	static void how##_load_first(void)                                                       \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int r = READ_ONCE(x);                                                            \
                                                                                                 \
		WRITE_ONCE(y, 1);                                                                \
		how##_LEAVE();                                                                   \
		litmus_out(1, r);                                                                \
	}                                                                                        \
	LITMUS(how##_load, "SB+" name "+load-first", 2, 2, clear,                                \
	       { how##_sb_updater, how##_load_first }, .sc = "01 10 11");                        \
                                                                                                 \
	/* Plain data written in a section that began before: seen, and no race */               \
	static void how##_leave_data(void)                                                       \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int r = READ_ONCE(x);                                                            \
                                                                                                 \
		if (!r)                                                                          \
			z = 1;                                                                   \
		how##_LEAVE();                                                                   \
		litmus_out(0, r);                                                                \
	}                                                                                        \
	static void how##_collect(void)                                                          \
	{                                                                                        \
		WRITE_ONCE(x, 1);                                                                \
		how##_WAIT();                                                                    \
		litmus_out(1, z);                                                                \
	}                                                                                        \
	LITMUS(how##_before, name "+section-before", 2, 2, clear,                                \
	       { how##_leave_data, how##_collect }, .sc = "01 10");                              \
                                                                                                 \
	/* Plain data written before the grace period, read in a section that began after */     \
	static void how##_after_reader(void)                                                     \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int r = smp_load_acquire(&y);                                                    \
                                                                                                 \
		litmus_out(0, r);                                                                \
		litmus_out(1, r ? z : 2);                                                        \
		how##_LEAVE();                                                                   \
	}                                                                                        \
	static void how##_after_updater(void)                                                    \
	{                                                                                        \
		z = 1;                                                                           \
		how##_WAIT();                                                                    \
		WRITE_ONCE(y, 1);                                                                \
	}                                                                                        \
	LITMUS(how##_after, name "+section-after", 2, 2, clear,                                  \
	       { how##_after_reader, how##_after_updater }, .sc = "02 11");                      \
                                                                                                 \
	/* RCU+sync+free: a pointer is good until its section ends, and plain reads of what it \
	 * leads to do not race with its reuse */ \
	static void how##_use(void)                                                              \
	{                                                                                        \
		how##_ENTER();                                                                   \
		int *p = READ_ONCE(pointer);                                                     \
                                                                                                 \
		litmus_out(0, p == &y);                                                          \
		litmus_out(1, *p);                                                               \
		how##_LEAVE();                                                                   \
	}                                                                                        \
	static void how##_reuse(void)                                                            \
	{                                                                                        \
		y = 2;                                                                           \
		rcu_assign_pointer(pointer, &y);                                                 \
		how##_WAIT();                                                                    \
		x = 9;                                                                           \
	}                                                                                        \
	LITMUS(how##_free, name "+sync+free", 2, 2, publish_x, { how##_use, how##_reuse },       \
	       .sc = "01 12")

static void publish_x(void)
{
	x = 1;
	y = 0;
	pointer = &x;
}

PROGRAMS(RCU, "RCU");
PROGRAMS(RCU_EXP, "RCU-expedited");
PROGRAMS(SRCU, "SRCU");
PROGRAMS(SRCU_EXP, "SRCU-expedited");

/* Reuse without the wait */
static void reuse_at_once(void)
{
	y = 2;
	rcu_assign_pointer(pointer, &y);
	x = 9;
}
LITMUS(no_wait, "RCU+free-without-sync", 2, 2, publish_x, { RCU_use, reuse_at_once },
       .race = LITMUS_RACE);

/* ---- publishing a pointer ---- */

static int object ____cacheline_aligned;
static int __rcu *published ____cacheline_aligned;

static void unpublish(void)
{
	object = 0;
	RCU_INIT_POINTER(published, NULL);
}

static void assign(void)
{
	object = 1;
	rcu_assign_pointer(published, (int __rcu *)&object);
}

static void assign_plain(void)
{
	object = 1;
	*(int **)&published = &object;
}

static void assign_once(void)
{
	object = 1;
	WRITE_ONCE(published, (int __rcu *)&object);
}

static void out_object(const int *p)
{
	litmus_out(0, !!p);
	litmus_out(1, p ? *p : 2);
}

static void deref(void)
{
	rcu_read_lock();
	out_object((int *)rcu_dereference(published));
	rcu_read_unlock();
}

static void srcu_deref(void)
{
	int idx = srcu_read_lock(&domain);

	out_object((int *)srcu_dereference(published, &domain));
	srcu_read_unlock(&domain, idx);
}

static void deref_once(void)
{
	out_object((int *)READ_ONCE(published));
}

static void deref_plain(void)
{
	rcu_read_lock();
	out_object(*(int **)&published);
	rcu_read_unlock();
}
/* MP+onceassign+derefonce: an address dependency is all the reader needs */
LITMUS(mp_rcu, "MP+onceassign+derefonce", 2, 2, unpublish, { assign, deref }, .sc = "02 11");
LITMUS(mp_srcu, "MP+assign+srcu-dereference", 2, 2, unpublish, { assign, srcu_deref },
       .sc = "02 11");
LITMUS(mp_dependency, "MP+assign+addr", 2, 2, unpublish, { assign, deref_once }, .sc = "02 11");
LITMUS(mp_assign_plain, "MP+plain-assign+deref", 2, 2, unpublish, { assign_plain, deref },
       .race = LITMUS_RACE);
LITMUS(mp_assign_once, "MP+once-assign+deref", 2, 2, unpublish, { assign_once, deref },
       .sc = "02 11", .race = LITMUS_RACE);
LITMUS(mp_deref_plain, "MP+assign+plain-deref", 2, 2, unpublish, { assign, deref_plain },
       .race = LITMUS_RACE);

/* ---- RCU gives no order where there is no grace period ---- */

static void sb_section_0(void)
{
	int r;

	WRITE_ONCE(x, 1);
	rcu_read_lock();
	r = READ_ONCE(y);
	rcu_read_unlock();
	litmus_out(0, r);
}

static void sb_section_1(void)
{
	int r;

	WRITE_ONCE(y, 1);
	rcu_read_lock();
	r = READ_ONCE(x);
	rcu_read_unlock();
	litmus_out(1, r);
}
LITMUS(sb_sections, "SB+rcu-sections", 2, 2, clear, { sb_section_0, sb_section_1 },
       .sc = "01 10 11", .tso = "00", .missed = "00" /* a section's begin empties the buffer */);

/* ---- domains, nesting ---- */

static void wait_for_other(void)
{
	WRITE_ONCE(x, 1);
	synchronize_srcu(&other_domain);
	WRITE_ONCE(y, 1);
}
LITMUS(domains, "SRCU+two-domains", 2, 2, clear, { SRCU_read, wait_for_other },
       .sc = "00 01 10 11");

static void in_both(void)
{
	int a = srcu_read_lock(&domain), b = srcu_read_lock(&other_domain), r0, r1;

	r0 = READ_ONCE(x);
	srcu_read_unlock(&domain, a);
	r1 = READ_ONCE(y);
	srcu_read_unlock(&other_domain, b);
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(domains_both, "SRCU+in-two-domains+sync-of-the-outer", 2, 2, clear,
       { in_both, wait_for_other }, .sc = "00 10 11");
LITMUS(domains_inner, "SRCU+in-two-domains+sync-of-the-one-left", 2, 2, clear,
       { in_both, SRCU_update }, .sc = "00 01 10 11");

static void nested(void)
{
	int a = srcu_read_lock(&domain), b, r0, r1;

	b = srcu_read_lock(&domain);
	r0 = READ_ONCE(x);
	srcu_read_unlock(&domain, b);
	r1 = READ_ONCE(y);
	srcu_read_unlock(&domain, a);
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(srcu_nested, "SRCU+nested", 2, 2, clear, { nested, SRCU_update }, .sc = "00 10 11");

/* The second section may begin after the grace period did: it does not have to wait for that one */
static void overlapping(void)
{
	int a = srcu_read_lock(&domain), b, r0, r1;

	r0 = READ_ONCE(x);
	b = srcu_read_lock(&domain);
	srcu_read_unlock(&domain, a);
	r1 = READ_ONCE(y);
	srcu_read_unlock(&domain, b);
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(srcu_overlapping, "SRCU+overlapping", 2, 2, clear, { overlapping, SRCU_update },
       .sc = "00 01 10 11",
       .missed = "01" /* a task's sections of one domain end with the last of them */);

static void rcu_nested(void)
{
	int r0, r1;

	rcu_read_lock();
	rcu_read_lock();
	r0 = READ_ONCE(x);
	rcu_read_unlock();
	r1 = READ_ONCE(y);
	rcu_read_unlock();
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(rcu_nested_program, "RCU+nested", 2, 2, clear, { rcu_nested, RCU_update }, .sc = "00 10 11");

static void twice(void)
{
	int r0, r1;

	rcu_read_lock();
	r0 = READ_ONCE(x);
	rcu_read_unlock();
	rcu_read_lock();
	r1 = READ_ONCE(y);
	rcu_read_unlock();
	litmus_out(0, r0);
	litmus_out(1, r1);
}
LITMUS(rcu_twice, "RCU+two-sections", 2, 2, clear, { twice, RCU_update }, .sc = "00 01 10 11");

/* ---- an index handed to another task: one section, begun here and ended there ---- */

static int handed ____cacheline_aligned;

static void hand_clear(void)
{
	clear();
	handed = 0;
}

static void down(void)
{
	int idx = srcu_down_read(&domain), r0 = READ_ONCE(x);

	smp_store_release(&handed, idx + 1);
	litmus_out(0, r0);
}

static void up(void)
{
	int idx = smp_cond_load_acquire(&handed, VAL) - 1, r1 = READ_ONCE(y);

	srcu_up_read(&domain, idx);
	litmus_out(1, r1);
}
LITMUS(srcu_handed, "SRCU+handed-on", 3, 2, hand_clear, { down, up, SRCU_update },
       .sc = "00 10 11");

/* Two grace periods of one domain at once */
static void update_back(void)
{
	int r;

	WRITE_ONCE(y, 1);
	synchronize_srcu(&domain);
	r = READ_ONCE(x);
	litmus_out(1, r);
}
LITMUS(srcu_two_updaters, "SB+synchronize_srcu+synchronize_srcu", 2, 2, clear,
       { SRCU_sb_updater, update_back }, .sc = "01 10 11");
