// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running task, as both worlds know it.
 */
#include <sim/task.h>

#include "supply.h"
#include "world.h"

const char *world_comm(void)
{
	return sim_self->comm;
}

int world_pid(void)
{
	return sim_self->pid;
}

void *world_worker(void)
{
	return sim_self->worker;
}

void world_set_worker(void *worker)
{
	sim_self->worker = worker;
}

void world_may_sleep(const char *what, const void *caller)
{
	sim_may_sleep(what, caller);
}
