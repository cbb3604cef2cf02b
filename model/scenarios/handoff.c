// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plain data handed from one task to another by a flag: store-release, load-acquire.
 */
#include <linux/atomic.h>

#include "programs.h"

static struct {
	u32 weight, height;
} parcel;
static int ready, got;

static noinline void send(void)
{
	parcel.weight = 7;
	parcel.height = 70;
	smp_store_release(&ready, 1);
}

static noinline void receive(void)
{
	if (!smp_load_acquire(&ready))
		return;
	DET_CHECK(parcel.height == 10 * parcel.weight);
	got = parcel.weight;
}

static void send_or_receive(unsigned int n)
{
	if (n)
		receive();
	else
		send();
}

static u64 what_came(void)
{
	return got;
}

PROGRAM(handoff, "handoff", "plain data handed over by a flag", 2, .actor = send_or_receive,
	.state = what_came);
