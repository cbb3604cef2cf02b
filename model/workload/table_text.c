// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "table_text.h"

#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "fields.h"

#define ENTRY_HEAD  3 /* gsi, type, flags */
#define ENTRY_WORDS (sizeof(((struct kvm_irq_routing_entry *)0)->u) / sizeof(uint32_t))

static int entry_word(const struct where *w, const json_t *value, size_t index, uint32_t *out)
{
	json_int_t number = json_integer_value(value);
	char buf[WHERE_QUOTE];

	*out = number;
	if (json_is_integer(value) && number >= 0 && number <= UINT32_MAX)
		return 0;
	return where_fail(w, "expected entry %zu to hold integers from 0 to %u, found %s", index,
			  UINT32_MAX, field_found(buf, value));
}

int table_entry(const struct where *w, const json_t *entry, size_t index,
		struct kvm_irq_routing_entry *out)
{
	uint32_t words[ENTRY_HEAD + ENTRY_WORDS] = { 0 };
	size_t nr = json_array_size(entry), i;
	char buf[WHERE_QUOTE];

	if (!json_is_array(entry))
		return where_fail(w, "expected entry %zu to be an array, found %s", index,
				  field_found(buf, entry));
	if (nr < ENTRY_HEAD || nr > ENTRY_HEAD + ENTRY_WORDS)
		return where_fail(w, "expected entry %zu to have %d to %zu words, found %zu", index,
				  ENTRY_HEAD, ENTRY_HEAD + ENTRY_WORDS, nr);
	for (i = 0; i < nr; i++)
		if (entry_word(w, json_array_get(entry, i), index, &words[i]))
			return -1;
	out->gsi = words[0];
	out->type = words[1];
	out->flags = words[2];
	memcpy(&out->u, words + ENTRY_HEAD, sizeof(out->u));
	return 0;
}

bool table_text_find(const char *line, size_t len, struct span *table)
{
	static const char ioctl[] = "\"KVM_SET_GSI_ROUTING\"", key[] = ",\"entries\":[[";
	const char *from, *to;

	from = memmem(line, len, key, strlen(key));
	if (!from || !memmem(line, from - line, ioctl, strlen(ioctl)))
		return false;
	from += strlen(key) - 2;
	to = memmem(from, len - (from - line), "]]", 2);
	if (!to)
		return false;
	*table = (struct span){ .from = from - line, .len = to + 2 - from };
	return true;
}

static int make_room(void **array, size_t *room, size_t wanted, size_t each)
{
	void *bigger;

	if (wanted <= *room)
		return 0;
	wanted += wanted / 2;
	bigger = reallocarray(*array, wanted, each);
	if (!bigger)
		return -1;
	*array = bigger;
	*room = wanted;
	return 0;
}

/* Split "[[...],[...]]" at each "],[". How many parts, or -1: out of memory. */
static ssize_t split(struct table_text *tt, const char *text, size_t len)
{
	const char *from = text + 1, *end = text + len - 1, *to;
	size_t nr = 0;

	do {
		if (make_room((void **)&tt->next_spans, &tt->next_room, nr + 1,
			      sizeof(struct span)))
			return -1;
		to = memmem(from, end - from, "],[", 3);
		to = to ? to + 1 : end;
		tt->next_spans[nr].from = from - text;
		tt->next_spans[nr++].len = to - from;
		from = to + 1;
	} while (to < end);
	return nr;
}

static bool same_span(const struct table_text *tt, size_t old, const char *text, size_t new)
{
	const struct span *a = &tt->spans[old], *b = &tt->next_spans[new];

	return a->len == b->len && !memcmp(tt->text + a->from, text + b->from, a->len);
}

/* How many entries at the head and at the tail stand in the table before. */
static void common_entries(const struct table_text *tt, const char *text, size_t nr, size_t *head,
			   size_t *tail)
{
	size_t old = tt->table ? tt->nr : 0, most = old < nr ? old : nr;

	for (*head = 0; *head < most; ++*head)
		if (!same_span(tt, *head, text, *head))
			break;
	most -= *head;
	for (*tail = 0; *tail < most; ++*tail)
		if (!same_span(tt, old - 1 - *tail, text, nr - 1 - *tail))
			break;
}

