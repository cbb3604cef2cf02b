// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt safety. A class that a handler takes must never be held with interrupts on, nor wait,
 * over any chain of locks, for one that is. Two readers do not make each other wait.
 */
#include "validator.h"

static bool irqs_are_on(const struct sim_task *t)
{
	return !t->irqs_off && !t->in_hardirq;
}

static int site_index(unsigned int bit)
{
	return __builtin_ctz(bit);
}

/* The usages that a class or chain with @usage excludes. */
static unsigned int excluded_by(unsigned int usage)
{
	unsigned int out = 0;

	if (usage & USED_IN_HARDIRQ)
		out |= USAGE_ON;
	if (usage & USED_IN_HARDIRQ_READ)
		out |= ENABLED_HARDIRQ;
	if (usage & ENABLED_HARDIRQ)
		out |= USAGE_IN;
	if (usage & ENABLED_HARDIRQ_READ)
		out |= USED_IN_HARDIRQ;

	return out;
}

/* What counts of a class that a search reached: weakly, only what is exclusive. */
static unsigned int usage_seen(unsigned int class_id, bool weak)
{
	unsigned int usage = lock_classes[class_id].usage;

	return weak ? usage & USAGE_WRITES : usage;
}

static bool has_usage(unsigned int class_id, bool weak, void *mask)
{
	return usage_seen(class_id, weak) & *(unsigned int *)mask;
}

static const char *usage_name(unsigned int bit)
{
	switch (bit) {
	case USED_IN_HARDIRQ:
		return "IN-HARDIRQ-W";
	case USED_IN_HARDIRQ_READ:
		return "IN-HARDIRQ-R";
	case ENABLED_HARDIRQ:
		return "HARDIRQ-ON-W";
	default:
		return "HARDIRQ-ON-R";
	}
}

static unsigned int lowest(unsigned int mask)
{
	return mask & -mask;
}

static void splat_state(const struct sim_lock_hold *hold, unsigned int bit, unsigned int old)
{
	const struct lock_class *class = &lock_classes[hold->class_id];
	const struct sim_task *t = sim_self;
	FILE *out = splat_begin(PROBLEM_STATE, hold->class_id, 0, hold->caller);

	if (!out)
		return;

	fprintf(out,
		"WARNING: inconsistent lock state\n"
		"--------------------------------\n"
		"inconsistent {%s} -> {%s} usage.\n"
		"%s/%d [HC%d:HE%d] takes:\n",
		usage_name(old), usage_name(bit), t->comm, t->pid, t->in_hardirq, irqs_are_on(t));
	print_hold(out, hold);
	fprintf(out, "{%s} state was registered at:\n", usage_name(old));
	print_site(out, "  ", class->usage_site[site_index(old)]);
	fprintf(out, "\nother info that might help us debug this:\n"
		     " Possible unsafe locking scenario:\n\n       CPU0\n       ----\n  lock(");
	print_name(out, hold->class_id);
	fprintf(out, ");\n  <Interrupt>\n    lock(");
	print_name(out, hold->class_id);
	fprintf(out, ");\n\n *** DEADLOCK ***\n\n");
	print_held(out, t);
	splat_end(out);
}

static void print_path(FILE *out, enum direction dir, const struct path *path)
{
	int i;

	for (i = 0; i < path->nr; i++) {
		const struct edge *e = &lock_edges[path->edge[i]];

		fprintf(out, " ");
		print_class(out, dir == FORWARD ? e->to : e->from);
		print_site(out, ", at: ", dir == FORWARD ? e->site : e->held_site);
	}
}

static void print_scenario(FILE *out, unsigned int safe, unsigned int unsafe)
{
	fprintf(out, "\nother info that might help us debug this:\n"
		     " Possible interrupt unsafe locking scenario:\n\n"
		     "       CPU0                    CPU1\n"
		     "       ----                    ----\n"
		     "  lock(");
	print_name(out, unsafe);
	fprintf(out, ");\n                               local_irq_disable();\n"
		     "                               lock(");
	print_name(out, safe);
	fprintf(out, ");\n                               lock(");
	print_name(out, unsafe);
	fprintf(out, ");\n  <Interrupt>\n    lock(");
	print_name(out, safe);
	fprintf(out, ");\n\n *** DEADLOCK ***\n\n");
}

/* A class came to be used in @bit, and a chain leads to one whose usage excludes that. */
static void splat_inversion(const struct sim_lock_hold *hold, unsigned int bit, enum direction dir,
			    const struct path *path)
{
	const struct sim_task *t = sim_self;
	unsigned int other = lowest(lock_classes[path->end].usage & excluded_by(bit));
	FILE *out = splat_begin(PROBLEM_INVERSION, hold->class_id, path->end, hold->caller);

	if (!out)
		return;

	fprintf(out,
		"WARNING: possible irq lock inversion dependency detected\n"
		"--------------------------------------------------------\n"
		"%s/%d just changed the state of lock:\n",
		t->comm, t->pid);
	print_hold(out, hold);
	fprintf(out, "%s %s-%ssafe lock in the past:\n ",
		dir == FORWARD ? "but this lock took another,"
			       : "but this lock was taken by another,",
		"HARDIRQ", dir == FORWARD ? "un" : "");
	print_class(out, path->end);
	print_site(out,
		   ", {HARDIRQ} state at: ", lock_classes[path->end].usage_site[site_index(other)]);
	fprintf(out, "\nand interrupts could create inverse lock ordering between them.\n"
		     "the chain between them:\n");
	print_path(out, dir, path);
	print_scenario(out, dir == FORWARD ? hold->class_id : path->end,
		       dir == FORWARD ? path->end : hold->class_id);
	print_held(out, t);
	splat_end(out);
}

