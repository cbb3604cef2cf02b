/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What program.c and program_edit.c know of each other: reading operands, and edits of the table.
 */
#ifndef FUZZ_PROGRAM_OPERANDS_H
#define FUZZ_PROGRAM_OPERANDS_H

#include "program.h"

#define MSI_BASE 0xfee00000u /* Intel SDM volume 3, 11.11.1: bits 12-19 are the destination */

static inline uint8_t get_u8(struct program *pr)
{
	return pr->p < pr->end ? *pr->p++ : 0;
}

static inline uint32_t get_u32(struct program *pr)
{
	uint32_t v = get_u8(pr);

	v |= get_u8(pr) << 8;
	v |= get_u8(pr) << 16;
	return v | (uint32_t)get_u8(pr) << 24;
}

static inline uint32_t get_num(struct program *pr)
{
	uint32_t b = get_u8(pr);

	return b < 0xf0 ? b : (b & 0xf) << 8 | get_u8(pr);
}

static inline enum pointer get_pointer(struct program *pr)
{
	unsigned int v = get_u8(pr);

	return v - POINTER_BYTE < NR_POINTERS ? v - POINTER_BYTE : POINTER_GOOD;
}

/* program_edit - do @op if it edits the table. True: it did. */
bool program_edit(struct program *pr, enum op op, unsigned int arg);

#endif
