// SPDX-License-Identifier: GPL-2.0-only
/*
 * T2: the gpc pattern. Readers take the lock for reading, use the pointer, unlock; a refresher
 * swaps the pointer under the lock and frees the old object. And A: a use after the unlock.
 */
#include "programs.h"

struct thing {
	int value;
};

static DEFINE_RWLOCK(lock);
static struct thing *current_thing;
static int sum;

static void setup(void)
{
	current_thing = kmalloc(sizeof(*current_thing), GFP_KERNEL);
	current_thing->value = 1;
}

static void refresh(void)
{
	struct thing *fresh = kmalloc(sizeof(*fresh), GFP_KERNEL), *old;

	fresh->value = 2;
	write_lock(&lock);
	old = current_thing;
	current_thing = fresh;
	write_unlock(&lock);
	kfree(old);
}

static void use(unsigned int n)
{
	int value;

	if (!n) {
		refresh();
		return;
	}
	read_lock(&lock);
	value = current_thing->value;
	read_unlock(&lock);
	DET_CHECK(value == 1 || value == 2);
}

static void use_late(unsigned int n)
{
	struct thing *t;

	if (!n) {
		refresh();
		return;
	}
	read_lock(&lock);
	t = current_thing;
	read_unlock(&lock);
	DET_CHECK(t->value);
}

static uint64_t value_left(void)
{
	return current_thing->value + sum;
}

PROGRAM(gpc_1, "gpc-1", "gpc pattern: a refresher and one reader", 2, .setup = setup, .actor = use,
	.state = value_left);
PROGRAM(gpc_2, "gpc-2", "gpc pattern: a refresher and two readers", 3, .setup = setup, .actor = use,
	.state = value_left);
PROGRAM(gpc_late_1, "gpc-use-after-unlock",
	"gpc pattern: the reader uses the object after its unlock", 2, .setup = setup,
	.actor = use_late, .expects = "kasan");
PROGRAM(gpc_late_2, "gpc-use-after-unlock-2", "the same with two readers", 3, .setup = setup,
	.actor = use_late, .expects = "kasan");
