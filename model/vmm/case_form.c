// SPDX-License-Identifier: GPL-2.0-only
/* The "input" of each kind of step: its forms and ranges. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case_step.h"

#define U32 UINT32_MAX

struct form {
	struct step *s;
	json_t *in;
	char *err;
	size_t err_size;
};

static bool text_u64(const char *text, uint64_t *out)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 0);
	return !errno && !*end;
}

/* A number, or one in a string: hexadecimal, or too big for JSON's signed 64 bits. */
static bool value_u64(json_t *v, uint64_t max, uint64_t *out)
{
	if (json_is_integer(v)) {
		if (json_integer_value(v) < 0)
			return false;
		*out = json_integer_value(v);
	} else if (!json_is_string(v) || !text_u64(json_string_value(v), out)) {
		return false;
	}
	return *out <= max;
}

static bool expected(struct form *f, const char *key, const char *what)
{
	snprintf(f->err, f->err_size, "expected \"%s\" of %s to be %s", key,
		 step_kind_name(f->s->kind), what);
	return false;
}

static bool number(struct form *f, const char *key, uint64_t max, uint64_t *out)
{
	char what[64];

	if (value_u64(json_object_get(f->in, key), max, out))
		return true;
	snprintf(what, sizeof(what), "a number from 0 to %" PRIu64, max);
	return expected(f, key, what);
}

static bool number32(struct form *f, const char *key, uint32_t *out)
{
	uint64_t v;

	if (!number(f, key, U32, &v))
		return false;
	*out = v;
	return true;
}

/* Where the key is missing, *out stays as it is. */
static bool optional32(struct form *f, const char *key, uint32_t *out)
{
	return !json_object_get(f->in, key) || number32(f, key, out);
}

static bool string(struct form *f, const char *key, const char **out)
{
	*out = json_string_value(json_object_get(f->in, key));
	return *out || expected(f, key, "a string");
}

static bool parse_nothing(struct form *f)
{
	(void)f;
	return true;
}

static bool parse_enable_cap(struct form *f)
{
	struct step *s = f->s;

	if (s->buffer != BUF_GIVEN)
		return true;
	if (!string(f, "cap", &s->u.cap.name) || !number(f, "arg", UINT64_MAX, &s->u.cap.arg) ||
	    !optional32(f, "flags", &s->u.cap.flags))
		return false;
	if (!strcmp(s->u.cap.name, "SPLIT_IRQCHIP"))
		s->u.cap.nr = KVM_CAP_SPLIT_IRQCHIP;
	else if (!strcmp(s->u.cap.name, "X2APIC_API"))
		s->u.cap.nr = KVM_CAP_X2APIC_API;
	else if (!json_object_get(f->in, "num"))
		step_set_unknown(s, "capability %s of KVM_ENABLE_CAP is not known", s->u.cap.name);
	return optional32(f, "num", &s->u.cap.nr);
}

static bool parse_check_extension(struct form *f)
{
	return string(f, "cap", &f->s->u.cap.name) && number32(f, "num", &f->s->u.cap.nr);
}

static bool parse_create_vcpu(struct form *f)
{
	return number32(f, "id", &f->s->u.vcpu_id);
}

static bool parse_entry(json_t *row, struct kvm_irq_routing_entry *e, bool pad)
{
	uint32_t w[7];
	uint64_t v;
	size_t i;

	if (json_array_size(row) != 7)
		return false;
	for (i = 0; i < 7; i++) {
		if (!value_u64(json_array_get(row, i), U32, &v))
			return false;
		w[i] = v;
	}
	memset(e, pad ? STEP_PAD : 0, sizeof(*e));
	e->gsi = w[0];
	e->type = w[1];
	e->flags = w[2];
	memcpy(&e->u, &w[3], 4 * sizeof(w[0]));
	return true;
}

static bool parse_entries(struct form *f, json_t *rows)
{
	struct step *s = f->s;
	size_t n = json_array_size(rows), i;

	s->u.routing.entries = calloc(n ? n : 1, sizeof(*s->u.routing.entries));
	if (!s->u.routing.entries)
		return expected(f, "entries", "small enough for this machine's memory");
	s->u.routing.nr_entries = n;
	for (i = 0; i < n; i++) {
		if (!parse_entry(json_array_get(rows, i), &s->u.routing.entries[i], s->pad))
			return expected(f, "entries",
					"rows of seven numbers [gsi,type,flags,w0,w1,w2,w3]");
	}
	return true;
}

