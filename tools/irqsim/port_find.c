// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <port.h>

const struct port *port_find(const char *kind, const char *name)
{
	unsigned int i;

	for (i = 0; i < irqsim_nr_ports; i++) {
		const struct port *p = &irqsim_ports[i];

		if ((!kind || !strcmp(p->kind, kind)) && !strcmp(p->name, name))
			return p;
	}
	return NULL;
}
