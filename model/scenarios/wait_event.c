// SPDX-License-Identifier: GPL-2.0-only
/*
 * wait_event() and wake_up(), the former written out: on the queue first, then the look at the
 * condition, then the sleep.
 */
#include <linux/sched.h>
#include <linux/wait.h>

#include "programs.h"

static DECLARE_WAIT_QUEUE_HEAD(queue);
static int ready, slept;

static noinline void wait_until_ready(void)
{
	DEFINE_WAIT(wait);

	for (;;) {
		prepare_to_wait(&queue, &wait, TASK_UNINTERRUPTIBLE);
		if (READ_ONCE(ready))
			break;
		slept = 1;
		schedule();
	}
	finish_wait(&queue, &wait);
}

static noinline void make_ready(void)
{
	WRITE_ONCE(ready, 1);
	wake_up(&queue);
}

static void wait_or_wake(unsigned int n)
{
	if (n) {
		make_ready();
		return;
	}
	wait_until_ready();
	DET_CHECK(READ_ONCE(ready));
}

static u64 was_asleep(void)
{
	return slept;
}

PROGRAM(wait_event_wake_up, "wait-event", "a task that waits on a queue, and who wakes it", 2,
	.actor = wait_or_wake, .state = was_asleep);
