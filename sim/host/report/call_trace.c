// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that led somewhere, by unwind tables: those of the deterministic world's kernel code are
 * written too (they cost nothing until they are read). A fiber's stack ends where its first
 * function has no caller.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "debug_info.h"

#define MAX_FRAMES 64
#define MAX_FRAME  (1 << 20) /* more than one frame has */

enum { DWARF_RBP = 6, DWARF_RSP = 7 }; /* System V ABI, AMD64 supplement, figure 3.36 */

static uint64_t breg(const Dwarf_Op *op, const struct sim_stack *at, bool *known)
{
	uint64_t reg = op->atom == DW_OP_bregx ? op->number : (uint64_t)(op->atom - DW_OP_breg0);
	uint64_t offset = op->atom == DW_OP_bregx ? op->number2 : op->number;

	*known = op->atom == DW_OP_bregx || (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31);
	if (*known && reg == DWARF_RSP)
		return at->sp + offset;
	if (*known && reg == DWARF_RBP)
		return at->bp + offset;
	*known = false;
	return 0;
}

/* The caller's value of a register that this frame keeps below @cfa. */
__attribute__((no_sanitize("address"))) static bool kept(Dwarf_Frame *frame, int reg, uintptr_t cfa,
							 uintptr_t *value)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr) || !nr || nr > 2 ||
	    ops[0].atom != DW_OP_call_frame_cfa || (nr == 2 && ops[1].atom != DW_OP_plus_uconst))
		return false;
	*value = *(const uintptr_t *)(cfa + (nr == 2 ? ops[1].number : 0));
	return true;
}

/* From a frame to its caller's; @cfa: where the frame ends. */
static bool up(struct sim_stack *at, uintptr_t *cfa)
{
	static Dwarf_CFI *cfi;
	Dwarf_Frame *frame;
	struct sim_stack to;
	bool known, found;
	Dwarf_Op *ops;
	size_t nr;

	if (!cfi && debug_info())
		cfi = dwarf_getcfi_elf(dwarf_getelf(debug_info()));
	if (!cfi || dwarf_cfi_addrframe(cfi, at->pc - 1, &frame))
		return false;
	found = !dwarf_frame_cfa(frame, &ops, &nr) && nr == 1;
	*cfa = found ? breg(ops, at, &known) : 0;
	found = found && known && *cfa > at->sp && *cfa - at->sp < MAX_FRAME &&
		(!at->end || *cfa <= at->end);
	if (found) {
		to = (struct sim_stack){ .sp = *cfa, .bp = at->bp, .end = at->end };
		found = kept(frame, dwarf_frame_info(frame, NULL, NULL, NULL), *cfa, &to.pc);
		kept(frame, DWARF_RBP, *cfa, &to.bp);
		*at = to;
	}
	free(frame);
	return found;
}

struct trace {
	uintptr_t from;
	char *buf;
	size_t size, n;
};

/* False: the trace ends here. */
static bool print_frame(struct trace *t, uintptr_t pc)
{
	char lines[1024];

	if (t->from && pc != t->from)
		return true;
	if (!debug_lines(pc - 1, lines, sizeof(lines)))
		return !t->n && !t->from;
	t->from = 0;
	if (t->n < t->size)
		t->n += snprintf(t->buf + t->n, t->size - t->n, "%s", lines);
	return true;
}

/* The running code: the caller of whoever asks. */
__attribute__((no_sanitize("address"))) static struct sim_stack here(const uintptr_t *frame)
{
	return (struct sim_stack){ .pc = frame[1], .sp = (uintptr_t)(frame + 2), .bp = frame[0] };
}

void sim_call_trace(const struct sim_stack *stack, const void *from, char *buf, size_t size)
{
	struct sim_stack at = stack ? *stack : here(__builtin_frame_address(0));
	struct trace t = { .from = (uintptr_t)from, .buf = buf, .size = size };
	uintptr_t cfa;
	int i;

	*buf = 0;
	debug_lock();
	for (i = 0; i < MAX_FRAMES && at.pc && print_frame(&t, at.pc); i++)
		if (!up(&at, &cfa))
			break;
	debug_unlock();
}

void sim_stack_variable(const struct sim_stack *stack, const void *addr, uint64_t size, char *buf,
			size_t len)
{
	struct sim_stack at = stack ? *stack : here(__builtin_frame_address(0)), before;
	uintptr_t cfa;
	int i;

	*buf = 0;
	debug_lock();
	for (i = 0; i < MAX_FRAMES && at.pc; i++) {
		before = at;
		if (!up(&at, &cfa))
			break;
		if ((uintptr_t)addr < cfa) {
			if ((uintptr_t)addr >= before.sp)
				debug_local(before.pc - 1, cfa, before.bp, (uintptr_t)addr, size,
					    buf, len);
			break;
		}
	}
	debug_unlock();
}
