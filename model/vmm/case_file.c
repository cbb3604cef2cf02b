// SPDX-License-Identifier: GPL-2.0-only
/* Reading an oracle file: lines, and lines into cases. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case_file.h"

struct reader {
	const char *path;
	FILE *in;
	char *buf;
	size_t len, size;
	unsigned int line;
	char *err;
	size_t err_size;
};

static int fail(struct reader *r, const char *what)
{
	snprintf(r->err, r->err_size, "%s:%u: %s", r->path, r->line, what);
	return -1;
}

static int put(struct reader *r, char ch)
{
	if (r->len + 1 >= r->size) {
		size_t size = r->size ? 2 * r->size : 4096;
		char *buf = realloc(r->buf, size);

		if (!buf)
			return fail(r, "expected a line that fits into memory");
		r->buf = buf;
		r->size = size;
	}
	r->buf[r->len++] = ch;
	r->buf[r->len] = 0;
	return 0;
}

/* 1: a line, 0: the end, -1: an error, told. Never keeps more than CASE_MAX_LINE bytes. */
static int read_line(struct reader *r)
{
	int ch = getc_unlocked(r->in);

	r->len = 0;
	if (ch == EOF && !ferror(r->in))
		return 0;
	r->line++;
	for (; ch != EOF && ch != '\n'; ch = getc_unlocked(r->in)) {
		if (!ch)
			return fail(r, "expected text, found a NUL byte");
		if (r->len == CASE_MAX_LINE)
			return fail(r, "expected a line of at most 16 MiB");
		if (put(r, ch))
			return -1;
	}
	if (ferror(r->in))
		return fail(r, errno == EISDIR
				       ? "expected a file, found a directory"
				       : "expected to read on, but the file cannot be read");
	if (ch == EOF)
		return fail(r, "expected a newline at the end of the file; it may be cut");
	if (!r->len)
		return fail(r, "expected a JSON object, found an empty line");
	return 1;
}

static struct oracle_case *new_case(struct cases *c, struct reader *r, const struct case_line *l)
{
	struct oracle_case *all;
	size_t i;

	for (i = 0; i < c->nr; i++) {
		if (c->all[i].id == l->id) {
			fail(r, "expected the steps of a case in one place, found more of an older "
				"one");
			return NULL;
		}
	}
	all = reallocarray(c->all, c->nr + 1, sizeof(*all));
	if (!all) {
		fail(r, "expected a file that fits into memory");
		return NULL;
	}
	c->all = all;
	all += c->nr++;
	*all = (struct oracle_case){
		.id = l->id,
		.title = l->title,
		.setup_name = l->setup,
		.setup = case_setup_find(l->setup),
	};
	return all;
}

/* Takes over l->s where it returns 0. */
static int add_line(struct cases *c, struct reader *r, struct case_line *l)
{
	struct oracle_case *last = c->nr ? &c->all[c->nr - 1] : NULL;
	struct step *steps;
	char what[160];

	if (!last || last->id != l->id)
		last = new_case(c, r, l);
	if (!last)
		return -1;
	if (strcmp(last->title, l->title) || strcmp(last->setup_name, l->setup)) {
		snprintf(what, sizeof(what),
			 "expected the title and set-up of case %d's first step", last->id);
		return fail(r, what);
	}
	if ((size_t)l->step != last->nr_steps) {
		snprintf(what, sizeof(what), "expected step %zu of case %d, found step %d",
			 last->nr_steps, last->id, l->step);
		return fail(r, what);
	}
	steps = reallocarray(last->steps, last->nr_steps + 1, sizeof(*steps));
	if (!steps)
		return fail(r, "expected a file that fits into memory");
	last->steps = steps;
	l->s.line = r->line;
	steps[last->nr_steps++] = l->s;
	return 0;
}

static int read_all(struct cases *c, struct reader *r)
{
	struct case_line l;
	char what[192];
	int got;

	while ((got = read_line(r)) > 0) {
		if (case_parse_line(r->buf, r->len, &l, what, sizeof(what)))
			return fail(r, what);
		/* A case that add_line() began borrows its texts from this record. */
		if (add_line(c, r, &l)) {
			while (c->nr && !c->all[c->nr - 1].nr_steps)
				free(c->all[--c->nr].steps);
			step_free(&l.s);
			return -1;
		}
	}
	if (!got && !c->nr) {
		r->line = 1;
		return fail(r, "expected a JSON object, found an empty file");
	}
	return got;
}

int cases_read(const char *path, struct cases **out, char *err, size_t err_size)
{
	struct reader r = { .path = path, .line = 1, .err = err, .err_size = err_size };
	bool is_stdin = !strcmp(path, "-");
	struct cases *c = calloc(1, sizeof(*c));
	int ret;

	*out = NULL;
	if (!c)
		return fail(&r, "expected a file that fits into memory");
	r.in = is_stdin ? stdin : fopen(path, "re");
	if (!r.in) {
		snprintf(err, err_size, "%s: expected an oracle file: %s", path, strerror(errno));
		free(c);
		return -1;
	}
	r.line = 0;
	ret = read_all(c, &r);
	if (!is_stdin)
		fclose(r.in);
	free(r.buf);
	if (ret)
		cases_free(c);
	else
		*out = c;
	return ret;
}

void cases_free(struct cases *c)
{
	size_t i, k;

	if (!c)
		return;
	for (i = 0; i < c->nr; i++) {
		for (k = 0; k < c->all[i].nr_steps; k++)
			step_free(&c->all[i].steps[k]);
		free(c->all[i].steps);
	}
	free(c->all);
	free(c);
}
