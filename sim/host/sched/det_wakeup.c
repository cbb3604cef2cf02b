// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "det_wakeup.h"

static struct wakeup *unused;

struct wakeup *wakeup_leaf(uint8_t id, const struct det_op *op)
{
	struct wakeup *w = unused;

	if (w)
		unused = w->next;
	else
		w = malloc(sizeof(*w));
	if (!w)
		abort();
	*w = (struct wakeup){ .op = *op, .id = id };
	return w;
}

void wakeup_free(struct wakeup *w)
{
	struct wakeup *next;

	for (; w; w = next) {
		next = w->next;
		wakeup_free(w->first);
		w->next = unused;
		unused = w;
	}
}

bool wakeup_is_initial(uint8_t id, const struct det_op *op, const struct wakeup_seq *v, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (v[i].id == id)
			return true;
		if (det_dependent(&v[i].op, op))
			return false;
	}
	return true;
}

static uint32_t without(struct wakeup_seq *v, uint32_t n, uint8_t id)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (v[i].id == id) {
			memmove(&v[i], &v[i + 1], (n - i - 1) * sizeof(*v));
			return n - 1;
		}
	return n;
}

void wakeup_insert(struct wakeup **tree, struct wakeup_seq *v, uint32_t n)
{
	struct wakeup **at = tree, *w;
	uint32_t i;

	while (*at) {
		w = *at;
		if (!wakeup_is_initial(w->id, &w->op, v, n)) {
			at = &w->next;
			continue;
		}
		n = without(v, n, w->id);
		if (!n || !w->first)
			return;
		at = &w->first;
	}
	for (i = 0; i < n; i++) {
		*at = wakeup_leaf(v[i].id, &v[i].op);
		at = &(*at)->first;
	}
}
