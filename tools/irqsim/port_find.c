// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <port.h>

/* A variant is a strategy with another part of the kernel. */
static bool is_kind(const struct port *p, const char *kind)
{
	return !strcmp(p->kind, kind) || (!strcmp(kind, "strategy") && !strcmp(p->kind, "variant"));
}

const struct port *port_find(const char *kind, const char *name)
{
	unsigned int i;

	for (i = 0; i < irqsim_nr_ports; i++) {
		const struct port *p = &irqsim_ports[i];

		if ((!kind || is_kind(p, kind)) && !strcmp(p->name, name))
			return p;
	}
	return NULL;
}
