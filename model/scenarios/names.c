// SPDX-License-Identifier: GPL-2.0-only
/*
 * What reports call things: every kind of place that an access can be to, raced for or misused.
 */
#include <linux/overflow.h>
#include <linux/percpu.h>

#include "programs.h"

struct point {
	u32 x, y;
};

struct box {
	u64 id;
	struct point corners[2];
	union {
		u32 word;
		u8 bytes[4];
	};
	struct {
		u16 low, high;
	} range;
};

struct row {
	u32 nr;
	struct point points[];
};

/* A strategy's own fields before a struct that ends in a flexible array */
struct wrapped {
	u64 own;
	struct row row;
};

struct holder {
	struct point *points;
	u64 *words;
};

static struct box *box, *other_box, *hidden;
static struct row *row;
static struct wrapped *wrapped;
static struct holder holder;
static struct box table[3];
static u32 grid[4][6];
static void *plain;
static DEFINE_PER_CPU(struct box, per_cpu_box);

static void *allocate(size_t size)
{
	return kzalloc(size, GFP_KERNEL);
}

static struct box *new_box(void)
{
	return kzalloc(sizeof(struct box), GFP_KERNEL);
}

/* The line of the call names nothing: the type is the one of that size. */
static void keep(struct box **where, void *what)
{
	*where = what;
}

static void setup(void)
{
	struct box *by_size = NULL;

	box = kzalloc(sizeof(*box), GFP_KERNEL);
	other_box = new_box();
	keep(&hidden, kzalloc(sizeof(*by_size), GFP_KERNEL));
	row = kzalloc(struct_size(row, points, 4), GFP_KERNEL);
	wrapped = kzalloc(offsetof(struct wrapped, row) + struct_size(row, points, 2), GFP_KERNEL);
	holder.points = kcalloc(3, sizeof(*holder.points), GFP_KERNEL);
	holder.words = kcalloc(5, sizeof(u64), GFP_KERNEL);
	plain = allocate(24);
	memset(grid, 0, sizeof(grid));
}

static void race_on_objects(void)
{
	box->id++;
	box->corners[1].y++;
	box->bytes[2]++;
	box->range.high++;
	other_box->word++;
	hidden->id++;
	row->points[3].x++;
	wrapped->row.points[1].y++;
	wrapped->own++;
	holder.points[2].y++;
	holder.words[4]++;
	((u32 *)plain)[2]++;
}

static void race(unsigned int n)
{
	race_on_objects();
	table[2].corners[0].y++;
	grid[3][5]++;
	memset(&table[1], 0, sizeof(table[1]));
	if (!n)
		memset(row->points, 0, 2 * sizeof(row->points[0]));
	else
		row->points[1].x++;
	if (!n)
		WRITE_ONCE(table[0].word, 1);
	else
		table[0].word++;
}

static void free_all(void)
{
	kfree(box);
	kfree(other_box);
	kfree(hidden);
	kfree(row);
	kfree(wrapped);
	kfree(holder.points);
	kfree(holder.words);
	kfree(plain);
}

PROGRAM(names, "names", "two tasks race for members, elements and variables of every kind", 2,
	.setup = setup, .actor = race, .final = free_all, .expects = "kcsan");

/* A variable on a stack, which another task is told of. */
static struct box *shared;
static int over;

static void wait_here(void)
{
	struct box local = { .id = 1 };

	WRITE_ONCE(shared, &local);
	while (!READ_ONCE(over))
		cpu_relax();
	local.corners[1].x++;
	WRITE_ONCE(shared, NULL);
}

static void race_on_stack(unsigned int n)
{
	struct box *b;

	if (!n) {
		wait_here();
		return;
	}
	b = READ_ONCE(shared);
	if (b) {
		b->corners[1].x++;
		WRITE_ONCE(over, 1);
	}
}

/* Where the other is not told, nobody ends the wait. */
static void race_on_stack_prepare(void)
{
	shared = NULL;
	over = 0;
}

PROGRAM(names_stack, "names-stack", "two tasks race for a local variable", 2,
	.setup = race_on_stack_prepare, .actor = race_on_stack, .expects = "kcsan");

static u64 per_cpu_address(void)
{
	return (u64)(unsigned long)&per_cpu_box + offsetof(struct box, range.high);
}

static void nothing(unsigned int n)
{
	this_cpu_write(per_cpu_box.id, n);
}

PROGRAM(names_per_cpu, "names-per-cpu", "says where a per-CPU variable is", 2, .actor = nothing,
	.state = per_cpu_address);

/* ---- memory errors: one each ---- */

static void use_after_free(unsigned int n)
{
	struct box *gone = kmalloc(sizeof(*gone), GFP_KERNEL);

	gone->range.low = 1;
	kfree(gone);
	DET_CHECK(READ_ONCE(gone->range.high) != n + 1);
}

static void out_of_bounds(unsigned int n)
{
	u32 *small = kmalloc(5 * sizeof(*small), GFP_KERNEL);

	WRITE_ONCE(small[6], n);
	kfree(small);
}

static void double_free(unsigned int n)
{
	struct point *twice = kmalloc(sizeof(*twice), GFP_KERNEL);

	kfree(twice);
	kfree(twice);
}

static void invalid_free(unsigned int n)
{
	struct box *inner = kmalloc(sizeof(*inner), GFP_KERNEL);

	kfree(&inner->corners[1]);
	kfree(&table[n]);
	kfree(inner);
}

static void leak(unsigned int n)
{
	struct row *lost = kmalloc(struct_size(lost, points, 7), GFP_KERNEL);

	lost->nr = n;
}

#define ERROR(id, title, about, kind) \
	PROGRAM(names_##id, title, about, 1, .actor = id, .final = det_check_leaks, .expects = kind)

ERROR(use_after_free, "names-use-after-free", "a field of a freed object is read", "kasan");
ERROR(out_of_bounds, "names-out-of-bounds", "a store behind an array", "kasan");
ERROR(double_free, "names-double-free", "an object is freed twice", "kasan");
ERROR(invalid_free, "names-invalid-free", "what kmalloc did not give is freed", "kasan");
ERROR(leak, "names-leak", "an object is left", "leak");
