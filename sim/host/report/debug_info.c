// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdw finds a unit by address in a table of the file; everything below a unit it walks. A unit
 * that has seen the kernel's headers has ten thousands of entries, so its functions are kept in
 * order of address.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_info.h"

struct range {
	uintptr_t low, high;
	Dwarf_Off die;
};

static struct unit {
	Dwarf_Off die;
	struct range *ranges;
	size_t nr;
	struct unit *next;
} * units;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void debug_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void debug_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

Dwarf *debug_info(void)
{
	static Dwarf *dwarf;
	static bool tried;
	int fd;

	if (tried)
		return dwarf;
	tried = true;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		dwarf = dwarf_begin(fd, DWARF_C_READ);
	return dwarf;
}

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static void add_function(struct unit *u, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		if (!(u->nr & (u->nr - 1)))
			u->ranges =
				realloc(u->ranges, (u->nr ? 2 * u->nr : 1) * sizeof(*u->ranges));
		if (!u->ranges)
			abort();
		u->ranges[u->nr++] = (struct range){ low, high, dwarf_dieoffset(die) };
	}
}

static struct unit *unit_of(Dwarf_Die *cu)
{
	Dwarf_Off off = dwarf_dieoffset(cu);
	struct unit *u;
	Dwarf_Die die;

	for (u = units; u; u = u->next)
		if (u->die == off)
			return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		abort();
	u->die = off;
	u->next = units;
	units = u;
	if (!dwarf_child(cu, &die))
		do {
			if (dwarf_tag(&die) == DW_TAG_subprogram)
				add_function(u, &die);
		} while (!dwarf_siblingof(&die, &die));
	if (u->nr)
		qsort(u->ranges, u->nr, sizeof(*u->ranges), by_address);
	return u;
}

bool debug_unit_at(uintptr_t pc, Dwarf_Die *unit)
{
	return debug_info() && dwarf_addrdie(debug_info(), pc, unit);
}

static bool function_at(struct unit *u, uintptr_t pc, Dwarf_Die *die)
{
	size_t low = 0, high = u->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (u->ranges[mid].low <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && pc < u->ranges[low - 1].high &&
	       dwarf_offdie(debug_info(), u->ranges[low - 1].die, die);
}

/* The child of @die that @pc is in: a block, or an inlined function. */
static bool inner_scope(Dwarf_Die die, uintptr_t pc, Dwarf_Die *inner)
{
	if (dwarf_child(&die, inner))
		return false;
	do {
		int tag = dwarf_tag(inner);

		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
		    dwarf_haspc(inner, pc) == 1)
			return true;
	} while (!dwarf_siblingof(inner, inner));
	return false;
}

static void call_place(Dwarf_Die *inlined, Dwarf_Die *unit, struct debug_scope *s)
{
	Dwarf_Word file = 0, line = 0;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t nr;

	dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file);
	dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line);
	if (!dwarf_getsrcfiles(unit, &files, &nr) && file < nr)
		s->file = dwarf_filesrc(files, file, NULL, NULL);
	s->line = (int)line;
}

static void line_place(Dwarf_Die *unit, uintptr_t pc, struct debug_scope *s)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, pc);

	if (!line)
		return;
	s->file = dwarf_linesrc(line, NULL, NULL);
	dwarf_lineno(line, &s->line);
}

static void describe(struct debug_scope *s)
{
	const char *file = dwarf_decl_file(&s->die);
	size_t len = file ? strlen(file) : 0;

	s->name = dwarf_diename(&s->die);
	s->inlined = dwarf_tag(&s->die) == DW_TAG_inlined_subroutine;
	s->ours = len > 2 && !strcmp(file + len - 2, ".c");
}

unsigned int debug_scopes(uintptr_t pc, struct debug_scope *scopes)
{
	struct debug_scope outer[DEBUG_MAX_SCOPES];
	unsigned int nr = 0, i;
	Dwarf_Die unit, die;

	if (!debug_unit_at(pc, &unit) || !function_at(unit_of(&unit), pc, &die))
		return 0;
	do {
		if (dwarf_tag(&die) == DW_TAG_lexical_block)
			continue;
		if (nr == DEBUG_MAX_SCOPES)
			break;
		outer[nr] = (struct debug_scope){ .die = die };
		describe(&outer[nr]);
		if (nr)
			call_place(&die, &unit, &outer[nr - 1]);
		nr++;
	} while (inner_scope(die, pc, &die));
	line_place(&unit, pc, &outer[nr - 1]);
	for (i = 0; i < nr; i++)
		scopes[i] = outer[nr - 1 - i];
	return nr;
}

const struct debug_scope *debug_place(const struct debug_scope *scopes, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (scopes[i].ours)
			return &scopes[i];
	return nr ? &scopes[nr - 1] : NULL;
}

/* ---- variables ---- */

static bool lies_at(Dwarf_Die *variable, uintptr_t addr)
{
	Dwarf_Attribute attr, where;
	Dwarf_Addr a = 0;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(variable, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &nr) ||
	    nr != 1)
		return false;
	if (ops[0].atom == DW_OP_addr)
		return ops[0].number == addr;
	return ops[0].atom == DW_OP_addrx && !dwarf_getlocation_attr(&attr, ops, &where) &&
	       !dwarf_formaddr(&where, &a) && a == addr;
}

static bool find_in(Dwarf_Die *parent, uintptr_t addr, bool inside, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable && lies_at(&die, addr)) {
			*found = die;
			return true;
		}
		if (inside &&
		    (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_inlined_subroutine) &&
		    find_in(&die, addr, true, found))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

bool debug_variable(uintptr_t addr, uintptr_t pc, Dwarf_Die *variable)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	if (pc && debug_unit_at(pc, &unit) && find_in(&unit, addr, true, variable))
		return true;
	if (!debug_info())
		return false;
	while (!dwarf_get_units(debug_info(), cu, &cu, NULL, NULL, &unit, NULL))
		if (find_in(&unit, addr, false, variable))
			return true;
	return false;
}