static void mark(const struct sim_lock_hold *hold, unsigned int bit)
{
	struct lock_class *class = &lock_classes[hold->class_id];
	enum direction dir = bit & USAGE_IN ? FORWARD : BACKWARD;
	unsigned int mask = excluded_by(bit), clash = class->usage & mask;
	struct path path;

	if (class->unchecked || class->usage & bit)
		return;

	class->usage |= bit;
	class->usage_site[site_index(bit)] = hold->caller;
	if (clash)
		splat_state(hold, bit, lowest(clash));
	else if (graph_find(dir, hold->class_id, dir == FORWARD ? hold->read == 2 : hold->read,
			    has_usage, &mask, &path))
		splat_inversion(hold, bit, dir, &path);
}

void usage_mark_new(const struct sim_lock_hold *hold, bool is_sync)
{
	if (sim_self->in_hardirq && !hold->trylock)
		mark(hold, hold->read ? USED_IN_HARDIRQ_READ : USED_IN_HARDIRQ);
	/* Who only waits for a lock's holders has nothing that an interrupt could want. */
	if (!hold->irqs_off && !is_sync)
		mark(hold, hold->read ? ENABLED_HARDIRQ_READ : ENABLED_HARDIRQ);
}

void usage_mark_enabled(void)
{
	struct sim_task *t = sim_self;
	int i, nr = t->lockdep_depth < SIM_LOCKS_HELD_MAX ? t->lockdep_depth : SIM_LOCKS_HELD_MAX;

	if (!irqs_are_on(t))
		return;

	for (i = 0; i < nr; i++) {
		if (!t->held[i].irqs_off)
			continue;
		t->held[i].irqs_off = 0;
		mark(&t->held[i], t->held[i].read ? ENABLED_HARDIRQ_READ : ENABLED_HARDIRQ);
	}
}

static bool accumulate(unsigned int class_id, bool weak, void *arg)
{
	*(unsigned int *)arg |= usage_seen(class_id, weak) & USAGE_IN;
	return false;
}

static void splat_safe_unsafe(const struct sim_lock_hold *prev, const struct sim_lock_hold *next,
			      const struct path *back, const struct path *forward)
{
	const struct sim_task *t = sim_self;
	unsigned int in = lowest(lock_classes[back->end].usage & USAGE_IN);
	unsigned int on = lowest(lock_classes[forward->end].usage & USAGE_ON);
	FILE *out = splat_begin(PROBLEM_SAFE_UNSAFE, back->end, forward->end, next->caller);

	if (!out)
		return;

	fprintf(out,
		"WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected\n"
		"-----------------------------------------------------\n"
		"%s/%d [HC%d:HE%d] is trying to acquire:\n",
		t->comm, t->pid, t->in_hardirq, irqs_are_on(t));
	print_hold(out, next);
	fprintf(out, "\nand this task is already holding:\n");
	print_hold(out, prev);
	fprintf(out, "which would create a new lock dependency:\n ");
	print_class(out, prev->class_id);
	fprintf(out, " -> ");
	print_class(out, next->class_id);
	fprintf(out, "\n\nbut this new dependency connects a HARDIRQ-irq-safe lock:\n ");
	print_class(out, back->end);
	print_site(out, "\n... which became HARDIRQ-irq-safe at:\n  ",
		   lock_classes[back->end].usage_site[site_index(in)]);
	print_path(out, BACKWARD, back);
	fprintf(out, "\nto a HARDIRQ-irq-unsafe lock:\n ");
	print_class(out, forward->end);
	print_site(out, "\n... which became HARDIRQ-irq-unsafe at:\n  ",
		   lock_classes[forward->end].usage_site[site_index(on)]);
	print_path(out, FORWARD, forward);
	print_scenario(out, back->end, forward->end);
	print_held(out, t);
	splat_end(out);
}

bool usage_check_edge(const struct sim_lock_hold *prev, const struct sim_lock_hold *next)
{
	struct path back, forward;
	unsigned int mask, in = 0;

	graph_find(BACKWARD, prev->class_id, prev->read, accumulate, &in, &back);
	if (!in)
		return true;
	mask = excluded_by(in);
	if (!graph_find(FORWARD, next->class_id, next->read == 2, has_usage, &mask, &forward))
		return true;
	/* The pair to show: the accumulated usages may belong to several classes. */
	mask = excluded_by(lock_classes[forward.end].usage & mask) & USAGE_IN;
	if (!graph_find(BACKWARD, prev->class_id, prev->read, has_usage, &mask, &back))
		return true;

	splat_safe_unsafe(prev, next, &back, &forward);
	return false;
}
