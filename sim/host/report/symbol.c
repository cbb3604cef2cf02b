// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for code addresses, from the executable's own DWARF through elfutils' libdwfl: the KVM
 * objects' functions are local symbols, which dladdr() does not see.
 */
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sim/report.h>

static Dwfl *dwfl;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int open_self(void)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};

	if (dwfl)
		return 0;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return -1;
	if (dwfl_linux_proc_report(dwfl, getpid()) || dwfl_report_end(dwfl, NULL, NULL)) {
		dwfl_end(dwfl);
		dwfl = NULL;
		return -1;
	}
	return 0;
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

void sim_symbol(const void *addr, char *buf, size_t size)
{
	Dwarf_Addr a = (Dwarf_Addr)addr;
	const char *name, *file;
	Dwfl_Module *mod;
	Dwfl_Line *line;
	GElf_Off offset;
	GElf_Sym sym;
	int lineno;

	snprintf(buf, size, "?");
	pthread_mutex_lock(&mutex);
	if (open_self())
		goto out;
	mod = dwfl_addrmodule(dwfl, a);
	if (!mod)
		goto out;
	name = dwfl_module_addrinfo(mod, a, &offset, &sym, NULL, NULL, NULL);
	if (!name)
		goto out;
	line = dwfl_module_getsrc(mod, a);
	file = line ? dwfl_lineinfo(line, NULL, &lineno, NULL, NULL, NULL) : NULL;
	if (file)
		snprintf(buf, size, "%s+0x%lx/0x%lx (%s:%d)", name, (unsigned long)offset,
			 (unsigned long)sym.st_size, short_path(file), lineno);
	else
		snprintf(buf, size, "%s+0x%lx/0x%lx", name, (unsigned long)offset,
			 (unsigned long)sym.st_size);
out:
	pthread_mutex_unlock(&mutex);
}