static bool parse_set_gsi_routing(struct form *f)
{
	json_t *rows = json_object_get(f->in, "entries");
	struct step *s = f->s;

	if (s->buffer != BUF_GIVEN)
		return true;
	if (!number32(f, "nr", &s->u.routing.nr) || !optional32(f, "flags", &s->u.routing.flags))
		return false;
	if (!rows)
		return true;
	if (json_is_array(rows))
		return parse_entries(f, rows);
	if (!json_is_string(rows))
		return expected(f, "entries", "an array or \"unmapped\"");
	if (strcmp(json_string_value(rows), "unmapped"))
		step_set_unknown(s, "entries \"%s\" of KVM_SET_GSI_ROUTING are not known",
				 json_string_value(rows));
	s->buffer = BUF_ENTRIES_UNMAPPED;
	return true;
}

static bool parse_signal_msi(struct form *f)
{
	struct kvm_msi *m = &f->s->u.msi;
	bool given = !f->s->pad || json_object_get(f->in, "address_lo");

	if (f->s->buffer != BUF_GIVEN)
		return true;
	memset(m, f->s->pad ? STEP_PAD : 0, sizeof(*m));
	/* A pad alone: the message of the cases around it, vector 0x41 to APIC id 0 (assumed). */
	m->address_lo = 0xfee00000;
	m->address_hi = 0;
	m->data = 0x41;
	m->flags = 0;
	m->devid = 0;
	return !given ||
	       (number32(f, "address_lo", &m->address_lo) &&
		number32(f, "address_hi", &m->address_hi) && number32(f, "data", &m->data) &&
		number32(f, "flags", &m->flags) && optional32(f, "devid", &m->devid));
}

static bool parse_irq_line(struct form *f)
{
	return f->s->buffer != BUF_GIVEN ||
	       (number32(f, "gsi", &f->s->u.line.gsi) && number32(f, "level", &f->s->u.line.level));
}

static bool parse_raw(struct form *f)
{
	return number32(f, "cmd", &f->s->u.raw.cmd) &&
	       number(f, "arg", UINT64_MAX, &f->s->u.raw.arg);
}

static bool fd_name(struct form *f, const char *key, const char **out)
{
	if (!string(f, key, out))
		return false;
	if (!fd_name_known(*out))
		step_set_unknown(f->s, "\"%s\" \"%s\" of %s is not known", key, *out,
				 step_kind_name(f->s->kind));
	return true;
}

#define MAX_COUNT 65536 /* irqfds that one step may ask for (assumed) */

static bool parse_irqfd_many(struct form *f)
{
	uint64_t count;

	if (!number(f, "count", MAX_COUNT, &count))
		return false;
	f->s->u.irqfd.count = count;
	return true;
}

static bool parse_irqfd(struct form *f)
{
	const char *vm = "";
	struct step *s = f->s;

	if (json_object_get(f->in, "count"))
		return parse_irqfd_many(f);
	s->u.irqfd.resamplefd = "";
	if (!fd_name(f, "fd", &s->u.irqfd.fd) || !number32(f, "gsi", &s->u.irqfd.gsi) ||
	    !number32(f, "flags", &s->u.irqfd.flags))
		return false;
	if (json_object_get(f->in, "resamplefd") &&
	    !fd_name(f, "resamplefd", &s->u.irqfd.resamplefd))
		return false;
	if (!json_object_get(f->in, "vm"))
		return true;
	if (!string(f, "vm", &vm))
		return false;
	s->u.irqfd.other_vm = true;
	if (strcmp(vm, "other"))
		step_set_unknown(s, "vm \"%s\" of KVM_IRQFD is not known", vm);
	return true;
}

static bool parse_ioeventfd(struct form *f)
{
	struct step *s = f->s;

	return fd_name(f, "fd", &s->u.ioeventfd.fd) &&
	       number(f, "addr", UINT64_MAX, &s->u.ioeventfd.addr) &&
	       number32(f, "len", &s->u.ioeventfd.len) &&
	       number32(f, "flags", &s->u.ioeventfd.flags);
}

static bool parse_event(struct form *f)
{
	return fd_name(f, "fd", &f->s->u.event.fd) &&
	       (f->s->kind == STEP_EVENTFD_READ ||
		number(f, "value", UINT64_MAX, &f->s->u.event.value));
}

static bool parse_epoll(struct form *f)
{
	return number32(f, "timeout_ms", &f->s->u.timeout_ms);
}

static bool parse_chip(struct form *f)
{
	static const char *const chips[] = { "pic_master", "pic_slave", "ioapic" };
	json_t *chip = json_object_get(f->in, "chip");
	struct step *s = f->s;
	uint32_t i;

	if (json_is_string(chip)) {
		for (i = 0; i < 3 && strcmp(chips[i], json_string_value(chip)); i++)
			;
		if (i == 3)
			step_set_unknown(s, "chip \"%s\" is not known", json_string_value(chip));
		s->u.chip.chip = i;
	} else if (!number32(f, "chip", &s->u.chip.chip)) {
		return false;
	}
	if (s->kind == STEP_GET_IRQCHIP)
		return true;
	if (s->u.chip.chip != KVM_IRQCHIP_IOAPIC)
		step_set_unknown(s, "KVM_SET_IRQCHIP of a chip other than the IOAPIC is not known");
	return number32(f, "pin", &s->u.chip.pin) &&
	       (s->u.chip.pin < KVM_IOAPIC_NUM_PINS || expected(f, "pin", "a pin from 0 to 23")) &&
	       number(f, "redir", UINT64_MAX, &s->u.chip.redir);
}

