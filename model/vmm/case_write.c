// SPDX-License-Identifier: GPL-2.0-only
/* Answers in the oracle's format. */
#define _GNU_SOURCE 1
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_step.h"

const char *errno_name(int err)
{
	static __thread char number[16];
	const char *name = err ? strerrorname_np(err) : "OK";

	if (name)
		return name;
	snprintf(number, sizeof(number), "%d", err);
	return number;
}

void answer_set(struct step_answer *a, long ret)
{
	a->ret = ret < 0 ? -1 : ret;
	a->err = ret < 0 ? -ret : 0;
}

bool answer_standard_key(const char *key)
{
	static const char *const keys[] = { "case",  "step", "title", "setup",	"ioctl",
					    "input", "ret",  "errno", "errname" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(keys[i], key))
			return true;
	}
	return false;
}

static json_t *make_pointer(const struct step *s)
{
	char text[32] = "NULL";

	if (s->buffer == BUF_UNMAPPED)
		return json_string("unmapped");
	if (s->pointer)
		snprintf(text, sizeof(text), "0x%" PRIx64, s->pointer);
	return json_string(text);
}

static json_t *make_entries(const struct step *s)
{
	json_t *rows = json_array();
	uint32_t i, w[4];

	for (i = 0; i < s->u.routing.nr_entries; i++) {
		const struct kvm_irq_routing_entry *e = &s->u.routing.entries[i];

		memcpy(w, &e->u, sizeof(w));
		json_array_append_new(rows, json_pack("[I,I,I,I,I,I,I]", (json_int_t)e->gsi,
						      (json_int_t)e->type, (json_int_t)e->flags,
						      (json_int_t)w[0], (json_int_t)w[1],
						      (json_int_t)w[2], (json_int_t)w[3]));
	}
	return rows;
}

static json_t *make_hex(uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, v);
	return json_string(text);
}

static json_t *make_msi(const struct step *s)
{
	const struct kvm_msi *m = &s->u.msi;

	return json_pack("{s:o,s:o,s:o,s:I,s:I}", "address_lo", make_hex(m->address_lo),
			 "address_hi", make_hex(m->address_hi), "data", make_hex(m->data), "flags",
			 (json_int_t)m->flags, "devid", (json_int_t)m->devid);
}

static json_t *make_routing(const struct step *s)
{
	json_t *in = json_pack("{s:I,s:I}", "nr", (json_int_t)s->u.routing.nr, "flags",
			       (json_int_t)s->u.routing.flags);

	json_object_set_new(in, "entries",
			    s->buffer == BUF_GIVEN ? make_entries(s) : json_string("unmapped"));
	return in;
}

static json_t *make_body(const struct step *s)
{
	switch (s->kind) {
	case STEP_ENABLE_CAP:
		return json_pack("{s:s,s:I,s:o,s:I}", "cap", s->u.cap.name, "num",
				 (json_int_t)s->u.cap.nr, "arg", make_hex(s->u.cap.arg), "flags",
				 (json_int_t)s->u.cap.flags);
	case STEP_CHECK_EXTENSION:
		return json_pack("{s:s,s:I}", "cap", s->u.cap.name, "num", (json_int_t)s->u.cap.nr);
	case STEP_CREATE_VCPU:
		return json_pack("{s:I}", "id", (json_int_t)s->u.vcpu_id);
	case STEP_SET_GSI_ROUTING:
		return make_routing(s);
	case STEP_SIGNAL_MSI:
		return make_msi(s);
	case STEP_IRQ_LINE:
	case STEP_IRQ_LINE_STATUS:
		return json_pack("{s:I,s:I}", "gsi", (json_int_t)s->u.line.gsi, "level",
				 (json_int_t)s->u.line.level);
	case STEP_RAW:
		return json_pack("{s:o,s:o}", "cmd", make_hex(s->u.raw.cmd), "arg",
				 make_hex(s->u.raw.arg));
	default:
		return json_object();
	}
}

json_t *step_make_input(const struct step *s)
{
	static const char *const targets[] = {
		[ON_SYSTEM] = "system", [ON_VCPU] = "vcpu", [ON_CLOSED] = "closed"
	};
	bool body = s->buffer == BUF_GIVEN || s->buffer == BUF_ENTRIES_UNMAPPED;
	json_t *in = body ? make_body(s) : json_object();

	if (!body)
		json_object_set_new(in, "ptr", make_pointer(s));
	if (s->pad)
		json_object_set_new(in, "pad", json_string("ff.."));
	if (s->on != ON_VM)
		json_object_set_new(in, "on", json_string(targets[s->on]));
	return in;
}

static int put_json(FILE *out, const char *key, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	int ret = !text || fprintf(out, ",\"%s\":%s", key, text) < 0 ? -1 : 0;

	free(text);
	return ret;
}

static int put_string(FILE *out, const char *key, const char *text)
{
	json_t *value = json_string(text);
	int ret = value ? put_json(out, key, value) : -1;

	json_decref(value);
	return ret;
}

static int put_input(FILE *out, const struct step *s)
{
	json_t *in;
	int ret;

	/* JSON's numbers end at 2^63-1 in jansson, a count of an eventfd does not. */
	if (s->kind == STEP_EVENTFD_WRITE)
		return fprintf(out, ",\"input\":{\"fd\":\"%s\",\"value\":%" PRIu64 "}",
			       s->u.event.fd, s->u.event.value) < 0;
	in = s->record ? json_incref(json_object_get(s->record, "input")) : step_make_input(s);
	ret = in ? put_json(out, "input", in) : -1;
	json_decref(in);
	return ret;
}

int answer_write(FILE *out, int id, size_t step, const char *title, const char *setup,
		 const struct step *s, const struct step_answer *a)
{
	const char *key;
	json_t *value;

	if (fprintf(out, "{\"case\":%d,\"step\":%zu", id, step) < 0 ||
	    put_string(out, "title", title) || put_string(out, "setup", setup) ||
	    put_string(out, "ioctl", step_kind_name(s->kind)) || put_input(out, s))
		return -1;
	json_object_foreach(a->seen, key, value)
	{
		if (put_json(out, key, value))
			return -1;
	}
	return fprintf(out, ",\"ret\":%lld,\"errno\":%d,\"errname\":\"%s\"}\n", (long long)a->ret,
		       a->err, errno_name(a->err)) < 0
		       ? -1
		       : 0;
}
