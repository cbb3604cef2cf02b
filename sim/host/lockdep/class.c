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
		.name = use->name,
		.subclass = use->subclass,
		.wait_outer = use->wait_outer,
		.wait_inner = use->wait_inner,
		.unchecked = !use->check,
		.next_in_hash = *bucket,
	};
	*bucket = id;

	return id;
}

unsigned int class_of(const struct sim_lock_use *use)
{
	const void *key = use->key ? use->key : use->instance;
	unsigned int *bucket = &buckets[bucket_of(key, use->subclass)], id;

	for (id = *bucket; id; id = lock_classes[id].next_in_hash)
		if (lock_classes[id].key == key && lock_classes[id].subclass == use->subclass)
			return id;

	return add(use, key, bucket);
}

void classes_reset(void)
{
	nr_classes = 1;
	memset(buckets, 0, sizeof(buckets));
}
