// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freed objects wait here, first in first out, before their memory is used again; on the way out
 * their poison is checked. Whoever is short of pages empties it first (slowpath.c).
 */
#include <string.h>

#include "objects.h"

#define SLOTS	  8192U	      /* assumed: a table of 4096 entries and its predecessor */
#define MAX_BYTES (1UL << 20) /* assumed: 1/64 of the default RAM */

static struct sim_named_object ring[SLOTS];
static uint32_t first, nr;
static size_t held;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool pop(struct sim_named_object *o)
{
	if (!nr)
		return false;
	*o = ring[first];
	first = (first + 1) % SLOTS;
	nr--;
	held -= o->bytes;
	return true;
}

static void leave(const struct sim_named_object *o)
{
	if (sim_checks & SIM_MM_POISON)
		sim_poison_verify(o);
	sim_release_object(o);
}

void sim_quarantine_put(const struct sim_named_object *o)
{
	struct sim_named_object old;
	bool room;

	if (o->bytes > MAX_BYTES) {
		sim_release_object(o);
		return;
	}
	sim_obj_set_state(o->obj, SIM_OBJ_QUARANTINE);
	for (;;) {
		pthread_mutex_lock(&lock);
		room = nr < SLOTS && held + o->bytes <= MAX_BYTES;
		if (room) {
			ring[(first + nr) % SLOTS] = *o;
			nr++;
			held += o->bytes;
		} else {
			pop(&old);
		}
		pthread_mutex_unlock(&lock);
		if (room)
			return;
		leave(&old);
	}
}

bool sim_quarantine_drain(void)
{
	struct sim_named_object old;
	bool any = false, got;

	for (;;) {
		pthread_mutex_lock(&lock);
		got = pop(&old);
		pthread_mutex_unlock(&lock);
		if (!got)
			return any;
		leave(&old);
		any = true;
	}
}

void sim_quarantine_reset(void)
{
	first = nr = 0;
	held = 0;
}

void sim_mm_check(void)
{
	sim_quarantine_drain();
}
