// SPDX-License-Identifier: GPL-2.0-only
/*
 * Local variables by where they lie in a frame.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "debug_info.h"

#define MAX_DEPTH 16 /* of blocks in each other */

struct local {
	uintptr_t pc, base, addr;
	Dwarf_Die found, type;
	uintptr_t start;
};

/* What DW_OP_fbreg counts from: the frame's end, or the frame pointer. */
static uintptr_t frame_base(Dwarf_Die *function, uintptr_t cfa, uintptr_t bp)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_attr(function, DW_AT_frame_base, &attr) && !dwarf_getlocation(&attr, &ops, &nr) &&
	    nr == 1 && ops[0].atom == DW_OP_reg6)
		return bp;
	return cfa;
}

static bool holds(struct local *l, Dwarf_Die *variable)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	Dwarf_Word size;
	Dwarf_Die type;
	size_t nr;

	if (!dwarf_attr(variable, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, l->pc, &ops, &nr, 1) != 1 || !nr ||
	    ops[0].atom != DW_OP_fbreg || nr > 1 || !debug_type(variable, &type) ||
	    dwarf_aggregate_size(&type, &size))
		return false;
	l->start = l->base + ops[0].number;
	if (l->addr < l->start || l->addr - l->start >= size)
		return false;
	l->found = *variable;
	l->type = type;
	return true;
}

static bool find(struct local *l, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && holds(l, &die))
			return true;
		if (tag == DW_TAG_lexical_block && find(l, &die, depth + 1))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

void debug_local(uintptr_t pc, uintptr_t cfa, uintptr_t bp, uintptr_t addr, uint64_t size,
		 char *buf, size_t n)
{
	struct debug_scope scopes[DEBUG_MAX_SCOPES];
	unsigned int nr = debug_scopes(pc, scopes), i;
	struct local l = { .pc = pc, .addr = addr };
	const struct debug_scope *s = debug_place(scopes, nr);
	size_t len;

	if (!nr)
		return;
	l.base = frame_base(&scopes[nr - 1].die, cfa, bp);
	for (i = 0; i < nr; i++)
		if (find(&l, &scopes[i].die, 0))
			break;
	if (i < nr) {
		snprintf(buf, n, "%s", dwarf_diename(&l.found));
		debug_path(&l.type, addr - l.start, size, buf, n);
		s = &scopes[i];
	} else {
		snprintf(buf, n, "a variable");
	}
	len = strlen(buf);
	snprintf(buf + len, n - len, " on the stack of %s", s->name ? s->name : "?");
}
