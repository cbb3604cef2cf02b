// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events from a hard timer, which cannot map a page nor wait for a lock.
 */
#include "race.h"

static void setup(void)
{
	race_setup();
	race_vcpu->arch.xen.timer_virq = RACE_PORT;
}

/* Whatever was mapped when it fired, the vCPU sees the event: now or when it looks. */
static void fire_or_migrate(unsigned int n)
{
	if (n) {
		user_migrate(GPC_SHINFO);
		return;
	}
	kvm_xen_start_timer(race_vcpu, 1000, 1000);
}

static void has_fired(void)
{
	kvm_xen_inject_timer_irqs(race_vcpu);
	DET_CHECK(!race_vcpu->arch.xen.timer_expires);
	DET_CHECK(race_delivered());
	race_end();
}

RACE(timer_migrate, "gpc-timer-migrate", "a hard timer raises an event while its page is migrated",
     2, .setup = setup, .actor = fire_or_migrate, .final = has_fired);

/* The timer's state is asked for, with the Xen lock, after it fired and could not deliver. */
static void fire_and_get(unsigned int n)
{
	user_protect(GPC_SHINFO);
	kvm_xen_start_timer(race_vcpu, 1000, 1000);
	kvm_xen_timer_get(race_vcpu);
}

RACE(timer_get, "gpc-timer-get", "the timer is asked for when it could not deliver", 1,
     .setup = setup, .actor = fire_and_get, .final = race_end);