/* Let jansson parse the entries from @first on as an array of their own. */
static enum table_text_answer parse_middle(const struct table_text *tt, const struct where *w,
					   char *text, size_t first, size_t count,
					   struct kvm_irq_routing_entry *out)
{
	const struct span *a = &tt->next_spans[first], *b = &tt->next_spans[first + count - 1];
	char *from = text + a->from - 1, *to = text + b->from + b->len;
	enum table_text_answer answer = TABLE_TEXT_READ;
	char before = *from, behind = *to;
	json_error_t error;
	json_t *array;
	size_t i;

	*from = '[';
	*to = ']';
	array = json_loadb(from, to + 1 - from, JSON_REJECT_DUPLICATES, &error);
	*from = before;
	*to = behind;
	/* As many as there are "],[" says that each of these is a border of two entries. */
	if (json_array_size(array) != count)
		answer = TABLE_TEXT_RETRY;
	for (i = 0; i < count && answer == TABLE_TEXT_READ; i++)
		if (table_entry(w, json_array_get(array, i), first + i, &out[i]))
			answer = TABLE_TEXT_ERROR;
	json_decref(array);
	return answer;
}

/* The new text becomes the one before. */
static int remember(struct table_text *tt, const struct trace_table *table, const char *text,
		    size_t len)
{
	struct span *spans = tt->spans;
	size_t room = tt->spans_room;

	if (make_room((void **)&tt->text, &tt->text_room, len, 1)) {
		table_text_forget(tt);
		return -1;
	}
	memcpy(tt->text, text, len);
	tt->spans = tt->next_spans;
	tt->spans_room = tt->next_room;
	tt->next_spans = spans;
	tt->next_room = room;
	tt->nr = table->nr;
	tt->table = table;
	return 0;
}

static int out_of_memory(const struct where *w)
{
	return where_fail(w, "expected memory for a routing table, found none left");
}

enum table_text_answer table_text_read(struct table_text *tt, struct trace *t,
				       const struct where *w, char *text, size_t len, uint32_t nr,
				       uint32_t flags, const struct trace_table **out)
{
	enum table_text_answer answer = TABLE_TEXT_READ;
	ssize_t parts = split(tt, text, len);
	struct trace_table *table;
	size_t head, tail;

	if (parts < 0) {
		out_of_memory(w);
		return TABLE_TEXT_ERROR;
	}
	if ((size_t)parts != nr)
		return TABLE_TEXT_RETRY;
	common_entries(tt, text, nr, &head, &tail);
	if (head == nr && tt->nr == nr && tt->table->flags == flags) {
		*out = tt->table;
		return TABLE_TEXT_READ;
	}
	table = trace_new_table(t, nr, flags);
	if (!table) {
		out_of_memory(w);
		return TABLE_TEXT_ERROR;
	}
	if (head)
		memcpy(table->entries, tt->table->entries, head * sizeof(*table->entries));
	if (tail)
		memcpy(table->entries + nr - tail, tt->table->entries + tt->nr - tail,
		       tail * sizeof(*table->entries));
	if (head + tail < nr)
		answer = parse_middle(tt, w, text, head, nr - head - tail, table->entries + head);
	if (answer != TABLE_TEXT_READ) {
		trace_drop_table(t, table);
		return answer;
	}
	*out = trace_share_table(t, table);
	if (remember(tt, *out, text, len)) {
		out_of_memory(w);
		return TABLE_TEXT_ERROR;
	}
	return TABLE_TEXT_READ;
}

void table_text_forget(struct table_text *tt)
{
	tt->table = NULL;
	tt->nr = 0;
}

void table_text_free(struct table_text *tt)
{
	free(tt->text);
	free(tt->spans);
	free(tt->next_spans);
	memset(tt, 0, sizeof(*tt));
}
