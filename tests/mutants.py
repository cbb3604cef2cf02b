#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutants.py TEST_ROUTING [NN-NAME...]: every mutant is found, by the test that is named for it here.

Without the mutant the same test passes (it is one of test_routing's own), so it is the bug that it
finds. Prints one line a mutant with the seconds that it took, and fails on one that lives, that takes
over a minute, or that nobody has named a test for."""
import os
import pathlib
import subprocess
import sys
import time

# mutant: the test that finds it, as a filter of test_routing
FOUND_BY = {
    "02-refused-entry-leaked": "routing_rules/a_refused_entry_leaves_nothing_behind",
    "03-max-routes-refused": "routing_rules/boundaries_of_the_table",
    "125-freed-before-grace-period": "routing_readers/a_slow_reader_keeps_its_table",
    "126-idle-array-claimed-twice": "routing_readers/two_updaters_never_share_memory",
    "127-reused-array-not-zeroed": "routing_rules/memory_is_zeroed_before_it_holds_another_route",
}
LIMIT = 60  # seconds


def run(program, test, port):
    env = dict(os.environ, IRQSIM_PORT=port)
    begin = time.monotonic()
    done = subprocess.run([program, "--filter", test, "-j1"], env=env, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done, time.monotonic() - begin


def main():
    program, only = sys.argv[1], sys.argv[2:]
    patches = sorted((pathlib.Path(__file__).parent / "mutants").glob("*.patch"))
    failed = 0
    if not patches:
        sys.exit("no mutants found")
    for patch in patches:
        name = patch.stem
        if only and name not in only:
            continue
        test = FOUND_BY.get(name)
        if not test:
            print(f"not ok - {name}: no test is named for it")
            failed += 1
            continue
        try:
            done, seconds = run(program, test, name)
        except subprocess.TimeoutExpired:
            print(f"not ok - {name}: {test} found nothing in {LIMIT} s")
            failed += 1
            continue
        if done.returncode == 0:
            print(f"not ok - {name}: lives after {seconds:.1f} s of {test}")
            failed += 1
            continue
        if "Failing: 1" not in done.stdout and "Crashing: 1" not in done.stdout:
            print(f"not ok - {name}: {test} did not run:\n{done.stdout}")
            failed += 1
            continue
        print(f"ok - {name}: found by {test} in {seconds:.1f} s")
    sys.exit(1 if failed else 0)


main()
