// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls on eventfds. A good share is what a VMM does: an eventfd, bound to a line or to a
 * message, written to, unbound with what it was bound with. All shares are assumed.
 */
#include <string.h>

#include "live_irq_choice.h"
#include "live_irq_image.h"

#define PICK(ch, list) ((list)[choice_below(ch, sizeof(list) / sizeof((list)[0]))])

#define RESAMPLE       KVM_IRQFD_FLAG_RESAMPLE
#define DEASSIGN       KVM_IRQFD_FLAG_DEASSIGN

static enum irq_fd an_eventfd(struct choice *ch)
{
	return choice_below(ch, IRQ_NR_FDS);
}

static enum irq_fd any_fd(struct choice *ch, unsigned int odd_percent)
{
	return irq_chance(ch, odd_percent) ? FD_CLOSED + choice_below(ch, NR_IRQ_FDS - FD_CLOSED)
					   : an_eventfd(ch);
}

static void choose_write(struct choice *ch, struct irq_fd_call *c)
{
	static const uint64_t values[] = { 1, 1, 1, 1, 1, 1, 2, 3, 0, UINT64_MAX - 1, UINT64_MAX };

	c->kind = FD_WRITE;
	c->fd = irq_chance(ch, 3) ? FD_CLOSED : an_eventfd(ch);
	c->value = PICK(ch, values);
}

static void choose_irqfd(struct choice *ch, struct irq_bound *bound, struct irq_fd_call *c)
{
	static const uint32_t gsis[] = { 23, 24, 4094, 4096, 0x7fffffff, UINT32_MAX };
	static const uint32_t flags[] = { 4, 5, 8, 0x40000000, 0x80000000, UINT32_MAX };

	c->kind = FD_IRQFD;
	c->fd = any_fd(ch, 8);
	c->with = any_fd(ch, 8);
	c->gsi = irq_chance(ch, 90) ? irq_lines[choice_below(ch, IRQ_NR_LINES)] : PICK(ch, gsis);
	if (irq_chance(ch, 45))
		c->flags |= RESAMPLE;
	if (c->fd < IRQ_NR_FDS && bound->is[c->fd] && irq_chance(ch, 50)) {
		c->gsi = bound->gsi[c->fd];
		c->flags |= DEASSIGN;
	}
	if (irq_chance(ch, 5))
		c->flags |= DEASSIGN;
	if (irq_chance(ch, 3))
		c->flags = PICK(ch, flags);
	c->no_pointer = irq_chance(ch, 1);
	if (c->fd >= IRQ_NR_FDS || c->no_pointer)
		return;
	bound->is[c->fd] = !(c->flags & DEASSIGN);
	bound->gsi[c->fd] = c->gsi;
}

static void choose_ioeventfd(struct choice *ch, struct irq_fd_call *c)
{
	static const uint32_t lens[] = { 0, 1, 2, 4, 8, 3, 16, UINT32_MAX };
	static const uint64_t addrs[] = { 0x80, 0x80, 0xc000, 0xfffff000, UINT64_MAX - 1 };

	c->kind = FD_IOEVENTFD;
	c->fd = any_fd(ch, 8);
	c->io.addr = PICK(ch, addrs);
	c->io.len = PICK(ch, lens);
	c->io.datamatch = choice_below(ch, 2);
	/* All four that there are; now and then one that there is not. */
	c->io.flags = choice_below(ch, 16);
	if (irq_chance(ch, 5))
		c->io.flags |= 1u << choice_below(ch, 32);
	c->no_pointer = irq_chance(ch, 1);
}

bool irq_first_fd(struct choice *ch, unsigned int nth, struct irq_bound *bound,
		  struct irq_fd_call *c)
{
	if (nth < IRQ_NR_FDS) {
		*c = (struct irq_fd_call){ .kind = FD_EVENTFD, .fd = nth };
		return true;
	}
	if (nth >= IRQ_NR_FDS + IRQ_RESAMPLEFD)
		return false;
	*c = (struct irq_fd_call){ .kind = FD_IRQFD,
				   .fd = nth - IRQ_NR_FDS,
				   .with = IRQ_RESAMPLEFD };
	c->gsi = irq_lines[choice_below(ch, IRQ_NR_LINES)];
	c->flags = irq_chance(ch, 60) ? RESAMPLE : 0;
	bound->is[c->fd] = true;
	bound->gsi[c->fd] = c->gsi;
	return true;
}

void irq_choose_fd(struct choice *ch, struct irq_bound *bound, struct irq_fd_call *c)
{
	uint32_t r = choice_below(ch, 100);

	memset(c, 0, sizeof(*c));
	if (r < 45) {
		choose_write(ch, c);
	} else if (r < 78) {
		choose_irqfd(ch, bound, c);
	} else if (r < 82) {
		choose_ioeventfd(ch, c);
	} else {
		c->kind = r < 90   ? FD_READ
			  : r < 93 ? FD_EVENTFD
			  : r < 95 ? FD_SEMAPHORE
			  : r < 98 ? FD_DUP
				   : FD_CLOSE;
		c->fd = an_eventfd(ch);
		c->with = an_eventfd(ch);
	}
}
