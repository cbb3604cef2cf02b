/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading a routing table by what differs from the one before.
 *
 * Nearly all bytes of a recording are routing tables, and a commit seldom changes more than a few
 * entries of the table before it. jansson takes about 45 ns a byte whichever way its memory is
 * managed, so the text of an entry that jansson has accepted once, as an array of integers in the
 * table before, is not parsed again where the same bytes stand in the new table. Only the entries
 * between the common head and tail are parsed, and the line with "null" in the table's place.
 * Whatever does not look as expected is parsed whole.
 */
#ifndef WORKLOAD_TABLE_TEXT_H
#define WORKLOAD_TABLE_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "trace.h"
#include "where.h"

struct span {
	size_t from, len;
};

struct table_text {
	const struct trace_table *table; /* the one before; NULL: none */
	char *text;			 /* its "[[...],[...]]" */
	struct span *spans;		 /* of its entries in @text */
	size_t nr, text_room, spans_room;
	struct span *next_spans; /* of the new one */
	size_t next_room;
};

/*
 * Where a line may hold a table: @table is the text from "[[" to the first "]]". False: nowhere.
 * That jansson takes the place for a value, and the bytes for an array, is still to be seen.
 */
bool table_text_find(const char *line, size_t len, struct span *table);

enum table_text_answer {
	TABLE_TEXT_READ,  /* *out is the table, new or the one before */
	TABLE_TEXT_RETRY, /* parse the whole line */
	TABLE_TEXT_ERROR, /* in the error line */
};

/* @text is changed and changed back. */
enum table_text_answer table_text_read(struct table_text *tt, struct trace *t,
				       const struct where *w, char *text, size_t len, uint32_t nr,
				       uint32_t flags, const struct trace_table **out);

/* Remember nothing: the table before was not read from its text. */
void table_text_forget(struct table_text *tt);
void table_text_free(struct table_text *tt);

/* One parsed entry; @index is for the error line. 0 or -1. */
int table_entry(const struct where *w, const json_t *entry, size_t index,
		struct kvm_irq_routing_entry *out);

#endif
