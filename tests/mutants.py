#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mutants.py TEST_ROUTING [NN-NAME...]: every mutant is found, by the test that is named for it here, or
in the deterministic world (mutants/det.tsv, tests/det_mutants.c). TEST_ROUTING's folder has the other
test programs.

On the strategy that a mutant is made of, the same test has to pass: it is the bug that it finds. Prints
one line a mutant with the seconds that it took, and fails on one that lives, that takes over a minute, or
that nobody has named a test for."""
import os
import pathlib
import subprocess
import sys
import time

# mutant: the test that finds it, as a filter of the program that is named by its first word (test_routing ...)
FOUND_BY = {
    "01-vm-creation-error-lost": "routing_creation/without_memory_there_is_no_vm",
    "02-refused-entry-leaked": "routing_rules/a_refused_entry_leaves_nothing_behind",
    "03-max-routes-refused": "routing_rules/boundaries_of_the_table",
    "05-empty-table-waited-for": "routing_creation/no_grace_period_before_the_first_table",
    "06-vm-lock-across-grace-period": "routing_creation/an_update_waits_without_the_vms_lock",
    "08-gsi-asserted-by-the-updater": "irqfd_bypass/any_gsi_has_an_entry",
    "10-irqfd-without-irqchip": "irqfd_life/errors_as_the_kernel_gives_them",
    "11-pic-pins-of-the-other-chip": "routing_rules/every_pin_of_every_chip",
    "27-consumer-never-registered": "irqfd_vms/one_eventfd_for_two",
    "29-eventfd-not-drained": "irqfd_life/a_write_is_an_interrupt_and_is_consumed",
    "44-other-modes-posted": "irqfd_bypass/only_plain_messages_to_one_vcpu_are_posted",
    "201-freed-before-grace-period": "routing_readers/a_slow_reader_keeps_its_table",
    "202-idle-array-claimed-twice": "routing_readers/two_updaters_never_share_memory",
    "203-reused-array-not-zeroed": "routing_rules/memory_is_zeroed_before_it_holds_another_route",
}
LIMIT = 60  # seconds
NR_BUGS = 124
FIRST_OF_OURS = 201


def run(program, test, port, race_seconds):
    program = pathlib.Path(program).with_name("test_" + test.split("_")[0])
    env = dict(os.environ, IRQSIM_PORT=port, IRQSIM_RACE_SECONDS=str(race_seconds))
    begin = time.monotonic()
    done = subprocess.run([program, "--filter", test, "-j1"], env=env, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done, time.monotonic() - begin


def catalogue_problems(patches):
    """Every public bug has a mutant that exists, or a reason; every such mutant has its bug."""
    folder = pathlib.Path(__file__).parent / "mutants"
    names = {p.stem for p in patches}
    numbers, listed = [], set()
    for line in (folder / "catalogue.tsv").read_text().splitlines()[1:]:
        number, mutant, title = line.split("\t")
        numbers.append(int(number))
        if mutant.startswith("- "):
            if len(mutant) < 12 or not title:
                yield f"bug {number}: expected a reason"
        elif mutant not in names or int(mutant.split("-")[0]) != int(number):
            yield f"bug {number}: {mutant} is no mutant of it"
        listed.add(mutant)
    if len(numbers) != NR_BUGS or len(set(numbers)) != NR_BUGS:
        yield f"expected {NR_BUGS} bugs, found {len(numbers)}"
    for name in sorted(names - listed):
        if int(name.split("-")[0]) < FIRST_OF_OURS:
            yield f"{name} is not in catalogue.tsv"


def found_by_exploring():
    lines = (pathlib.Path(__file__).parent / "mutants" / "det.tsv").read_text().splitlines()
    return {line.split("\t")[0] for line in lines if not line.startswith("#")}


def strategy_of(patch):
    for line in patch.read_text().splitlines():
        if line.startswith("Strategy: "):
            return line.split(": ", 1)[1]
    sys.exit(f"{patch}: expected a line 'Strategy: NAME'")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program, only = sys.argv[1], sys.argv[2:]
    patches = sorted((pathlib.Path(__file__).parent / "mutants").glob("*.patch"))
    failed = 0
    explored = found_by_exploring()
    for problem in catalogue_problems(patches):
        print(f"not ok - {problem}")
        failed += 1
    for patch in patches:
        name = patch.stem
        if only and name not in only:
            continue
        test = FOUND_BY.get(name)
        if not test and name in explored:
            continue
        if not test:
            print(f"not ok - {name}: no test is named for it")
            failed += 1
            continue
        try:
            done, _ = run(program, test, strategy_of(patch), 1)
            if done.returncode or "Passing: 1 " not in done.stdout:
                print(f"not ok - {name}: {test} fails without it:\n{done.stdout}")
                failed += 1
                continue
            done, seconds = run(program, test, name, 50)
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
