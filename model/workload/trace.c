// SPDX-License-Identifier: GPL-2.0-only
#include "trace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "fields.h"
#include "input.h"
#include "record.h"
#include "table_text.h"

#define LOAD_FLAGS JSON_REJECT_DUPLICATES /* json_loadb() rejects what is behind the object */

struct reader {
	struct trace *trace;
	struct where w;
	struct input in;
	struct table_text tables;
	char *scratch;
	size_t scratch_room;
};

static int out_of_memory(const struct where *w)
{
	return where_fail(w, "expected memory for a record, found none left");
}

/* The line with "null" in its table's place. NULL: parse the whole line instead. */
static json_t *load_without_table(struct reader *r, const char *line, size_t len,
				  const struct span *table)
{
	static const char none[] = "null";
	size_t behind = table->from + table->len, wanted = len - table->len + strlen(none);
	json_error_t error;
	json_t *root;
	char *bigger;

	if (wanted > r->scratch_room) {
		bigger = realloc(r->scratch, wanted * 2);
		if (!bigger)
			return NULL;
		r->scratch = bigger;
		r->scratch_room = wanted * 2;
	}
	memcpy(r->scratch, line, table->from);
	memcpy(r->scratch + table->from, none, strlen(none));
	memcpy(r->scratch + table->from + strlen(none), line + behind, len - behind);
	root = json_loadb(r->scratch, wanted, LOAD_FLAGS, &error);
	if (json_is_null(json_object_get(root, "entries")))
		return root;
	json_decref(root);
	return NULL;
}

static json_t *load_line(const struct where *w, const char *line, size_t len)
{
	char text[WHERE_QUOTE], start[WHERE_QUOTE];
	json_error_t error;
	json_t *root;

	root = json_loadb(line, len, LOAD_FLAGS, &error);
	if (root)
		return root;
	if (json_error_code(&error) == json_error_out_of_memory)
		out_of_memory(w);
	else if (!len)
		where_fail(w, "expected a JSON object, found an empty line");
	else
		where_fail(w, "expected a JSON object, found '%s' (byte %d: %s)",
			   where_quote(start, line, len), error.position,
			   where_quote(text, error.text, strlen(error.text)));
	return NULL;
}

/* The whole table, parsed with its line. */
static int read_entries(struct reader *r, const json_t *root, struct trace_rec *rec, uint32_t nr,
			uint32_t flags)
{
	const json_t *entries = json_object_get(root, "entries");
	struct trace_table *table;
	char buf[WHERE_QUOTE];
	size_t i;

	if (!json_is_array(entries))
		return where_fail(&r->w, "expected \"entries\" to be an array, found %s",
				  field_found(buf, entries));
	if (json_array_size(entries) != nr)
		return where_fail(&r->w, "expected %u entries as \"nr\" says, found %zu", nr,
				  json_array_size(entries));
	table_text_forget(&r->tables);
	table = trace_new_table(r->trace, nr, flags);
	if (!table)
		return out_of_memory(&r->w);
	for (i = 0; i < nr; i++)
		if (table_entry(&r->w, json_array_get(entries, i), i, &table->entries[i]))
			return -1;
	rec->u.table = trace_share_table(r->trace, table);
	return 0;
}

/* The table of a KVM_SET_GSI_ROUTING. @text: where it is, when it is not in @root. */
static enum table_text_answer read_table(struct reader *r, const json_t *root,
					 struct trace_rec *rec, char *text, size_t len)
{
	uint32_t nr, flags;

	if (field_u32(&r->w, root, "nr", &nr) || field_u32(&r->w, root, "flags", &flags))
		return TABLE_TEXT_ERROR;
	if (text)
		return table_text_read(&r->tables, r->trace, &r->w, text, len, nr, flags,
				       &rec->u.table);
	return read_entries(r, root, rec, nr, flags) ? TABLE_TEXT_ERROR : TABLE_TEXT_READ;
}

/* One parsed record to its place. TABLE_TEXT_RETRY only when @text is not NULL. */
static enum table_text_answer take_record(struct reader *r, const json_t *root, char *text,
					  size_t len)
{
	struct trace_rec rec = { .line = r->w.line };
	enum table_text_answer answer;

	if (record_read(&r->w, r->trace, root, &rec))
		return TABLE_TEXT_ERROR;
	if (rec.kind == TRACE_SET_GSI_ROUTING) {
		answer = read_table(r, root, &rec, text, len);
		if (answer != TABLE_TEXT_READ)
			return answer;
	} else if (text) {
		return TABLE_TEXT_RETRY;
	}
	if (trace_add(r->trace, &rec)) {
		out_of_memory(&r->w);
		return TABLE_TEXT_ERROR;
	}
	return TABLE_TEXT_READ;
}

/* 1: a header, which is taken. */
static int read_header(const struct where *w, struct trace *t, const json_t *root)
{
	const json_t *version = json_object_get(root, "version");
	char buf[WHERE_QUOTE];
	const char *what;

	if (w->line != 1 || !version)
		return 0;
	if (!json_is_integer(version) || json_integer_value(version) != 1)
		return where_fail(w, "expected \"version\" 1, found %s", field_found(buf, version));
	if (!json_object_get(root, "what"))
		return 1;
	if (field_name(w, root, "what", &what))
		return -1;
	t->what = strdup(what);
	return t->what ? 1 : out_of_memory(w);
}

static int read_whole(struct reader *r, const char *line, size_t len)
{
	json_t *root = load_line(&r->w, line, len);
	char buf[WHERE_QUOTE];
	int rc;

	if (!root)
		return -1;
	if (!json_is_object(root)) {
		rc = where_fail(&r->w, "expected a JSON object, found %s", field_found(buf, root));
	} else {
		rc = read_header(&r->w, r->trace, root);
		if (!rc && take_record(r, root, NULL, 0) != TABLE_TEXT_READ)
			rc = -1;
	}
	json_decref(root);
	return rc < 0 ? -1 : 0;
}

static int read_line(struct reader *r, char *line, size_t len)
{
	enum table_text_answer answer = TABLE_TEXT_RETRY;
	struct span table;
	json_t *root;

	if (table_text_find(line, len, &table)) {
		root = load_without_table(r, line, len, &table);
		if (root && !json_object_get(root, "version"))
			answer = take_record(r, root, line + table.from, table.len);
		json_decref(root);
	}
	if (answer == TABLE_TEXT_RETRY)
		return read_whole(r, line, len);
	return answer == TABLE_TEXT_READ ? 0 : -1;
}

static int read_lines(struct reader *r)
{
	size_t len;
	char *line;
	int rc;

	while ((rc = input_line(&r->in, &r->w, &line, &len)) > 0)
		if (read_line(r, line, len))
			return -1;
	if (rc < 0)
		return -1;
	if (!r->trace->nr_recs)
		return where_fail(&r->w, "expected at least one record, found the end of the file");
	return 0;
}

int trace_read(const char *path, struct trace *trace, char *err, size_t err_size)
{
	struct reader r = { .trace = trace,
			    .w = { .path = path, .line = 1, .err = err, .err_size = err_size } };
	int rc = -1;

	if (trace_init(trace, path))
		return out_of_memory(&r.w);
	if (!input_open(&r.in, &r.w)) {
		rc = read_lines(&r);
		input_close(&r.in);
	}
	table_text_free(&r.tables);
	free(r.scratch);
	if (rc)
		trace_free(trace);
	return rc;
}
