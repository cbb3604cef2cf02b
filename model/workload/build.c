// SPDX-License-Identifier: GPL-2.0-only
#include "build.h"

#include <stdlib.h>
#include <string.h>

struct table_node {
	struct table_node *before;
	struct trace_table table;
};

struct actor_node {
	struct actor_node *before;
	char text[];
};

struct vm_state {
	bool open;
	unsigned char *vcpus; /* a bit for each vCPU id; NULL: none */
	const struct trace_table *last;
};

struct trace_priv {
	struct table_node *tables;
	struct actor_node *actors;
	size_t recs_room, names_room;
	struct vm_state vms[TRACE_MAX_VMS];
};

int trace_init(struct trace *t, const char *path)
{
	memset(t, 0, sizeof(*t));
	t->path = strdup(path);
	t->priv = calloc(1, sizeof(struct trace_priv));
	if (t->path && t->priv)
		return 0;
	trace_free(t);
	return -1;
}

static void free_priv(struct trace_priv *p)
{
	struct table_node *table;
	struct actor_node *actor;
	int i;

	while ((table = p->tables)) {
		p->tables = table->before;
		free(table->table.arg);
		free(table);
	}
	while ((actor = p->actors)) {
		p->actors = actor->before;
		free(actor);
	}
	for (i = 0; i < TRACE_MAX_VMS; i++)
		free(p->vms[i].vcpus);
	free(p);
}

void trace_free(struct trace *t)
{
	size_t i;

	if (t->priv)
		free_priv(t->priv);
	for (i = 0; i < t->nr_names; i++)
		free(t->names[i].name);
	free(t->names);
	free(t->recs);
	free(t->path);
	free(t->what);
	memset(t, 0, sizeof(*t));
}

struct trace_table *trace_new_table(struct trace *t, uint32_t nr, uint32_t flags)
{
	struct trace_priv *p = t->priv;
	struct table_node *node = calloc(1, sizeof(*node));
	struct kvm_irq_routing *arg;

	if (!node)
		return NULL;
	arg = calloc(1, sizeof(*arg) + (size_t)nr * sizeof(arg->entries[0]));
	if (!arg) {
		free(node);
		return NULL;
	}
	arg->nr = nr;
	arg->flags = flags;
	node->table.nr = nr;
	node->table.flags = flags;
	node->table.entries = arg->entries;
	node->table.arg = arg;
	node->before = p->tables;
	p->tables = node;
	return &node->table;
}

void trace_drop_table(struct trace *t, struct trace_table *table)
{
	struct trace_priv *p = t->priv;
	struct table_node *node = p->tables;

	if (!node || &node->table != table)
		return;
	p->tables = node->before;
	free(table->arg);
	free(node);
}

const struct trace_table *trace_share_table(struct trace *t, struct trace_table *table)
{
	struct trace_priv *p = t->priv;
	struct table_node *before = p->tables->before;

	if (!before || !trace_same_table(&before->table, table))
		return table;
	trace_drop_table(t, table);
	return &before->table;
}

bool trace_same_table(const struct trace_table *a, const struct trace_table *b)
{
	return a == b || (a && b && a->nr == b->nr && a->flags == b->flags &&
			  !memcmp(a->entries, b->entries, a->nr * sizeof(a->entries[0])));
}

/* Double the room of an array when it is full. */
static int grow(void **array, size_t used, size_t *room, size_t each)
{
	size_t more = *room ? *room * 2 : 64;
	void *bigger;

	if (used < *room)
		return 0;
	bigger = reallocarray(*array, more, each);
	if (!bigger)
		return -1;
	*array = bigger;
	*room = more;
	return 0;
}

int trace_name(struct trace *t, const char *name, enum trace_kind kind)
{
	struct trace_priv *p = t->priv;
	char *copy;
	size_t i;

	for (i = 0; i < t->nr_names; i++)
		if (t->names[i].kind == kind && !strcmp(t->names[i].name, name))
			return i;
	if (t->nr_names == TRACE_MAX_NAMES)
		return -2;
	if (grow((void **)&t->names, t->nr_names, &p->names_room, sizeof(*t->names)))
		return -1;
	copy = strdup(name);
	if (!copy)
		return -1;
	t->names[t->nr_names] = (struct trace_name){ .name = copy, .kind = kind };
	return t->nr_names++;
}

const char *trace_actor(struct trace *t, const char *text)
{
	struct trace_priv *p = t->priv;
	struct actor_node *actor;
	size_t len = strlen(text);

	/* An actor often acts several times in a row. */
	if (p->actors && !strcmp(p->actors->text, text))
		return p->actors->text;
	actor = malloc(sizeof(*actor) + len + 1);
	if (!actor)
		return NULL;
	memcpy(actor->text, text, len + 1);
	actor->before = p->actors;
	p->actors = actor;
	return actor->text;
}

static void count_commit(struct trace *t, struct vm_state *vm, const struct trace_table *table)
{
	uint32_t i;

	t->nr_commits++;
	t->nr_unchanged += trace_same_table(vm->last, table);
	vm->last = table;
	if (table->nr > t->routes_max)
		t->routes_max = table->nr;
	for (i = 0; i < table->nr; i++)
		if (table->entries[i].gsi > t->gsi_max)
			t->gsi_max = table->entries[i].gsi;
}

static int count_vcpu(struct vm_state *vm, uint32_t id)
{
	if (!vm->vcpus)
		vm->vcpus = calloc(1, TRACE_MAX_VCPU_ID / 8);
	if (!vm->vcpus)
		return -1;
	vm->vcpus[id / 8] |= 1u << id % 8;
	return 0;
}

static int count(struct trace *t, const struct trace_rec *rec)
{
	struct trace_priv *p = t->priv;
	struct vm_state *vm = rec->vm < 0 ? NULL : &p->vms[rec->vm];

	switch (rec->kind) {
	case TRACE_CREATE_VM:
		if (!rec->ret) {
			p->vms[rec->u.create_vm.vm].open = true;
			t->nr_vms++;
		}
		break;
	case TRACE_CLOSE_VM:
		free(vm->vcpus);
		memset(vm, 0, sizeof(*vm));
		break;
	case TRACE_CREATE_VCPU:
		return rec->ret ? 0 : count_vcpu(vm, rec->u.vcpu_id);
	case TRACE_SET_GSI_ROUTING:
		if (!rec->ret)
			count_commit(t, vm, rec->u.table);
		break;
	default:
		break;
	}
	return 0;
}

int trace_add(struct trace *t, const struct trace_rec *rec)
{
	struct trace_priv *p = t->priv;

	if (grow((void **)&t->recs, t->nr_recs, &p->recs_room, sizeof(*t->recs)) || count(t, rec))
		return -1;
	t->recs[t->nr_recs++] = *rec;
	t->names[rec->name].count++;
	return 0;
}

bool trace_has_vm(const struct trace *t, int vm)
{
	const struct trace_priv *p = t->priv;

	return vm >= 0 && vm < TRACE_MAX_VMS && p->vms[vm].open;
}

bool trace_has_vcpu(const struct trace *t, int vm, int vcpu)
{
	const struct trace_priv *p = t->priv;

	return trace_has_vm(t, vm) && vcpu >= 0 && vcpu < TRACE_MAX_VCPU_ID && p->vms[vm].vcpus &&
	       p->vms[vm].vcpus[vcpu / 8] >> vcpu % 8 & 1;
}
