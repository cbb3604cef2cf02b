#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""tree_rows.py IRQSIM FOLDER ORACLE: unmodified trees beside the strategies, in one comparison.

FOLDER has linux-source-6.12 and linux-source-6.1, as tree_link.sh unpacks them; 77 without them."""
import json
import os
import subprocess
import sys

IRQSIM, FOLDER, ORACLE = sys.argv[1:4]
TREES = [f"{FOLDER}/linux-source-{version}" for version in ("6.12", "6.1")]


def compare(*args):
    options = [o for tree in TREES for o in ("--tree", tree)]
    done = subprocess.run([IRQSIM, "compare", "routing", *args, *options, "--no-wall", "--json", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"compare {args}: {done.returncode}\n{done.stderr}")
    return {row["strategy"]: row for row in json.loads(done.stdout)["rows"]}


def main():
    if not all(os.path.exists(tree + "/virt/kvm/irqchip.c") for tree in TREES):
        print("no linux-source-6.12 and linux-source-6.1")
        sys.exit(77)
    failed = 0
    # upstream is per-entry: the same numbers in every column
    rows = compare("--routes", "2000", "--updates", "50")
    for tree, release in zip(TREES, ("6.12.", "6.1.")):
        row = dict(rows["tree:" + tree])
        if not row["kernel"].startswith(release):
            print(f"not ok - {tree}: headers of {row['kernel']}")
            failed += 1
        for key, value in rows["per-entry"].items():
            if key not in ("strategy", "kernel", "kind", "published_ns") and row[key] != value:
                print(f"not ok - {tree}: {key} is {row[key]}, of per-entry {value}")
                failed += 1
    # every allocation fails in turn, in unmodified code as well
    for name, row in compare("--routes", "1-3,63-65,200", "--updates", "2", "--change", "all",
                             "--fail-sweep").items():
        if row["sweep_faults"] or not row["sweep_cases"]:
            print(f"not ok - {name}: {row['sweep_faults']} of {row['sweep_cases']}")
            failed += 1
    done = subprocess.run([IRQSIM, "conform", ORACLE, *(o for t in TREES for o in ("--tree", t))],
                          capture_output=True, text=True, check=False)
    totals = [line.strip() for line in done.stdout.splitlines() if "# pass:" in line]
    if done.returncode or totals != ["# pass:316 fail:0 skip:0 total:316"] * 2:
        print(f"not ok - conform: {done.returncode} {totals}")
        failed += 1
    print("not ok" if failed else "ok - trees equal per-entry, pass the sweep and the oracle's cases")
    sys.exit(1 if failed else 0)


main()
