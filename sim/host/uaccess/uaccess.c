// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies that survive a bad address. The copy is one instruction, rep movsb, at a known place: a
 * SIGSEGV or SIGBUS there resumes behind it, with the bytes not copied left in RCX. Any other fault
 * goes to the handler that was there before.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <ucontext.h>

#include <sim/mm.h>
#include <sim/report.h>
#include <sim/uaccess.h>

#include "fault.h"

extern const char sim_copy_insn[], sim_copy_resume[];

static struct sigaction old_action[2]; /* SIGSEGV, SIGBUS */
static int log_to_stderr;

bool sim_uaccess_resume(void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (regs[REG_RIP] != (greg_t)sim_copy_insn)
		return false;
	regs[REG_RIP] = (greg_t)sim_copy_resume;
	return true;
}

const void *sim_fault_place(const void *context)
{
	return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
}

/* As a kernel words it. The processor does not say which address was none (SDM: #GP). */
void sim_report_fault(const siginfo_t *info, const void *caller)
{
	const char *what = "unable to handle page fault for";

	if (info->si_code == SI_KERNEL) {
		sim_report(SIM_REPORT_BUG, caller,
			   "Oops: general protection fault, probably for non-canonical address");
		return;
	}
	if ((uintptr_t)info->si_addr < SIM_PAGE_SIZE)
		what = "kernel NULL pointer dereference,";
	sim_report(SIM_REPORT_BUG, caller, "BUG: %s address: %016lx", what,
		   (unsigned long)info->si_addr);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sigaction *old = &old_action[sig == SIGBUS];

	if (sim_uaccess_resume(context))
		return;
	if (old->sa_flags & SA_SIGINFO)
		old->sa_sigaction(sig, info, context);
	else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN)
		old->sa_handler(sig);
	else
		sim_report_fault(info, sim_fault_place(context));
}

void sim_uaccess_init(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &old_action[0]);
	sigaction(SIGBUS, &action, &old_action[1]);
}

__attribute__((noinline)) size_t sim_copy_user(void *to, const void *from, size_t n)
{
	__asm__ volatile(".globl sim_copy_insn, sim_copy_resume\n"
			 "sim_copy_insn: rep movsb\n"
			 "sim_copy_resume:"
			 : "+D"(to), "+S"(from), "+c"(n)
			 :
			 : "memory");
	return n;
}

void sim_log_to_stderr(int on)
{
	log_to_stderr = on;
}

void sim_vprintk(const char *fmt, va_list args)
{
	if (log_to_stderr)
		vfprintf(stderr, fmt, args);
}
