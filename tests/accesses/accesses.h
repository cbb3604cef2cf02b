/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One kernel operation on one word, and what the deterministic world has to see of it.
 *
 * Read from both sides of the border: plain C types only.
 */
#ifndef TESTS_ACCESSES_H
#define TESTS_ACCESSES_H

#include <stdint.h>

enum {
	ACCESS_NONE, /* no event: a fence */
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_RMW,
};

enum {
	MARKED = 1,
	ACQUIRES = 2, /* what comes after it happens after the store that it reads */
	RELEASES = 4, /* what came before it happens before whoever reads it with acquire */
	EMPTIES = 8,  /* on x86, the store buffer: a lock prefix, or a fence */
	IGNORED = 16, /* the race check leaves it alone */
	ASSERTS = 32, /* races with marked stores as well */
	FULL = MARKED | ACQUIRES | RELEASES | EMPTIES,
};

struct access {
	const char *name;
	void (*run)(void); /* on access_target */
	uint8_t kind, size, is;
	uint8_t offset; /* of the event in the target */
};

extern const struct access accesses[];
extern const unsigned int nr_accesses;
extern uint64_t access_target[2];
extern unsigned long access_old;    /* what compare-and-exchanges compare with */
extern unsigned int access_current; /* the row that the following do */

void access_alone(void);
/* Plain data, then the row's operation; a load with acquire, then the data */
void access_put(void);
void access_take(void);
/* Plain data, then a store with release; the row's operation, then the data */
void access_publish(void);
void access_get(void);
int access_store_load(unsigned int n); /* SB around the operation */
void access_write_marked(void);

#endif
