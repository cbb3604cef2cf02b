// SPDX-License-Identifier: GPL-2.0-only
#include "profile_json.h"

json_t *ops_json(const uint64_t n[SIM_NR_OPS])
{
	json_t *o = json_object();
	int op;

	for (op = 0; op < SIM_NR_OPS; op++)
		if (n[op])
			json_object_set_new(o, sim_op_name(op), json_integer((json_int_t)n[op]));
	return o;
}

json_t *costs_json(const struct profile *p)
{
	json_t *all = json_object();
	int op;

	for (op = 0; op < SIM_NR_OPS; op++) {
		json_t *o = json_object();

		json_object_set_new(o, "ns", json_real(p->costs[op].ns));
		json_object_set_new(o, "kind", json_string(cost_kind_name(p->costs[op].kind)));
		json_object_set_new(o, "source", json_string(p->costs[op].source));
		json_object_set_new(all, sim_op_name(op), o);
	}
	return all;
}
