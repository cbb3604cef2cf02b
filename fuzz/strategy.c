// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sim/fault.h>
#include <sim/mm.h>

#include "strategy.h"

#define PAGE 4096UL

static char *page;	    /* writable, with an unmapped one behind it */
static char *readonly_page; /* the same memory, to be read only */

void strategy_map_pages(void)
{
	int fd = memfd_create("fuzz arguments", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, PAGE))
		err(1, "memfd_create");
	page = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readonly_page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || readonly_page == MAP_FAILED ||
	    mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		err(1, "pages for bad pointers");
	close(fd);
}

/* ---- which ---- */

static void sink(void *arg, int vm_fd, const struct port_event *ev)
{
	struct strategy *s = arg;

	(void)vm_fd;
	if (s->nr_events < STRATEGY_MAX_EVENTS)
		s->events[s->nr_events] = *ev;
	s->nr_events++;
}

static void take(struct strategy *s, const struct port *port)
{
	*s = (struct strategy){ .name = port->name, .ops = port->ops };
	if (port->ops->boot())
		errx(1, "%s does not boot", port->name);
	if (port->ops->open_kvm() != 0)
		errx(1, "%s: /dev/kvm is not descriptor 0", port->name);
	port->ops->set_event_sink(sink, s);
}

static bool wanted(const struct port *p, const char *strategy, const char *mutant)
{
	if (strcmp(p->subject, "routing"))
		return false;
	if (!strcmp(p->kind, "strategy"))
		return !strategy || !strcmp(p->name, strategy);
	return mutant && !strcmp(p->kind, "mutant") && !strcmp(p->name, mutant);
}

static void check_name(const char *variable, const char *kind)
{
	const char *name = getenv(variable);

	if (!name || port_find(kind, name))
		return;
	fprintf(stderr, "fuzz_routing: %s=%s: no such %s\n", variable, name, kind);
	exit(2);
}

unsigned int strategy_choose(struct strategy *all, unsigned int max)
{
	const char *strategy = getenv("IRQSIM_STRATEGY"), *mutant = getenv("IRQSIM_MUTANT");
	unsigned int i, n = 0;

	check_name("IRQSIM_STRATEGY", "strategy");
	check_name("IRQSIM_MUTANT", "mutant");
	for (i = 0; i < irqsim_nr_ports && n < max; i++)
		if (wanted(&irqsim_ports[i], strategy, mutant))
			take(&all[n++], &irqsim_ports[i]);
	return n;
}

/* ---- a call ---- */

/* Where user space says that @arg is. */
static unsigned long address(enum pointer pointer, void *arg, size_t size, size_t mapped)
{
	switch (pointer) {
	case POINTER_GOOD:
		break;
	case POINTER_NULL:
		return 0;
	case POINTER_UNMAPPED:
		return (unsigned long)page + PAGE;
	case POINTER_KERNEL:
		return 0xffff888000000000UL;
	case POINTER_WRAPS:
		return -8UL;
	case POINTER_CUT:
		return (unsigned long)memcpy(page + PAGE - mapped, arg, mapped);
	case POINTER_READONLY:
		/* A table that is longer than the page is only ever read. */
		if (size > PAGE)
			break;
		memcpy(page, arg, size);
		return (unsigned long)readonly_page;
	default:
		break;
	}
	return (unsigned long)arg;
}

static long with_argument(struct strategy *s, int fd, const struct call *c, void *arg, size_t size)
{
	return s->ops->ioctl(fd, c->cmd, address(c->pointer, arg, size, size / 2));
}

static long set_routing(struct strategy *s, int fd, const struct call *c,
			const struct kvm_irq_routing *t)
{
	unsigned long arg = (unsigned long)t;

	if (c->pointer != POINTER_GOOD)
		arg = address(c->pointer, (void *)t, sizeof(*t) + t->nr * sizeof(t->entries[0]),
			      sizeof(*t));
	return s->ops->ioctl(fd, c->cmd, arg);
}

static long irq_line(struct strategy *s, int fd, const struct call *c)
{
	struct kvm_irq_level line = c->u.line;
	long ret = with_argument(s, fd, c, &line, sizeof(line));

	if (c->pointer == POINTER_GOOD && !ret && c->cmd == KVM_IRQ_LINE_STATUS)
		s->status = line.status;
	return ret;
}

static long make(struct strategy *s, int fd, const struct call *c,
		 const struct kvm_irq_routing *table)
{
	struct kvm_enable_cap cap;
	struct kvm_msi msi;

	switch (c->kind) {
	case CALL_CLOSE_VM:
	case CALL_CLOSE_VCPU:
		return s->ops->close(fd);
	case CALL_SET_ROUTING:
		return set_routing(s, fd, c, table);
	case CALL_IRQ_LINE:
		return irq_line(s, fd, c);
	case CALL_ENABLE_CAP:
		cap = c->u.cap;
		return with_argument(s, fd, c, &cap, sizeof(cap));
	case CALL_SIGNAL_MSI:
		msi = c->u.msi;
		return with_argument(s, fd, c, &msi, sizeof(msi));
	default:
		return s->ops->ioctl(fd, c->cmd, c->u.number);
	}
}

long strategy_run(struct strategy *s, int fd, const struct call *c,
		  const struct kvm_irq_routing *table)
{
	long ret;

	s->nr_events = 0;
	s->status = 0;
	s->fault_hit = false;
	if (!c->fail_nth)
		return make(s, fd, c, table);

	sim_fail_nth_set(c->fail_nth);
	ret = make(s, fd, c, table);
	s->fault_hit = sim_fail_nth_hit();
	sim_fail_nth_set(0);

	return ret;
}
