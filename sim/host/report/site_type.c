// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an allocation is for. kmalloc() knows a size only; the type is that of the variable or
 * member that takes the pointer, as the source line of the call says. Where the source cannot be
 * read, it is the one type of that size that the function has a pointer to.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "debug_info.h"

#define MAX_LINE    256
#define LINES_ABOVE 3  /* a statement may have begun so much higher */
#define MAX_DEPTH   16 /* of blocks in each other */

/* ---- the source ---- */

struct source {
	char lines[LINES_ABOVE + 1][MAX_LINE]; /* the last one is the call's */
	unsigned int nr;
};

static bool read_source(const char *path, int line, struct source *src)
{
	FILE *f = path ? fopen(path, "re") : NULL;
	char text[MAX_LINE];
	int i, c;

	src->nr = 0;
	if (!f)
		return false;
	for (i = 1; i <= line && fgets(text, sizeof(text), f); i++) {
		if (i >= line - LINES_ABOVE)
			strcpy(src->lines[src->nr++], text);
		if (!strchr(text, '\n'))
			while ((c = getc(f)) != EOF && c != '\n')
				;
	}
	fclose(f);
	return i > line && src->nr;
}

/* The "=" of the assignment that gets the result: the last one before "...alloc...(", or the first.
 */
static const char *assignment(const char *text)
{
	const char *call = strstr(text, "alloc"), *p, *found = NULL;

	for (p = text; *p; p++) {
		if (*p != '=' || p[1] == '=' || p == text || strchr("=!<>+-*/&|^%", p[-1])) {
			p += *p == '=' && p[1] == '=';
			continue;
		}
		if (!found || (call && p < call))
			found = p;
	}
	return found;
}

static bool is_part(int c)
{
	return isalnum(c) || c == '_' || c == '.';
}

/* The expression that ends before @end: "p", "x->y", "t->chunks[chunk]". */
static void left_side(const char *text, const char *end, char *out, size_t n)
{
	const char *p, *star, *before;
	int depth = 0;

	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	for (p = end; p > text; p--) {
		if (p[-1] == ']')
			depth++;
		else if (p[-1] == '[')
			depth--;
		else if (p[-1] == '>' && p - 1 > text && p[-2] == '-')
			p--;
		else if (!depth && !is_part((unsigned char)p[-1]))
			break;
	}
	/* "*p = " is a place to store at, "struct thing *p = " is none */
	for (star = p; star > text && star[-1] == '*'; star--)
		;
	for (before = star; before > text && isspace((unsigned char)before[-1]); before--)
		;
	if (before == text || !is_part((unsigned char)before[-1]))
		p = star;
	snprintf(out, n, "%.*s", (int)(end - p), p);
}

/* What the call's result goes to: an expression, or "return". */
static bool taker(const struct source *src, char *out, size_t n)
{
	unsigned int i = src->nr;
	const char *text, *eq;

	while (i--) {
		text = src->lines[i];
		if (i + 1 < src->nr && strpbrk(text, ";{}"))
			return false;
		eq = assignment(text);
		if (eq) {
			left_side(text, eq, out, n);
			return *out;
		}
		text += strspn(text, " \t");
		if (!strncmp(text, "return", 6) && !is_part((unsigned char)text[6])) {
			snprintf(out, n, "return");
			return true;
		}
	}
	return false;
}

/* ---- the function's variables ---- */

typedef bool variable_fn(Dwarf_Die *variable, void *arg); /* true: go no further */

static bool each_variable(Dwarf_Die *parent, variable_fn *fn, void *arg, int depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && fn(&die, arg))
			return true;
		if (tag == DW_TAG_lexical_block && each_variable(&die, fn, arg, depth + 1))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* As it was written: an inlined copy may lack what was optimised away. */
static Dwarf_Die written(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (dwarf_formref_die(dwarf_attr(function, DW_AT_abstract_origin, &attr), &origin))
		return origin;
	return *function;
}

struct by_name {
	const char *name;
	int line;
	int best;
	Dwarf_Die found;
};

static bool has_name(Dwarf_Die *variable, void *arg)
{
	const char *name = dwarf_diename(variable);
	struct by_name *n = arg;
	int line = 0;

	if (!name || strcmp(name, n->name))
		return false;
	dwarf_decl_line(variable, &line);
	/* The last declaration above hides those before it. */
	if (line <= n->line && line >= n->best) {
		n->best = line;
		n->found = *variable;
	}
	return false;
}

