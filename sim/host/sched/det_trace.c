// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last execution, step by step: one lane for each CPU.
 */
#include <stdio.h>
#include <string.h>

#include <sim/report.h>

#include "det.h"

#define LANE_WIDTH 34

const char *det_op_text(const struct det_op *op)
{
	static const char *const names[DET_NR_OPS] = {
		[DET_OP_START] = "start",
		[DET_OP_READ] = "read",
		[DET_OP_WRITE] = "write",
		[DET_OP_RMW] = "read-write",
		[DET_OP_FREE] = "free",
		[DET_OP_AWAIT] = "wait",
		[DET_OP_FENCE] = "smp_mb",
		[DET_OP_FLUSH] = "flush",
		[DET_OP_LOCK] = "lock",
		[DET_OP_TRYLOCK] = "trylock",
		[DET_OP_UNLOCK] = "unlock",
		[DET_OP_RDLOCK] = "read lock",
		[DET_OP_RDTRYLOCK] = "read trylock",
		[DET_OP_RDUNLOCK] = "read unlock",
		[DET_OP_READER_IN] = "reader in",
		[DET_OP_READER_OUT] = "reader out",
		[DET_OP_GP_BEGIN] = "grace period",
		[DET_OP_GP_END] = "grace period over",
		[DET_OP_NEW] = "new context",
		[DET_OP_IRQ] = "raise interrupt",
		[DET_OP_UNIRQ] = "cancel interrupt",
		[DET_OP_BEGIN] = "interrupt",
		[DET_OP_END] = "end of interrupt",
		[DET_OP_LEVEL] = "level",
	};

	return op->kind < DET_NR_OPS ? names[op->kind] : "?";
}

static void print_step(FILE *out, uint32_t i)
{
	const struct det_op *op = &det.ops[i];
	unsigned int id = det.schedule[i], lane = det.tasks[id % DET_MAX_TASKS].cpu;
	char where[160], object[192], cell[64];

	snprintf(cell, sizeof(cell), "%s%s", det_op_text(op),
		 op->flags & DET_MARKED ? " (marked)" : "");
	if (op->size && op->kind != DET_OP_FREE)
		snprintf(cell + strlen(cell), sizeof(cell) - strlen(cell), " %u", op->size);
	fprintf(out, "%5u  %*s%-*s", i + 1, (int)(lane * 8), "",
		(int)(LANE_WIDTH + (det.nr_tasks - lane) * 8), cell);
	if (op->pc) {
		sim_symbol((const char *)(uintptr_t)op->pc - 1, where, sizeof(where));
		fprintf(out, " %s", where);
	}
	if (op->addr) {
		heap_describe(op->addr, object, sizeof(object));
		fprintf(out, "  [%s]", object);
	}
	fputc('\n', out);
}

void det_trace_print(FILE *out)
{
	unsigned int i;

	if (!det.ops)
		return;
	fprintf(out, "       ");
	for (i = 0; i < det.nr_tasks; i++)
		fprintf(out, "cpu%-5u", i);
	fputc('\n', out);
	for (i = 0; i < det.nr_steps; i++)
		print_step(out, i);
}
