/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executable's own DWARF, opened when first asked and read as far as needed: a unit when an
 * address is in it, its functions once. Calls are made with debug_lock() held.
 */
#ifndef SIM_HOST_DEBUG_INFO_H
#define SIM_HOST_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define DEBUG_MAX_SCOPES 32 /* functions inlined into each other */

void debug_lock(void);
void debug_unlock(void);

/* NULL: the executable has no debug information, or cannot be read. */
Dwarf *debug_info(void);

/* The compilation unit of a code address. */
bool debug_unit_at(uintptr_t pc, Dwarf_Die *unit);

/* Functions that a code address is in, innermost first; the last one is not inlined. */
struct debug_scope {
	Dwarf_Die die;
	const char *name;
	const char *file; /* where the code at the address is, in this function */
	int line;
	bool inlined;
	bool ours; /* of a .c file, not of a header */
};
unsigned int debug_scopes(uintptr_t pc, struct debug_scope *scopes);

/* The innermost one that was written in a .c file: what a reader takes for the place. */
const struct debug_scope *debug_place(const struct debug_scope *scopes, unsigned int nr);

/* As sim_symbol_lines(). */
int debug_lines(uintptr_t addr, char *buf, size_t size);

/* A name and the bounds of its symbol; NULL: no symbol there. */
const char *debug_symbol(uintptr_t addr, uintptr_t *start, uint64_t *size);

/* The definition of a variable that lies at @addr; searched in the unit of @pc first (0: none). */
bool debug_variable(uintptr_t addr, uintptr_t pc, Dwarf_Die *variable);

/* ---- types (type_path.c) ---- */

/* Without typedefs and qualifiers; false: void. */
bool debug_type(Dwarf_Die *of, Dwarf_Die *type);
bool debug_pointee(Dwarf_Die *type, Dwarf_Die *pointee);
/* Ends in an array without bounds. @start and @element: where it begins, what it is made of. */
bool debug_open_end(Dwarf_Die *type, uint64_t *start, uint64_t *element);
bool debug_member(Dwarf_Die *type, const char *name, Dwarf_Die *member);
bool debug_element(Dwarf_Die *array, Dwarf_Die *element);
/* Appends ".field[3].inner" for @size bytes (0: not known) at @offset of a variable of @type. */
void debug_path(Dwarf_Die *type, uint64_t offset, uint64_t size, char *buf, size_t n);

/*
 * The local variable at @addr of the frame that ends at @cfa: "item.done on the stack of
 * wait_here".
 */
void debug_local(uintptr_t pc, uintptr_t cfa, uintptr_t bp, uintptr_t addr, uint64_t size,
		 char *buf, size_t n);

/* ---- what an allocation is for (site_type.c) ---- */

/* @name: what to call one element of it. */
bool debug_site_type(uintptr_t pc, uint64_t object, Dwarf_Die *type, char *name, size_t n);

#endif
