/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing programs for fuzz_routing: the other direction of program.c.
 */
#ifndef FUZZ_ENCODE_H
#define FUZZ_ENCODE_H

#include "program.h"

#define ENCODE_MAX (64u << 10) /* bytes; libFuzzer's own limit is 1 MiB */

/* A program being written and the table that it has at that point. */
struct encode {
	uint8_t bytes[ENCODE_MAX];
	size_t size;
	bool full; /* something did not fit: the program is not to be used */
	struct kvm_irq_routing_entry table[PROGRAM_MAX_ROUTES];
	uint32_t nr;
};

void encode_start(struct encode *en);
void encode_op(struct encode *en, enum op op, unsigned int arg);
void encode_u8(struct encode *en, uint8_t v);
void encode_u32(struct encode *en, uint32_t v);
void encode_num(struct encode *en, uint32_t v); /* 0 to 4095 */

/* Make the program's table this one, with as few edits as a common start and end allow. */
void encode_table(struct encode *en, const struct kvm_irq_routing_entry *e, uint32_t nr);

#endif