static const struct {
	const char *keys; /* each between blanks; "on" goes with every kind */
	bool (*parse)(struct form *f);
} forms[STEP_NR_KINDS] = {
	[STEP_CREATE_IRQCHIP] = { " ", parse_nothing },
	[STEP_ENABLE_CAP] = { " cap num arg flags ptr ", parse_enable_cap },
	[STEP_CHECK_EXTENSION] = { " cap num ", parse_check_extension },
	[STEP_CREATE_VCPU] = { " id ", parse_create_vcpu },
	[STEP_SET_GSI_ROUTING] = { " nr flags entries ptr pad ", parse_set_gsi_routing },
	[STEP_SIGNAL_MSI] = { " address_lo address_hi data flags devid ptr pad ",
			      parse_signal_msi },
	[STEP_IRQ_LINE] = { " gsi level ptr ", parse_irq_line },
	[STEP_IRQ_LINE_STATUS] = { " gsi level ptr ", parse_irq_line },
	[STEP_RAW] = { " cmd arg ", parse_raw },
	[STEP_IRQFD] = { " fd gsi flags resamplefd vm pad count first_error ", parse_irqfd },
	[STEP_IOEVENTFD] = { " fd addr len flags ", parse_ioeventfd },
	[STEP_EVENTFD_WRITE] = { " fd value ", parse_event },
	[STEP_EVENTFD_READ] = { " fd ", parse_event },
	[STEP_EPOLL_WAIT] = { " timeout_ms ", parse_epoll },
	[STEP_GET_IRQCHIP] = { " chip ", parse_chip },
	[STEP_SET_IRQCHIP] = { " chip pin redir ", parse_chip },
	[STEP_CREATE_PIT2] = { " ", parse_nothing },
	[STEP_XEN_HVM_CONFIG] = { " ", parse_nothing },
	[STEP_XEN_EVTCHN_SEND] = { " ", parse_nothing },
};

static bool key_known(const char *keys, const char *key)
{
	size_t n = strlen(key);
	const char *p = keys;

	while (n && (p = strstr(p, key))) {
		if (p[-1] == ' ' && p[n] == ' ')
			return true;
		p += n;
	}
	return !strcmp(key, "on");
}

static bool parse_target(struct form *f)
{
	static const char *const names[] = {
		[ON_VM] = "vm", [ON_SYSTEM] = "system", [ON_VCPU] = "vcpu", [ON_CLOSED] = "closed"
	};
	const char *on;
	unsigned int i;

	if (!json_object_get(f->in, "on"))
		return true;
	if (!string(f, "on", &on))
		return false;
	for (i = 0; i < 4; i++) {
		if (!strcmp(names[i], on)) {
			f->s->on = i;
			return true;
		}
	}
	step_set_unknown(f->s, "descriptor \"%s\" is not known", on);
	return true;
}

static bool parse_pointer(struct form *f)
{
	json_t *pad = json_object_get(f->in, "pad");
	const char *text;

	f->s->pad = pad;
	if (pad && (!json_is_string(pad) || strcmp(json_string_value(pad), "ff..")))
		step_set_unknown(f->s, "a \"pad\" other than \"ff..\" is not known");
	if (!json_object_get(f->in, "ptr"))
		return true;
	if (!string(f, "ptr", &text))
		return false;
	f->s->buffer = BUF_POINTER;
	if (!strcmp(text, "unmapped"))
		f->s->buffer = BUF_UNMAPPED;
	else if (strcmp(text, "NULL") && !text_u64(text, &f->s->pointer))
		step_set_unknown(f->s, "pointer \"%s\" is not known", text);
	return true;
}

int step_parse_input(struct step *s, json_t *input, char *err, size_t err_size)
{
	struct form f = { s, input, err, err_size };
	const char *key;
	json_t *value;

	if (s->kind == STEP_UNKNOWN)
		return 0;
	json_object_foreach(input, key, value)
	{
		if (!key_known(forms[s->kind].keys, key))
			step_set_unknown(s, "\"%s\" in the input of %s is not known", key,
					 step_kind_name(s->kind));
	}
	if (!parse_target(&f) || !parse_pointer(&f))
		return -1;
	return forms[s->kind].parse(&f) ? 0 : -1;
}
