// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/rcupdate.h: grace periods by cookie. There is one kind of them, so an expedited cookie is
 * like any other.
 */
#include <linux/rcupdate.h>

#include "grace.h"
#include "supply.h"
#include "world.h"

struct grace irqsim_rcu_grace = GRACE_INIT(irqsim_rcu_grace, &irqsim_rcu_grace, irqsim_rcu_wait);

static void cond_synchronize(unsigned long cookie)
{
	if (!grace_is_over(&irqsim_rcu_grace, cookie))
		synchronize_rcu();
}

#define COMPLETED 1UL

SUPPLY(unsigned long, get_completed_synchronize_rcu, void)
{
	return COMPLETED;
}

SUPPLY(unsigned long, get_state_synchronize_rcu, void)
{
	return grace_cookie(&irqsim_rcu_grace);
}

SUPPLY(unsigned long, start_poll_synchronize_rcu, void)
{
	return grace_start(&irqsim_rcu_grace, CALLER);
}

SUPPLY(unsigned long, start_poll_synchronize_rcu_expedited, void)
{
	return grace_start(&irqsim_rcu_grace, CALLER);
}

SUPPLY(bool, poll_state_synchronize_rcu, unsigned long cookie)
{
	return grace_is_over(&irqsim_rcu_grace, cookie);
}

SUPPLY(void, cond_synchronize_rcu, unsigned long cookie)
{
	cond_synchronize(cookie);
}

SUPPLY(void, cond_synchronize_rcu_expedited, unsigned long cookie)
{
	cond_synchronize(cookie);
}

/* The form with a state for each kind of grace period: both are the same number. */
static void fill(struct rcu_gp_oldstate *state, unsigned long cookie)
{
	state->rgos_norm = cookie;
	state->rgos_exp = cookie;
}

SUPPLY(void, get_completed_synchronize_rcu_full, struct rcu_gp_oldstate *state)
{
	fill(state, COMPLETED);
}

SUPPLY(void, get_state_synchronize_rcu_full, struct rcu_gp_oldstate *state)
{
	fill(state, grace_cookie(&irqsim_rcu_grace));
}

SUPPLY(void, start_poll_synchronize_rcu_full, struct rcu_gp_oldstate *state)
{
	fill(state, grace_start(&irqsim_rcu_grace, CALLER));
}

SUPPLY(void, start_poll_synchronize_rcu_expedited_full, struct rcu_gp_oldstate *state)
{
	fill(state, grace_start(&irqsim_rcu_grace, CALLER));
}

SUPPLY(bool, poll_state_synchronize_rcu_full, struct rcu_gp_oldstate *state)
{
	return grace_is_over(&irqsim_rcu_grace, state->rgos_norm);
}

SUPPLY(void, cond_synchronize_rcu_full, struct rcu_gp_oldstate *state)
{
	cond_synchronize(state->rgos_norm);
}

SUPPLY(void, cond_synchronize_rcu_expedited_full, struct rcu_gp_oldstate *state)
{
	cond_synchronize(state->rgos_norm);
}

void irqsim_rcu_synchronize(const void *caller)
{
	unsigned long number = grace_begins(&irqsim_rcu_grace);

	irqsim_rcu_wait(NULL, caller);
	grace_ended(&irqsim_rcu_grace, number);
}
