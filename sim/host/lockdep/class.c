// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lock classes: all locks that one key and subclass stand for.
 */
#include <string.h>

#include "validator.h"

#define BUCKETS 1024

struct lock_class lock_classes[MAX_CLASSES];
static unsigned int nr_classes = 1; /* 0 is NO_CLASS */
static unsigned int buckets[BUCKETS];
uint32_t lockdep_round = 1;
bool lockdep_alone;

static unsigned int bucket_of(const void *key, unsigned int subclass)
{
	/* Knuth's multiplicative hash, TAOCP 3, 6.4 */
	return (uint32_t)(((uintptr_t)key >> 3) + subclass) * 2654435761u >> 22;
}

static unsigned int add(const struct sim_lock_use *use, const void *key, unsigned int *bucket)
{
	unsigned int id = nr_classes;

	if (id == MAX_CLASSES)
		return NO_CLASS;

	nr_classes++;
	lock_classes[id] = (struct lock_class){
		.key = key,
		.subclass = use->subclass,
		.next_in_hash = *bucket,
	};
	*bucket = id;

	return id;
}

static void begin_round(struct lock_class *class, const struct sim_lock_use *use)
{
	class->round = lockdep_round;
	class->usage = 0;
	class->after = class->before = 0;
	class->name = use->name;
	class->wait_outer = use->wait_outer;
	class->wait_inner = use->wait_inner;
	class->wait_max = use->wait_max ? use->wait_max : SIM_WAIT_SLEEP + 1;
	class->unchecked = !use->check;
}

unsigned int class_of(const struct sim_lock_use *use)
{
	const void *key = use->key ? use->key : use->instance;
	unsigned int *bucket = &buckets[bucket_of(key, use->subclass)], id;

	for (id = *bucket; id; id = lock_classes[id].next_in_hash)
		if (lock_classes[id].key == key && lock_classes[id].subclass == use->subclass)
			break;
	if (!id)
		id = add(use, key, bucket);
	if (id != NO_CLASS && lock_classes[id].round != lockdep_round)
		begin_round(&lock_classes[id], use);

	return id;
}

void classes_reset(void)
{
	lockdep_round++; /* a number is another class's from here on */
	nr_classes = 1;
	memset(buckets, 0, sizeof(buckets));
}
