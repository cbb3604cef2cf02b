// SPDX-License-Identifier: GPL-2.0-only
/* The same random ioctls to two KVMs. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "live_choice.h"

#define MIN_CALLS \
	6 /* ioctls of one VM's sequence (assumed: enough for a set-up, a table and what */
#define MAX_CALLS 24 /* follows it; making a VM is what takes the time) */

struct pair {
	struct case_vm vm[2]; /* the simulated one, the real one */
	struct shadow sh;
	struct step steps[MAX_CALLS];
	struct step_answer answers[MAX_CALLS]; /* of the real one */
	unsigned int nr;
};

static void answer_text(char *buf, size_t size, const struct step_answer *a)
{
	json_t *status = json_object_get(a->seen, "status");

	if (a->err)
		snprintf(buf, size, "ret -1 %s", errno_name(a->err));
	else if (status)
		snprintf(buf, size, "ret %" PRId64 " status %d", a->ret,
			 (int)json_integer_value(status));
	else
		snprintf(buf, size, "ret %" PRId64, a->ret);
}

static void ask(struct case_vm *vm, const struct step *s, struct step_answer *a)
{
	answer_set(a, vm_step(vm, s));
	a->seen = json_object();
	if (s->kind == STEP_IRQ_LINE_STATUS && !a->err)
		json_object_set_new(a->seen, "status", vm_observe(vm, s, "status"));
}

static void report(const struct pair *p, const struct step_answer *sim, uint64_t seed,
		   struct live_result *out)
{
	char title[96], want[64], got[64];
	unsigned int last = p->nr - 1, i;
	size_t size;
	FILE *f = open_memstream(&out->json, &size);

	out->differs = true;
	answer_text(got, sizeof(got), sim);
	answer_text(want, sizeof(want), &p->answers[last]);
	snprintf(out->detail, sizeof(out->detail), "call %u %s: %.40s: %s; %.40s: %s", out->calls,
		 step_kind_name(p->steps[last].kind), p->vm[0].b->name, got, p->vm[1].b->name,
		 want);
	if (!f)
		return;
	snprintf(title, sizeof(title), "random, seed %" PRIu64 ", VM %u", seed, out->vms);
	for (i = 0; i < p->nr; i++)
		answer_write(f, 1, i, title, "none", &p->steps[i], &p->answers[i]);
	fclose(f);
}

/* One step on both; 0 or -errno. */
static int compare_step(struct pair *p, struct choice *ch, uint64_t seed, struct live_result *out)
{
	struct step_answer sim, *real = &p->answers[p->nr];
	struct step *s = &p->steps[p->nr];
	int ret = choice_step(ch, &p->sh, s);

	p->nr++;
	if (ret)
		return ret;
	ask(&p->vm[0], s, &sim);
	ask(&p->vm[1], s, real);
	out->calls++;
	shadow_apply(&p->sh, s, real->err ? -real->err : real->ret);
	if (sim.ret != real->ret || sim.err != real->err || !json_equal(sim.seen, real->seen))
		report(p, &sim, seed, out);
	json_decref(sim.seen);
	return 0;
}

static int compare_vm(struct backend *const *b, struct choice *ch, uint64_t seed,
		      unsigned int calls, struct live_result *out)
{
	const struct case_setup *none = case_setup_find("none");
	struct pair *p = calloc(1, sizeof(*p));
	const char *what = "";
	unsigned int i;
	int ret = 0;

	if (!p)
		return -ENOMEM;
	for (i = 0; i < 2 && !ret; i++) {
		ret = vm_open(&p->vm[i], b[i], none, &what);
		if (ret)
			snprintf(out->detail, sizeof(out->detail), "%s: %s: %s", b[i]->name, what,
				 errno_name(-ret));
	}
	out->vms++;
	shadow_init(&p->sh, none);
	while (!ret && !out->differs && p->nr < calls)
		ret = compare_step(p, ch, seed, out);
	while (i)
		vm_close(&p->vm[--i]);
	for (i = 0; i < p->nr; i++) {
		step_free(&p->steps[i]);
		json_decref(p->answers[i].seen);
	}
	free(p);
	return ret;
}

int live_compare(struct backend *sim, struct backend *real, uint64_t seed, unsigned int count,
		 struct live_result *out)
{
	struct backend *const b[2] = { sim, real };
	struct choice ch = { seed };
	int ret = 0;

	memset(out, 0, sizeof(*out));
	while (!ret && !out->differs && out->calls < count) {
		unsigned int calls = MIN_CALLS + choice_below(&ch, MAX_CALLS - MIN_CALLS + 1);

		if (calls > count - out->calls)
			calls = count - out->calls;
		ret = compare_vm(b, &ch, seed, calls, out);
	}
	return ret;
}

void live_result_free(struct live_result *r)
{
	free(r->json);
	r->json = NULL;
}
