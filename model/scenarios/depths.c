// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bugs of known depth: the number of orders between single steps that are enough to show them.
 */
#include "programs.h"

static int x, y, z;

/* Depth 1: b before a. */
static void depth_1(unsigned int n)
{
	if (!n)
		WRITE_ONCE(x, 1);
	else
		DET_CHECK(READ_ONCE(x));
}

/* Depth 2: b between a's two steps. */
static void depth_2(unsigned int n)
{
	if (!n) {
		WRITE_ONCE(x, 1);
		WRITE_ONCE(x, 0);
	} else {
		DET_CHECK(!READ_ONCE(x));
	}
}

/* Depth 3: a's second step between b's, of which the first comes after a's first. */
static void depth_3(unsigned int n)
{
	if (!n) {
		WRITE_ONCE(x, 1);
		WRITE_ONCE(y, READ_ONCE(z));
		WRITE_ONCE(x, 0);
	} else if (READ_ONCE(x)) {
		WRITE_ONCE(z, 1);
		DET_CHECK(!READ_ONCE(x) || !READ_ONCE(y));
		WRITE_ONCE(z, 0);
	}
}

PROGRAM(program_depth_1, "depth-1", "a bug of depth 1", 2, .actor = depth_1, .expects = "check");
PROGRAM(program_depth_2, "depth-2", "a bug of depth 2", 2, .actor = depth_2, .expects = "check");
PROGRAM(program_depth_3, "depth-3", "a bug of depth 3", 2, .actor = depth_3, .expects = "check");

/*
 * A window of one step in which the other has to take sixty: 132 steps in all, and chance alone
 * never finds it.
 */
static int *object;
static int steps[2];

static void window_setup(void)
{
	object = kzalloc(sizeof(*object), GFP_KERNEL);
}

static void window(unsigned int n)
{
	int *mine, i;

	if (n) {
		for (i = 0; i < 5; i++)
			WRITE_ONCE(steps[1], i);
		mine = READ_ONCE(object);
		if (mine)
			DET_CHECK(!READ_ONCE(*mine));
		for (i = 0; i < 57; i++)
			WRITE_ONCE(steps[1], i);
		return;
	}
	for (i = 0; i < 58; i++)
		WRITE_ONCE(steps[0], i);
	mine = READ_ONCE(object);
	WRITE_ONCE(object, NULL);
	kfree(mine);
}

PROGRAM(program_window, "window", "a free in a window of one step of the other task", 2,
	.setup = window_setup, .actor = window, .expects = "kasan");
