// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ranges of units are read at once, of functions when their unit is first asked for: a unit that
 * has seen the kernel's headers has ten thousands of entries.
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

struct ranges {
	struct range *all;
	size_t nr;
};

static struct unit {
	Dwarf_Off die;
	struct ranges functions;
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

static void add_range(struct ranges *r, uintptr_t low, uintptr_t high, Dwarf_Off die)
{
	if (!(r->nr & (r->nr - 1)))
		r->all = realloc(r->all, (r->nr ? 2 * r->nr : 1) * sizeof(*r->all));
	if (!r->all)
		abort();
	r->all[r->nr++] = (struct range){ low, high, die };
}

static void add_ranges(struct ranges *r, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		/* Sections that the linker dropped are left at 0. */
		if (low)
			add_range(r, low, high, dwarf_dieoffset(die));
	}
}

static void sort_ranges(struct ranges *r)
{
	if (r->nr)
		qsort(r->all, r->nr, sizeof(*r->all), by_address);
}

static bool find_range(const struct ranges *r, uintptr_t pc, Dwarf_Die *die)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (r->all[mid].low <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low && pc < r->all[low - 1].high &&
	       dwarf_offdie(debug_info(), r->all[low - 1].die, die);
}

/* Not by .debug_aranges, which clang does not write. */
bool debug_unit_at(uintptr_t pc, Dwarf_Die *unit)
{
	static struct ranges all;
	Dwarf_CU *cu = NULL;

	if (!debug_info())
		return false;
	if (!all.nr) {
		while (!dwarf_get_units(debug_info(), cu, &cu, NULL, NULL, unit, NULL))
			add_ranges(&all, unit);
		sort_ranges(&all);
	}
	return find_range(&all, pc, unit);
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
				add_ranges(&u->functions, &die);
		} while (!dwarf_siblingof(&die, &die));
	sort_ranges(&u->functions);
	return u;
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
	Dwarf_Attribute attr;

	/* What simulates a kernel function has its name at the link. */
	s->name = dwarf_formstring(dwarf_attr_integrate(&s->die, DW_AT_linkage_name, &attr));
	if (!s->name)
		s->name = dwarf_diename(&s->die);
	s->inlined = dwarf_tag(&s->die) == DW_TAG_inlined_subroutine;
}

/* By where its code is: a declaration may be in a header. */
static bool is_ours(const struct debug_scope *s)
{
	size_t len = s->file ? strlen(s->file) : 0;

	return len > 2 && !strcmp(s->file + len - 2, ".c");
}

/*
 * gcc splits a function and puts the first part back into the second, as called from the line of
 * its declaration: one function again.
 */
static unsigned int join_split(struct debug_scope *outer, unsigned int nr)
{
	unsigned int from, to = 0;
	int line = 0;

	for (from = 1; from < nr; from++) {
		struct debug_scope *s = &outer[from], *above = &outer[to];

		dwarf_decl_line(&s->die, &line);
		if (s->name && above->name && !strcmp(s->name, above->name) &&
		    (above->line == line || above->line == s->line)) {
			above->file = s->file;
			above->line = s->line;
		} else {
			outer[++to] = *s;
		}
	}
	return nr ? to + 1 : 0;
}

unsigned int debug_scopes(uintptr_t pc, struct debug_scope *scopes)
{
	struct debug_scope outer[DEBUG_MAX_SCOPES];
	unsigned int nr = 0, i;
	Dwarf_Die unit, die;

	if (!debug_unit_at(pc, &unit) || !find_range(&unit_of(&unit)->functions, pc, &die))
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
	nr = join_split(outer, nr);
	for (i = 0; i < nr; i++) {
		scopes[i] = outer[nr - 1 - i];
		scopes[i].ours = is_ours(&scopes[i]);
	}
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

static bool address_of(Dwarf_Die *variable, uintptr_t *addr)
{
	Dwarf_Attribute attr, where;
	Dwarf_Addr a = 0;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(variable, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &nr) ||
	    nr != 1)
		return false;
	if (ops[0].atom == DW_OP_addr)
		a = ops[0].number;
	else if (ops[0].atom != DW_OP_addrx || dwarf_getlocation_attr(&attr, ops, &where) ||
		 dwarf_formaddr(&where, &a))
		return false;
	*addr = a;
	return true;
}

/* Also those of functions and blocks. */
static bool find_in(Dwarf_Die *parent, uintptr_t addr, Dwarf_Die *found)
{
	uintptr_t at;
	Dwarf_Die die;

	if (dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable && address_of(&die, &at) && at == addr) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_inlined_subroutine) &&
		    find_in(&die, addr, found))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static void add_variables(struct ranges *r, Dwarf_Die *unit)
{
	uintptr_t at;
	Dwarf_Die die;

	if (dwarf_child(unit, &die))
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_variable && address_of(&die, &at))
			add_range(r, at, at + 1, dwarf_dieoffset(&die));
	} while (!dwarf_siblingof(&die, &die));
}

bool debug_variable(uintptr_t addr, uintptr_t pc, Dwarf_Die *variable)
{
	static struct ranges all;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	if (pc && debug_unit_at(pc, &unit) && find_in(&unit, addr, variable))
		return true;
	if (!debug_info())
		return false;
	if (!all.nr) {
		while (!dwarf_get_units(debug_info(), cu, &cu, NULL, NULL, &unit, NULL))
			add_variables(&all, &unit);
		sort_ranges(&all);
	}
	return find_range(&all, addr, variable);
}