static bool variable_named(const struct debug_scope *s, const char *name, Dwarf_Die *variable)
{
	struct by_name n = { .name = name, .line = s->line, .best = -1 };
	Dwarf_Die function = written((Dwarf_Die *)&s->die), unit, die;

	each_variable(&function, has_name, &n, 0);
	if (n.best >= 0) {
		*variable = n.found;
		return true;
	}
	if (!dwarf_diecu(&function, &unit, NULL, NULL) || dwarf_child(&unit, &die))
		return false;
	do {
		const char *is = dwarf_tag(&die) == DW_TAG_variable ? dwarf_diename(&die) : NULL;

		if (is && !strcmp(is, name)) {
			*variable = die;
			return true;
		}
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* One step of "x->y[i].z": false where the types do not go along. */
static bool step(const char **text, Dwarf_Die *type, char *name, size_t n)
{
	Dwarf_Die member;
	size_t len;

	if (**text == '[') {
		*text += strcspn(*text, "]");
		*text += **text == ']';
		return debug_pointee(type, type) || debug_element(type, type);
	}
	if (!strncmp(*text, "->", 2)) {
		if (!debug_pointee(type, type))
			return false;
		(*text)++;
	}
	(*text)++;
	for (len = 0; isalnum((unsigned char)(*text)[len]) || (*text)[len] == '_'; len++)
		;
	if (!len)
		return false;
	snprintf(name, n, "%.*s", (int)len, *text);
	*text += len;
	return debug_member(type, name, &member) && debug_type(&member, type);
}

/* The type of an expression; @name: its last identifier. */
static bool expression_type(const struct debug_scope *s, const char *text, Dwarf_Die *type,
			    char *name, size_t n)
{
	Dwarf_Die die;
	int stars = 0;
	size_t len;

	if (!strcmp(text, "return")) {
		die = s->die;
		return debug_type(&die, type);
	}
	for (; *text == '*'; text++)
		stars++;
	for (len = 0; isalnum((unsigned char)text[len]) || text[len] == '_'; len++)
		;
	snprintf(name, n, "%.*s", (int)len, text);
	if (!len || !variable_named(s, name, &die) || !debug_type(&die, type))
		return false;
	for (text += len; *text;)
		if (!step(&text, type, name, n))
			return false;
	while (stars--)
		if (!debug_pointee(type, type))
			return false;
	return true;
}

/* ---- which type it is ---- */

static bool fits(Dwarf_Die *type, uint64_t object, bool exactly)
{
	uint64_t start, element;
	Dwarf_Word size;

	if (dwarf_aggregate_size(type, &size) || !size || size > object)
		return false;
	if (size == object)
		return true;
	if (debug_open_end(type, &start, &element))
		return !exactly || (object - start) % element == 0;
	return !exactly || object % size == 0;
}

static bool is_struct(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool by_source(const struct debug_scope *s, uint64_t object, Dwarf_Die *type, char *name,
		      size_t n)
{
	struct source src;
	char text[128];

	if (!read_source(s->file, s->line, &src) || !taker(&src, text, sizeof(text)))
		return false;
	return expression_type(s, text, type, name, n) && debug_pointee(type, type) &&
	       fits(type, object, false);
}

struct by_size {
	uint64_t object;
	int line;
	bool exactly; /* one object, or no array of many */
	unsigned int nr;
	Dwarf_Die found;
};

static bool has_size(Dwarf_Die *variable, void *arg)
{
	struct by_size *b = arg;
	uint64_t start, element;
	Dwarf_Word size;
	Dwarf_Die type;
	int line = 0;

	dwarf_decl_line(variable, &line);
	if (line > b->line || !debug_type(variable, &type) || !debug_pointee(&type, &type) ||
	    !is_struct(&type) || !fits(&type, b->object, true))
		return false;
	if (b->exactly && !dwarf_aggregate_size(&type, &size) && size != b->object &&
	    !debug_open_end(&type, &start, &element))
		return false;
	if (!b->nr || dwarf_dieoffset(&type) != dwarf_dieoffset(&b->found))
		b->nr++;
	b->found = type;
	return false;
}

static bool by_size(const struct debug_scope *s, uint64_t object, Dwarf_Die *type)
{
	struct by_size b = { .object = object, .line = s->line, .exactly = true };
	Dwarf_Die function = written((Dwarf_Die *)&s->die);

	each_variable(&function, has_size, &b, 0);
	if (!b.nr) {
		b.exactly = false;
		each_variable(&function, has_size, &b, 0);
	}
	*type = b.found;
	return b.nr == 1;
}

bool debug_site_type(uintptr_t pc, uint64_t object, Dwarf_Die *type, char *name, size_t n)
{
	struct debug_scope scopes[DEBUG_MAX_SCOPES];
	unsigned int nr = debug_scopes(pc, scopes), i;

	/* A function that allocates for its caller has no type; its caller may have, if it is
	 * inlined there. */
	for (i = 0; i < nr; i++) {
		if (!scopes[i].ours)
			continue;
		*name = 0;
		if (by_source(&scopes[i], object, type, name, n))
			break;
		*name = 0;
		if (by_size(&scopes[i], object, type))
			break;
	}
	if (i == nr)
		return false;
	if (is_struct(type) && dwarf_diename(type))
		snprintf(name, n, "%s", dwarf_diename(type));
	else if (!*name && !is_struct(type))
		return false;
	else if (!*name)
		snprintf(name, n, "struct");
	return true;
}
