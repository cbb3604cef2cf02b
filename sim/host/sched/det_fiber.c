// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fibers: stacks in one place at fixed addresses, a switch in a few instructions. It ends in an
 * indirect jump: a ret would always be predicted wrongly, which costs four times the rest.
 */
#include <err.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "../uaccess/fault.h"
#include "det.h"
#include "percpu.h"

__asm__(".pushsection .text\n"
	".globl det_fiber_switch\n"
	".type det_fiber_switch, @function\n"
	".balign 64\n"
	"det_fiber_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	pop %rcx\n"
	"	jmp *%rcx\n"
	".size det_fiber_switch, . - det_fiber_switch\n"
	".popsection\n");

#define STACK_CLEARED 8192 /* assumed: deeper than the calls of a loop that waits */
#define SAVED	      6	   /* registers that a function keeps for its caller */

void det_task_main(void) __attribute__((noreturn));

void det_fibers_init(void)
{
	size_t stride = 2 * DET_STACK_SIZE; /* the lower half stays inaccessible */
	char *base;
	int i;

	base = mmap((void *)DET_STACKS, DET_MAX_TASKS * stride, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (base != (char *)DET_STACKS)
		err(1, "fiber stacks at their fixed address");
	for (i = 0; i < DET_MAX_TASKS; i++)
		if (mprotect(base + i * stride + DET_STACK_SIZE, DET_STACK_SIZE,
			     PROT_READ | PROT_WRITE))
			err(1, "fiber stack");
}

/* There where AddressSanitizer is: an execution that was given up left its frames' redzones behind. */
void __asan_unpoison_memory_region(const volatile void *p, size_t size) __attribute__((weak));

void det_fiber_prepare(struct det_task *t)
{
	void **sp = (void **)(DET_STACKS + (t->id + 1) * 2 * DET_STACK_SIZE);
	int i;

	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region((char *)sp - DET_STACK_SIZE, DET_STACK_SIZE);

	/* A state is compared with those of other executions: nothing of these may be left in it.
	 */
	if (det.learn)
		memset(sp - STACK_CLEARED / sizeof(*sp), 0, STACK_CLEARED);
	*--sp = NULL; /* det_task_main() finds the alignment of a called function, and no caller */
	*--sp = (void *)det_task_main;
	for (i = 0; i < SAVED; i++)
		*--sp = NULL;
	t->sp = sp;
}

struct sim_stack det_fiber_stack(const struct det_task *t)
{
	void **sp = t->sp;

	return (struct sim_stack){ .pc = (uintptr_t)sp[SAVED],
				   .sp = (uintptr_t)(sp + SAVED + 1),
				   .bp = (uintptr_t)sp[SAVED - 1],
				   .end = DET_STACKS + (t->id + 1) * 2 * DET_STACK_SIZE };
}

/*
 * Per-CPU areas begin as copies of one template and stay equal until somebody writes to one. Until
 * then all CPUs read a shared copy that cannot be written, and a switch of tasks need not set GS,
 * which would cost as much as the rest of it. The first write faults, the first event asks where its
 * CPU's copy is; from then on each CPU has its own.
 */
enum det_gs det_gs_how;
uintptr_t det_gs_bases[DET_MAX_TASKS];
static char *shared;
static uintptr_t shared_base;
static struct sigaction before_us;

static __attribute__((noinline)) void own_areas(void)
{
	det_gs_how = percpu_has_wrgsbase() ? DET_GS_FAST : DET_GS_SLOW;
	percpu_write_base(det_gs_bases[det.cur ? det.cur->cpu : det.hook_cpu]);
}

uintptr_t det_per_cpu_offset(void)
{
	if (__builtin_expect(det_gs_how == DET_GS_SHARED, 0))
		own_areas();
	return det_gs_bases[sim_self->cpu];
}

/* What sim/headers/det/asm/percpu.h asks for. */
unsigned long irqsim_this_cpu_offset(void);
unsigned long irqsim_this_cpu_offset(void)
{
	return det_per_cpu_offset();
}

unsigned long irqsim_per_cpu_offset(int cpu);
unsigned long irqsim_per_cpu_offset(int cpu)
{
	det_per_cpu_offset();
	if ((unsigned int)cpu < SIM_NR_CPUS)
		return percpu_base(cpu);
	sim_report(SIM_REPORT_BUG, __builtin_return_address(0),
		   "UBSAN: array-index-out-of-bounds\n"
		   "CPU %d is out of range for per-CPU data of %d CPUs",
		   cpu, SIM_NR_CPUS);
	return 0;
}

/* The host may have looked at what a task was about to access. */
static const void *place_of(const siginfo_t *info, const void *context)
{
	const struct det_op *op = &det.cur->op;

	if (info->si_code == SI_KERNEL || (uintptr_t)info->si_addr - op->addr < op->size)
		return (const void *)(uintptr_t)op->pc;
	return sim_fault_place(context);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	if ((uintptr_t)info->si_addr - (uintptr_t)shared < percpu_size() &&
	    det_gs_how == DET_GS_SHARED) {
		own_areas();
		return; /* the store again, to an area of its own */
	}
	if (sim_uaccess_resume(context))
		return;
	if (det.cur)
		sim_report_fault(info, place_of(info, context)); /* the execution ends */
	if (before_us.sa_flags & SA_SIGINFO)
		before_us.sa_sigaction(sig, info, context);
	else
		sigaction(sig, &before_us, NULL); /* it faults again, and ends the process */
}

void det_per_cpu_init(unsigned int nr_cpus)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
	unsigned int i;

	if (!percpu_size())
		return;
	/* Where events are watched; the thread that comes here may have another area already. */
	percpu_place(DET_PERCPU, DET_PERCPU_STRIDE);
	for (i = 0; i < nr_cpus; i++)
		det_gs_bases[i] = percpu_base(i);
	shared = mmap(NULL, percpu_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		err(1, "shared per-CPU area");
	percpu_copy_template(shared);
	if (mprotect(shared, percpu_size(), PROT_READ))
		err(1, "shared per-CPU area");
	shared_base = percpu_base_of(shared);
	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &before_us);
	det_gs_how = DET_GS_SHARED;
}

void det_per_cpu_begin(void)
{
	if (det_gs_how == DET_GS_SHARED)
		percpu_write_base(shared_base);
}

void det_per_cpu_end(void)
{
	if (det_gs_how != DET_GS_NONE)
		percpu_write_base(det_gs_bases[0]);
}

void det_per_cpu_slowly(unsigned int cpu)
{
	percpu_write_base(det_gs_bases[cpu]);
}

/* What was no event, and so is not undone: of the CPUs that ran. */
void det_per_cpu_reset(void)
{
	unsigned int i, nr_cpus = 1;

	if (det_gs_how == DET_GS_SHARED || det_gs_how == DET_GS_NONE)
		return;
	for (i = 0; i < det.nr_tasks; i++)
		if (det.tasks[i].cpu >= nr_cpus)
			nr_cpus = det.tasks[i].cpu + 1;
	race_undo();
	percpu_restore((int)nr_cpus);
}
