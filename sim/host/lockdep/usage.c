// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt safety. A class that a handler takes must never be held where that handler's interrupt,
 * hard or soft, can come, nor wait, over any chain of locks, for one that is. Two readers do not
 * make each other wait.
 */
#include "validator.h"

static int site_index(unsigned int bit)
{
	return __builtin_ctz(bit);
}

static enum irq_kind kind_of(unsigned int bit)
{
	return site_index(bit) / USAGE_BITS;
}

static const char *kind_name(unsigned int bit)
{
	return kind_of(bit) == HARDIRQ ? "HARDIRQ" : "SOFTIRQ";
}

/* The usages that a class or chain with @usage excludes: each with those of its own interrupts. */
static unsigned int excluded_by(unsigned int usage)
{
	unsigned int out = 0;

	if (usage & BOTH(USED_IN_IRQ))
		out |= (usage & BOTH(USED_IN_IRQ)) * (ENABLED_IRQ | ENABLED_IRQ_READ);
	if (usage & BOTH(USED_IN_IRQ_READ))
		out |= (usage & BOTH(USED_IN_IRQ_READ)) / USED_IN_IRQ_READ * ENABLED_IRQ;
	if (usage & BOTH(ENABLED_IRQ))
		out |= (usage & BOTH(ENABLED_IRQ)) / ENABLED_IRQ * (USED_IN_IRQ | USED_IN_IRQ_READ);
	if (usage & BOTH(ENABLED_IRQ_READ))
		out |= (usage & BOTH(ENABLED_IRQ_READ)) / ENABLED_IRQ_READ * USED_IN_IRQ;

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

/* "IN-HARDIRQ-W" and its like. */
static const char *usage_name(unsigned int bit)
{
	static const char *const names[NR_USAGES] = {
		"IN-HARDIRQ-W", "IN-HARDIRQ-R", "HARDIRQ-ON-W", "HARDIRQ-ON-R",
		"IN-SOFTIRQ-W", "IN-SOFTIRQ-R", "SOFTIRQ-ON-W", "SOFTIRQ-ON-R",
	};

	return names[site_index(bit)];
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
		"%s/%d [HC%d:SC%d:HE%d:SE%d] takes:\n",
		usage_name(old), usage_name(bit), t->comm, t->pid, t->in_hardirq, t->in_softirq,
		irqs_are_on(t, HARDIRQ), irqs_are_on(t, SOFTIRQ));
	print_hold(out, hold);
	fprintf(out, "{%s} state was registered at:\n", usage_name(old));
	print_site(out, "  ", class->usage_site[site_index(old)]);
	fprintf(out, "\n");
	print_scenario(out, "Possible unsafe locking scenario:", 1,
		       (struct scenario_step[]){ { 0, NULL, hold->class_id },
						 { 0, "<Interrupt>", 0 },
						 { 0, "  ", hold->class_id } },
		       3);
	print_held(out, t);
	splat_end(out);
}

static void print_irq_scenario(FILE *out, unsigned int safe, unsigned int unsafe)
{
	fprintf(out, "\n");
	print_scenario(out, "Possible interrupt unsafe locking scenario:", 2,
		       (struct scenario_step[]){ { 0, NULL, unsafe },
						 { 1, "local_irq_disable();", 0 },
						 { 1, NULL, safe },
						 { 1, NULL, unsafe },
						 { 0, "<Interrupt>", 0 },
						 { 0, "  ", safe } },
		       6);
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
		kind_name(bit), dir == FORWARD ? "un" : "");
	print_class(out, path->end);
	fprintf(out, ", {%s}", kind_name(bit));
	print_site(out, " state at: ", lock_classes[path->end].usage_site[site_index(other)]);
	fprintf(out, "\nand interrupts could create inverse lock ordering between them.\n"
		     "the chain between them:\n");
	print_path(out, dir, path);
	print_irq_scenario(out, dir == FORWARD ? hold->class_id : path->end,
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
	if (!clash && !(dir == FORWARD ? class->after : class->before))
		return;
	if (clash)
		splat_state(hold, bit, lowest(clash));
	else if (graph_find(dir, hold->class_id, dir == FORWARD ? hold->read == 2 : hold->read,
			    has_usage, &mask, &path))
		splat_inversion(hold, bit, dir, &path);
}

static void mark_all(const struct sim_lock_hold *hold, unsigned int usages)
{
	for (; usages; usages &= usages - 1)
		mark(hold, lowest(usages));
}

void usage_mark_new(const struct sim_lock_hold *hold, bool is_sync)
{
	unsigned int usages = usages_of(sim_self, hold->read, hold->trylock);

	/* Who only waits for a lock's holders has nothing that an interrupt could want. */
	mark_all(hold, is_sync ? usages & USAGE_IN : usages);
}

void usage_mark_enabled(void)
{
	struct sim_task *t = sim_self;
	uint8_t safe = safe_from(t);
	int i, nr = nr_held(t);

	for (i = 0; i < nr; i++) {
		struct sim_lock_hold *hold = &t->held[i];

		if (!(hold->safe_from & ~safe))
			continue;
		hold->safe_from &= safe;
		mark_all(hold, usages_of(t, hold->read, true));
	}
}

static bool accumulate(unsigned int class_id, bool weak, void *arg)
{
	*(unsigned int *)arg |= usage_seen(class_id, weak) & USAGE_IN;
	return false;
}

static void print_end(FILE *out, const char *what, enum direction dir, const struct path *path,
		      unsigned int bit)
{
	char before[64];

	fprintf(out, " ");
	print_class(out, path->end);
	snprintf(before, sizeof(before), "\n... which became %s-irq-%s at:\n  ", kind_name(bit),
		 what);
	print_site(out, before, lock_classes[path->end].usage_site[site_index(bit)]);
	print_path(out, dir, path);
}

/* @back ends at a lock that a handler takes, @forward at one held where its interrupt can come. */
static void splat_safe_unsafe(const struct sim_lock_hold *prev, const struct sim_lock_hold *next,
			      const struct path *back, const struct path *forward)
{
	const struct sim_task *t = sim_self;
	unsigned int excluded = excluded_by(lock_classes[back->end].usage & USAGE_IN);
	unsigned int on = lowest(lock_classes[forward->end].usage & excluded);
	unsigned int in = lowest(lock_classes[back->end].usage & excluded_by(on) & USAGE_IN);
	FILE *out = splat_begin(PROBLEM_SAFE_UNSAFE, back->end, forward->end, next->caller);

	if (!out)
		return;

	fprintf(out,
		"WARNING: %s-safe -> %s-unsafe lock order detected\n"
		"-----------------------------------------------------\n"
		"%s/%d [HC%d:SC%d:HE%d:SE%d] is trying to acquire:\n",
		kind_name(on), kind_name(on), t->comm, t->pid, t->in_hardirq, t->in_softirq,
		irqs_are_on(t, HARDIRQ), irqs_are_on(t, SOFTIRQ));
	print_hold(out, next);
	fprintf(out, "\nand this task is already holding:\n");
	print_hold(out, prev);
	fprintf(out, "which would create a new lock dependency:\n ");
	print_class(out, prev->class_id);
	fprintf(out, " -> ");
	print_class(out, next->class_id);
	fprintf(out, "\n\nbut this new dependency connects a %s-irq-safe lock:\n", kind_name(on));
	print_end(out, "safe", BACKWARD, back, in);
	fprintf(out, "\nto a %s-irq-unsafe lock:\n", kind_name(on));
	print_end(out, "unsafe", FORWARD, forward, on);
	print_irq_scenario(out, back->end, forward->end);
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
