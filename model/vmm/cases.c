// SPDX-License-Identifier: GPL-2.0-only
/* Running a case and judging the answers. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "case_file.h"

size_t cases_count(const struct cases *c)
{
	return c->nr;
}

int cases_id(const struct cases *c, size_t i)
{
	return c->all[i].id;
}

bool cases_skipped(const struct cases *c, size_t i, char *why, size_t size)
{
	const struct oracle_case *oc = &c->all[i];
	size_t k;

	if (!oc->setup) {
		snprintf(why, size, "set-up \"%s\" is not known", oc->setup_name);
		return true;
	}
	for (k = 0; k < oc->nr_steps; k++) {
		if (oc->steps[k].unknown || oc->steps[k].kind == STEP_UNKNOWN) {
			snprintf(why, size, "step %zu: %s", k,
				 oc->steps[k].unknown ? oc->steps[k].unknown : "not known");
			return true;
		}
	}
	return false;
}

/* Do all steps; 0, or -1 with result->detail set where there is no VM to do them on. */
static int execute(const struct oracle_case *oc, struct backend *b, struct step_answer *answers,
		   struct case_result *result)
{
	const char *what, *key;
	struct case_vm vm;
	json_t *value;
	size_t i;
	int ret = vm_open(&vm, b, oc->setup, &what);

	if (ret)
		snprintf(result->detail, sizeof(result->detail), "set-up %s: %s: %s",
			 oc->setup_name, what, errno_name(-ret));
	for (i = 0; !ret && i < oc->nr_steps; i++) {
		const struct step *s = &oc->steps[i];

		fds_before(&vm, oc, i);
		answer_set(&answers[i], vm_step(&vm, s));
		fds_after(&vm, oc, i);
		answers[i].seen = json_object();
		json_object_foreach(s->record, key, value)
		{
			json_t *seen = answer_standard_key(key) ? NULL : vm_observe(&vm, s, key);

			if (seen)
				json_object_set_new(answers[i].seen, key, seen);
		}
	}
	vm_close(&vm);
	return ret ? -1 : 0;
}

static int ret_text(char *buf, size_t size, int64_t ret, int err)
{
	return err ? snprintf(buf, size, "ret -1 %s", errno_name(err))
		   : snprintf(buf, size, "ret %lld", (long long)ret);
}

static bool compare_ret(const struct step *s, const struct step_answer *a, char *text, size_t size)
{
	char want[64], got[64];

	if (s->ret == a->ret && s->err == a->err)
		return true;
	ret_text(want, sizeof(want), s->ret, s->err);
	ret_text(got, sizeof(got), a->ret, a->err);
	snprintf(text, size, "expected %s, got %s", want, got);
	return false;
}

static bool compare_state(const struct step *s, const struct step_answer *a, char *text,
			  size_t size)
{
	const char *key;
	json_t *got;

	json_object_foreach(a->seen, key, got)
	{
		json_t *want = json_object_get(s->record, key);
		char *w, *g;

		if (json_equal(want, got))
			continue;
		w = json_dumps(want, JSON_COMPACT | JSON_ENCODE_ANY);
		g = json_dumps(got, JSON_COMPACT | JSON_ENCODE_ANY);
		snprintf(text, size, "expected %s %s, got %s", key, w ? w : "?", g ? g : "?");
		free(w);
		free(g);
		return false;
	}
	return true;
}

static void judge(const struct oracle_case *oc, const struct step_answer *answers, bool simulated,
		  struct case_result *out)
{
	const char *reason;
	char text[384];
	size_t i;

	out->detail[0] = '\0';

	for (i = 0; i < oc->nr_steps; i++) {
		const struct step *s = &oc->steps[i];

		if (compare_ret(s, &answers[i], text, sizeof(text)) &&
		    compare_state(s, &answers[i], text, sizeof(text)))
			continue;
		reason = simulated ? case_differs(oc, i, answers) : NULL;
		if (reason) {
			snprintf(out->detail, sizeof(out->detail), "step %zu differs: %s", i,
				 reason);
			continue;
		}
		out->verdict = CASE_FAIL;
		snprintf(out->detail, sizeof(out->detail), "step %zu %s: %s", i,
			 step_kind_name(s->kind), text);
		return;
	}
	out->verdict = CASE_PASS;
}

static int write_answers(const struct oracle_case *oc, const struct step_answer *answers, FILE *out)
{
	size_t i;

	for (i = 0; i < oc->nr_steps; i++) {
		if (answer_write(out, oc->id, i, oc->title, oc->setup_name, &oc->steps[i],
				 &answers[i]))
			return -1;
	}
	return 0;
}

int case_record(const struct cases *c, size_t i, struct backend *b, FILE *out,
		struct case_result *result)
{
	const struct oracle_case *oc = &c->all[i];
	struct step_answer *answers;
	int ret = 0;
	size_t k;

	*result = (struct case_result){ .id = oc->id, .title = oc->title, .setup = oc->setup_name };
	if (cases_skipped(c, i, result->detail, sizeof(result->detail))) {
		result->verdict = CASE_SKIP;
		return 0;
	}
	result->verdict = CASE_FAIL;
	answers = calloc(oc->nr_steps, sizeof(*answers));
	if (!answers) {
		snprintf(result->detail, sizeof(result->detail), "out of memory");
		return 0;
	}
	if (!execute(oc, b, answers, result)) {
		judge(oc, answers, b->ops != NULL, result);
		ret = out ? write_answers(oc, answers, out) : 0;
	}
	for (k = 0; k < oc->nr_steps; k++)
		json_decref(answers[k].seen);
	free(answers);
	return ret;
}

void case_run(const struct cases *c, size_t i, struct backend *b, struct case_result *out)
{
	case_record(c, i, b, NULL, out);
}
