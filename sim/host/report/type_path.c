// SPDX-License-Identifier: GPL-2.0-only
/*
 * From an offset in a type to the name of what lies there: members, array elements, the first
 * member of a union that has room.
 */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "debug_info.h"

#define MAX_DIMENSIONS 4
#define MAX_DEPTH      32 /* of types in each other */

bool debug_type(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attr), type) &&
	       !dwarf_peel_type(type, type);
}

bool debug_pointee(Dwarf_Die *type, Dwarf_Die *pointee)
{
	return dwarf_tag(type) == DW_TAG_pointer_type && debug_type(type, pointee);
}

static bool is_aggregate(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static bool number(Dwarf_Die *die, unsigned int name, Dwarf_Word *value)
{
	Dwarf_Attribute attr;

	return !dwarf_formudata(dwarf_attr(die, name, &attr), value);
}

/* Elements of each dimension of an array; 0: no bound. */
static unsigned int dimensions(Dwarf_Die *array, uint64_t *counts)
{
	unsigned int nr = 0;
	Dwarf_Word value;
	Dwarf_Die die;

	if (dwarf_child(array, &die))
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type || nr == MAX_DIMENSIONS)
			continue;
		counts[nr] = 0;
		if (number(&die, DW_AT_count, &value))
			counts[nr] = value;
		else if (number(&die, DW_AT_upper_bound, &value) && value + 1 < UINT32_MAX)
			counts[nr] = value + 1;
		nr++;
	} while (!dwarf_siblingof(&die, &die));
	return nr;
}

bool debug_element(Dwarf_Die *array, Dwarf_Die *element)
{
	return dwarf_tag(array) == DW_TAG_array_type && debug_type(array, element);
}

static uint64_t member_offset(Dwarf_Die *member)
{
	Dwarf_Word value;

	if (number(member, DW_AT_data_member_location, &value))
		return value;
	return number(member, DW_AT_data_bit_offset, &value) ? value / 8 : 0;
}

static bool last_member(Dwarf_Die *type, Dwarf_Die *last)
{
	bool found = false;
	Dwarf_Die die;

	if (dwarf_tag(type) != DW_TAG_structure_type || dwarf_child(type, &die))
		return false;
	do {
		if (dwarf_tag(&die) == DW_TAG_member) {
			*last = die;
			found = true;
		}
	} while (!dwarf_siblingof(&die, &die));
	return found;
}

bool debug_open_end(Dwarf_Die *type, uint64_t *start, uint64_t *element)
{
	uint64_t counts[MAX_DIMENSIONS];
	Dwarf_Die at = *type, last, inner;

	*start = 0;
	while (last_member(&at, &last)) {
		*start += member_offset(&last);
		if (!debug_type(&last, &at))
			return false;
	}
	if (!debug_element(&at, &inner) || (dimensions(&at, counts) && counts[0]))
		return false;
	*element = size_of(&inner);
	return *element;
}

bool debug_member(Dwarf_Die *type, const char *name, Dwarf_Die *member)
{
	Dwarf_Die inner;
	const char *is;

	if (!is_aggregate(type) || dwarf_child(type, member))
		return false;
	do {
		if (dwarf_tag(member) != DW_TAG_member)
			continue;
		is = dwarf_diename(member);
		if (is && !strcmp(is, name))
			return true;
		if (!is && debug_type(member, &inner)) {
			Dwarf_Die deeper;

			if (debug_member(&inner, name, &deeper)) {
				*member = deeper;
				return true;
			}
		}
	} while (!dwarf_siblingof(member, member));
	return false;
}

static __attribute__((format(printf, 3, 4))) void append(char *buf, size_t n, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf + len, n - len, fmt, args);
	va_end(args);
}

static bool has_room(Dwarf_Die *member, uint64_t offset, uint64_t size, Dwarf_Die *type)
{
	uint64_t start, element, at = member_offset(member);

	return dwarf_tag(member) == DW_TAG_member && offset >= at && debug_type(member, type) &&
	       (offset + (size ? size : 1) <= at + size_of(type) ||
		debug_open_end(type, &start, &element));
}

/* Is there something of exactly this size at the offset? */
static bool ends_exactly(Dwarf_Die *type, uint64_t offset, uint64_t size, int depth)
{
	uint64_t bytes = size_of(type);
	Dwarf_Die die, inner;

	if (depth == MAX_DEPTH)
		return false;
	if (!offset && bytes == size)
		return true;
	if (debug_element(type, &inner)) {
		bytes = size_of(&inner);
		return bytes && ends_exactly(&inner, offset % bytes, size, depth + 1);
	}
	if (!is_aggregate(type) || dwarf_child(type, &die))
		return false;
	do {
		if (has_room(&die, offset, size, &inner) &&
		    ends_exactly(&inner, offset - member_offset(&die), size, depth + 1))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* The member that holds all of it; of several in a union the first that has such a part. */
static bool member_at(Dwarf_Die *type, uint64_t *offset, uint64_t size, Dwarf_Die *member)
{
	bool found = false;
	Dwarf_Die die, inner;

	if (dwarf_child(type, &die))
		return false;
	do {
		if (!has_room(&die, *offset, size, &inner))
			continue;
		if (!found)
			*member = die;
		found = true;
		if (ends_exactly(&inner, *offset - member_offset(&die), size, 0)) {
			*member = die;
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
	if (found)
		*offset -= member_offset(member);
	return found;
}

/* One step into an array: false where the access is to more than one element. */
static bool index_path(Dwarf_Die *array, uint64_t *offset, uint64_t size, char *buf, size_t n)
{
	uint64_t counts[MAX_DIMENSIONS], element, inner = 1;
	unsigned int nr = dimensions(array, counts), i;
	Dwarf_Die type;

	element = debug_element(array, &type) ? size_of(&type) : 0;
	if (!element || *offset % element + size > element)
		return false;
	for (i = 1; i < nr; i++)
		inner *= counts[i];
	for (i = 0; i < nr && inner; i++) {
		append(buf, n, "[%lu]", *offset / element / inner);
		*offset %= inner * element;
		if (i + 1 < nr)
			inner /= counts[i + 1] ? counts[i + 1] : 1;
	}
	return true;
}

static void part_of(Dwarf_Die *type, uint64_t offset, uint64_t size, char *buf, size_t n)
{
	if (!size || (!offset && size >= size_of(type)))
		return;
	if (size > 1)
		append(buf, n, " (bytes %lu to %lu)", offset, offset + size - 1);
	else
		append(buf, n, " (byte %lu)", offset);
}

void debug_path(Dwarf_Die *type, uint64_t offset, uint64_t size, char *buf, size_t n)
{
	Dwarf_Die at = *type, member;

	for (;;) {
		if (dwarf_tag(&at) == DW_TAG_array_type) {
			if (!index_path(&at, &offset, size, buf, n) || !debug_element(&at, &at))
				break;
			continue;
		}
		if (!is_aggregate(&at) || !member_at(&at, &offset, size, &member))
			break;
		if (dwarf_diename(&member))
			append(buf, n, ".%s", dwarf_diename(&member));
		if (!debug_type(&member, &at))
			break;
	}
	part_of(&at, offset, size, buf, n);
}
