// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for addresses: functions and lines from DWARF, what DWARF lacks (assembly) from the symbol
 * table. The KVM objects' symbols are local ones, which dladdr() does not see. The program is not
 * position independent, so an address is what its file says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/report.h>

#include "debug_info.h"

struct symbol {
	uintptr_t start;
	uint64_t size;
	const char *name;
};

static struct symbol *symbols;
static size_t nr_symbols;

/* Of several names at one address the longest reach first, then the first in the alphabet. */
static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void add_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	size_t n = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0, i;
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Sym sym;

	symbols = calloc(n, sizeof(*symbols));
	if (!symbols || !data)
		return;
	for (i = 0; i < n; i++) {
		if (!gelf_getsym(data, (int)i, &sym) || !sym.st_value || !sym.st_size ||
		    GELF_ST_TYPE(sym.st_info) > STT_FUNC || sym.st_shndx == SHN_UNDEF ||
		    sym.st_shndx >= SHN_LORESERVE)
			continue;
		name = elf_strptr(elf, shdr->sh_link, sym.st_name);
		if (name && *name)
			symbols[nr_symbols++] = (struct symbol){ sym.st_value, sym.st_size, name };
	}
	qsort(symbols, nr_symbols, sizeof(*symbols), by_start);
}

static void load_symbols(void)
{
	Elf *elf = debug_info() ? dwarf_getelf(debug_info()) : NULL;
	static bool tried;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (tried || !elf)
		return;
	tried = true;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB)
			add_symbols(elf, scn, &shdr);
}

const char *debug_symbol(uintptr_t addr, uintptr_t *start, uint64_t *size)
{
	size_t low = 0, high, i;

	load_symbols();
	high = nr_symbols;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (symbols[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	/* The last start is that of the innermost; its first name, if that reaches so far. */
	if (!low)
		return NULL;
	for (i = low - 1; i && symbols[i - 1].start == symbols[low - 1].start; i--)
		;
	if (addr - symbols[i].start >= symbols[i].size)
		return NULL;
	*start = symbols[i].start;
	*size = symbols[i].size;
	return symbols[i].name;
}

/* Trees are compiled from anywhere; a reader wants "irqchip.c:123" and the folder above it. */
static const char *short_path(const char *path)
{
	const char *p = path + strlen(path);
	int slashes = 0;

	while (p > path) {
		if (*--p == '/' && ++slashes == 3)
			return p + 1;
	}
	return path;
}

/* An inlined function has no offset that would mean something to a reader. */
static void print_place(const struct debug_scope *s, uintptr_t addr, char *buf, size_t size)
{
	const char *name, *where = s && s->name ? s->name : NULL;
	char offset[48] = "", line[160] = "";
	uintptr_t start;
	uint64_t len;

	name = debug_symbol(addr, &start, &len);
	if (!where && !name)
		return;
	if (name && !(s && s->inlined))
		snprintf(offset, sizeof(offset), "+0x%lx/0x%lx", (unsigned long)(addr - start),
			 (unsigned long)len);
	if (s && s->file)
		snprintf(line, sizeof(line), " (%s:%d)", short_path(s->file), s->line);
	snprintf(buf, size, "%s%s%s", where ? where : name, offset, line);
}

/* ---- texts that were asked for before ---- */

#define CACHE_SLOTS 1024

static struct cached {
	uintptr_t addr;
	char text[200];
} * cache[CACHE_SLOTS];

static const char *look_up(uintptr_t addr)
{
	struct cached **slot = &cache[(addr * 0x9e3779b97f4a7c15ULL) >> 54];
	struct debug_scope scopes[DEBUG_MAX_SCOPES];
	unsigned int nr;

	if (*slot && (*slot)->addr == addr)
		return (*slot)->text;
	if (!*slot)
		*slot = malloc(sizeof(**slot));
	if (!*slot)
		abort();
	(*slot)->addr = addr;
	strcpy((*slot)->text, "?");
	nr = debug_scopes(addr, scopes);
	print_place(debug_place(scopes, nr), addr, (*slot)->text, sizeof((*slot)->text));
	return (*slot)->text;
}

void sim_symbol(const void *addr, char *buf, size_t size)
{
	debug_lock();
	snprintf(buf, size, "%s", look_up((uintptr_t)addr));
	debug_unlock();
}

void sim_function(const void *addr, char *buf, size_t size)
{
	sim_symbol(addr, buf, size);
	buf[strcspn(buf, "+ ")] = 0;
}

int debug_lines(uintptr_t addr, char *buf, size_t size)
{
	struct debug_scope scopes[DEBUG_MAX_SCOPES];
	unsigned int nr, i;
	char line[200];
	size_t n = 0;
	int lines = 0;

	nr = debug_scopes(addr, scopes);
	*buf = 0;
	for (i = 0; i < nr; i++) {
		if (i + 1 < nr && !scopes[i].ours)
			continue;
		if (scopes[i].file && strstr(scopes[i].file, "/sim/host/"))
			break;
		*line = 0;
		print_place(&scopes[i], addr, line, sizeof(line));
		if (n < size)
			n += snprintf(buf + n, size - n, " %s\n", line);
		lines++;
	}
	return lines;
}

int sim_symbol_lines(const void *addr, char *buf, size_t size)
{
	int lines;

	debug_lock();
	lines = debug_lines((uintptr_t)addr, buf, size);
	debug_unlock();
	return lines;
}
