// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data by name: fields of what was allocated, members of static variables. A type is found once for
 * each place that allocates and each variable.
 */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "debug_info.h"

struct known {
	uintptr_t at;	 /* a call that allocates, or the start of a variable */
	uint64_t object; /* the object's size */
	bool found;
	Dwarf_Die type;
	char name[64];
	struct known *next;
};

static struct known *sites, *variables;

static struct known *look_up(struct known **list, uintptr_t at, uint64_t object, bool *is_new)
{
	struct known *k;

	*is_new = false;
	for (k = *list; k; k = k->next)
		if (k->at == at && k->object == object)
			return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		abort();
	k->at = at;
	k->object = object;
	k->next = *list;
	*list = k;
	*is_new = true;
	return k;
}

/* Several in a row: which one. */
static void field(struct known *k, uint64_t offset, uint64_t size, char *buf, size_t len)
{
	uint64_t start, element;
	size_t n = strlen(k->name);
	Dwarf_Word one = 0;

	dwarf_aggregate_size(&k->type, &one);
	snprintf(buf, len, "%s", k->name);
	if (one && one < k->object && !debug_open_end(&k->type, &start, &element)) {
		if (offset % one + size > one && !(offset % one)) {
			snprintf(buf + n, len - n, "[%lu to %lu]", offset / one,
				 (offset + size - 1) / one);
			return;
		}
		snprintf(buf + n, len - n, "[%lu]", offset / one);
		offset %= one;
	}
	debug_path(&k->type, offset, size, buf, len);
}

void sim_field(const void *site, uint64_t object, uint64_t offset, uint64_t size, char *buf,
	       size_t len)
{
	uintptr_t pc = (uintptr_t)site - 1;
	struct known *k;
	bool is_new;

	*buf = 0;
	debug_lock();
	k = look_up(&sites, pc, object, &is_new);
	if (is_new)
		k->found = debug_site_type(pc, object, &k->type, k->name, sizeof(k->name));
	if (k->found)
		field(k, offset, size, buf, len);
	debug_unlock();
}

void sim_variable(const void *addr, uint64_t size, const void *pc, char *buf, size_t len)
{
	uintptr_t start;
	uint64_t bytes;
	const char *symbol, *name;
	struct known *k;
	Dwarf_Die die;
	bool is_new;

	*buf = 0;
	debug_lock();
	symbol = debug_symbol((uintptr_t)addr, &start, &bytes);
	if (!symbol)
		goto out;
	k = look_up(&variables, start, bytes, &is_new);
	if (is_new) {
		k->found = debug_variable(start, (uintptr_t)pc, &die) && debug_type(&die, &k->type);
		name = k->found ? dwarf_diename(&die) : symbol;
		snprintf(k->name, sizeof(k->name), "%s", name ? name : symbol);
	}
	snprintf(buf, len, "%s", k->name);
	if (k->found)
		debug_path(&k->type, (uintptr_t)addr - start, size, buf, len);
	else if ((uintptr_t)addr != start)
		snprintf(buf + strlen(buf), len - strlen(buf), " (byte %lu)",
			 (uintptr_t)addr - start);
out:
	debug_unlock();
}
