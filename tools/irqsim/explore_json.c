// SPDX-License-Identifier: GPL-2.0-only
/*
 * What irqsim explore --json writes: an object, or an array of them where several runs were asked
 * for.
 */
#include <stdlib.h>
#include <string.h>

#include "explore.h"

static json_t *bug_json(const struct explore_request *q, const struct explore_run *run,
			const struct det_bug *bug)
{
	struct replay_file f = explore_replay(q, run, bug);
	char *command = NULL;
	size_t size;
	FILE *out = open_memstream(&command, &size);
	json_t *json;

	if (!out)
		return NULL;
	replay_command(out, &f);
	fclose(out);
	json = json_pack("{s:s,s:s,s:s,s:s}", "kind", bug->kind, "where", bug->where, "replay",
			 command, "schedule", bug->schedule ? bug->schedule : "");
	free(command);
	return json;
}

static json_t *run_json(const struct explore_request *q, const struct explore_run *run)
{
	const struct det_result *r = &run->result;
	const struct det_options *o = &run->options;
	json_t *bugs = json_array();
	char why[160], hash[17];
	unsigned int i;

	for (i = 0; i < r->nr_bugs; i++)
		if (json_array_append_new(bugs, bug_json(q, run, &r->bugs[i]))) {
			json_decref(bugs);
			return NULL;
		}
	/* Of all events; dpor alone keeps them. */
	snprintf(hash, sizeof(hash), "%016lx", r->trace_hash);
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:b,s:s,s:I,s:s,s:f,s:o}", "scenario",
			 run->program->name, "strategy",
			 run->program->strategy ? run->program->strategy : "", "policy",
			 det_policy_name(o->policy), "memory", det_memory_names[o->memory], "race",
			 det_race_names[o->race], "seed", (json_int_t)o->seed, "fail_nth",
			 (json_int_t)o->fail_nth, "executions", (json_int_t)r->executions,
			 "complete", r->complete, "why",
			 *r->error ? r->error : explore_why(run, why, sizeof(why)), "events",
			 (json_int_t)r->events, "trace_hash", hash, "executions_per_sec",
			 r->seconds > 0 ? r->executions / r->seconds : 0.0, "bugs", bugs);
}

json_t *explore_json(const struct explore_request *q, const struct explore_run *runs,
		     unsigned int nr, bool many)
{
	json_t *all;
	unsigned int i;

	if (!many)
		return run_json(q, &runs[0]);
	all = json_array();
	for (i = 0; i < nr; i++)
		if (json_array_append_new(all, run_json(q, &runs[i]))) {
			json_decref(all);
			return NULL;
		}
	return all;
}
