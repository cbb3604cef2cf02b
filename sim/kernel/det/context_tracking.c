// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux/context_tracking.h: user and guest mode are extended quiescent states, in which RCU does
 * not watch. Tracking is on, as with nohz_full. The state is the context's; its CPU's variable
 * follows it where contexts take turns (context.c).
 */
#include <linux/context_tracking.h>
#include <linux/rcupdate.h>

#include <sim/report.h>
#include <sim/task.h>

#include "../supply.h"
#include "context_tracking.h"

struct static_key_false context_tracking_key = { .key = STATIC_KEY_INIT_TRUE };
DEFINE_PER_CPU(struct context_tracking, context_tracking) = {
	.active = true,
	.state = ATOMIC_INIT(CT_RCU_WATCHING),
};

int irqsim_tracking_set(int eqs)
{
	int was = raw_cpu_read(context_tracking.state.counter);
	int state = eqs ? eqs : CT_RCU_WATCHING;

	if (unlikely(was != state))
		raw_cpu_write(context_tracking.state.counter, state);
	return was & CT_RCU_WATCHING ? 0 : was;
}

static void wrong(const char *how, enum ctx_state state, const void *caller)
{
	sim_report(SIM_REPORT_RCU, caller,
		   "WARNING: at %s()\n"
		   "%s/%d, in state %d, %s",
		   how, sim_self->comm, sim_self->pid, sim_self->in_eqs,
		   state == CT_STATE_GUEST ? "guest mode" : "user mode");
}

static void enter(enum ctx_state state, const void *caller)
{
	struct sim_task *t = sim_self;

	if (unlikely(t->in_eqs || !t->irqs_off))
		wrong("__ct_user_enter", state, caller);
	if (unlikely(t->rcu_depth && !sim_report_again(SIM_REPORT_RCU, caller)))
		sim_report(SIM_REPORT_RCU, caller,
			   "WARNING: suspicious RCU usage\n"
			   "Illegal context switch in RCU read-side critical section!\n"
			   "%s/%d leaves the kernel inside a read section, RCU nest depth: %d",
			   t->comm, t->pid, t->rcu_depth);
	t->in_eqs = state;
	irqsim_tracking_set(t->in_eqs);
}

static void leave(enum ctx_state state, const void *caller)
{
	struct sim_task *t = sim_self;

	if (unlikely(t->in_eqs != state || !t->irqs_off))
		wrong("__ct_user_exit", state, caller);
	t->in_eqs = 0;
	irqsim_tracking_set(t->in_eqs);
}

SUPPLY(void, __ct_user_enter, enum ctx_state state)
{
	enter(state, CALLER);
}

SUPPLY(void, __ct_user_exit, enum ctx_state state)
{
	leave(state, CALLER);
}

/* These may be called with interrupts on. */
SUPPLY(void, ct_user_enter, enum ctx_state state)
{
	unsigned long flags = arch_local_irq_save();

	enter(state, CALLER);
	arch_local_irq_restore(flags);
}

SUPPLY(void, ct_user_exit, enum ctx_state state)
{
	unsigned long flags = arch_local_irq_save();

	leave(state, CALLER);
	arch_local_irq_restore(flags);
}

SUPPLY(bool, rcu_is_watching, void)
{
	return !sim_self->in_eqs;
}

/* What guest entry tells RCU where nothing tracks: a quiescent state, so no read section. */
SUPPLY(void, rcu_note_context_switch, bool preempt)
{
	if (unlikely(!preempt && sim_self->rcu_depth))
		sim_report(SIM_REPORT_RCU, CALLER,
			   "WARNING: Voluntary context switch within RCU read-side critical "
			   "section!\n"
			   "%s/%d, RCU nest depth: %d",
			   sim_self->comm, sim_self->pid, sim_self->rcu_depth);
}
