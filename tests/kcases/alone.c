// SPDX-License-Identifier: GPL-2.0-only
/*
 * A task that is alone (sim_set_alone()) is the worker of what it queued. The setting is for good:
 * each case has a process of its own.
 */
#include <linux/completion.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <kcase.h>
#include <sim/task.h>

struct item {
	struct work_struct work;
	struct item *waits_for;
	int left; /* queues itself so often */
	int runs, inside;
	bool done_before_it;
};

static struct item first, second;

static void run(struct work_struct *work)
{
	struct item *i = container_of(work, struct item, work);

	KEXPECT_EQ(i->inside++, 0);
	if (i->waits_for) {
		flush_work(&i->waits_for->work);
		i->done_before_it = i->waits_for->runs;
	}
	if (i->left-- > 0)
		schedule_work(work);
	i->runs++;
	i->inside--;
}

static void start(void)
{
	sim_set_alone();
	INIT_WORK(&first.work, run);
	INIT_WORK(&second.work, run);
}

static void runs_where_it_is_waited_for(void)
{
	start();
	schedule_work(&first.work);
	schedule_work(&second.work);
	KEXPECT_EQ(first.runs, 0);
	KEXPECT(flush_work(&first.work));
	KEXPECT_EQ(first.runs, 1);
	KEXPECT_EQ(second.runs, 0);
	KEXPECT(cancel_work_sync(&second.work));
	KEXPECT_EQ(second.runs, 0);
	KEXPECT(!flush_work(&first.work));
}

static void one_waits_for_another(void)
{
	start();
	first.waits_for = &second;
	schedule_work(&first.work);
	schedule_work(&second.work);
	flush_work(&first.work);
	KEXPECT_EQ(second.runs, 1);
	KEXPECT(first.done_before_it);
}

static void one_queues_itself(void)
{
	start();
	first.left = 3;
	schedule_work(&first.work);
	while (flush_work(&first.work))
		;
	KEXPECT_EQ(first.runs, 4);
}

static void a_queue_of_its_own_is_drained(void)
{
	struct workqueue_struct *wq;

	start();
	wq = alloc_workqueue("mine", 0, 0);
	KEXPECT(wq);
	queue_work(wq, &first.work);
	schedule_work(&second.work);
	destroy_workqueue(wq);
	KEXPECT_EQ(first.runs, 1);
	flush_work(&second.work);
	KEXPECT_EQ(second.runs, 1);
}

static void wait_for_nobody(void)
{
	DECLARE_COMPLETION_ONSTACK(never);

	start();
	wait_for_completion(&never);
}

static void a_wait_for_ever_is_reported(void)
{
	KEXPECT_EQ(sim_kcase_child(wait_for_nobody, "the only task waits for ever"), 1);
}

KCASE_LIST(alone, SIM_CASE(runs_where_it_is_waited_for), SIM_CASE(one_waits_for_another),
	   SIM_CASE(one_queues_itself), SIM_CASE(a_queue_of_its_own_is_drained),
	   SIM_CASE(a_wait_for_ever_is_reported));
