#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""det_same.py IRQSIM [OTHER]: the same exploration is the same to the byte in every process, wherever
the system puts its memory; and another compiler's build, where OTHER exists, says the same of every
scenario."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

IRQSIM = sys.argv.pop(1)
OTHER = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ""
PROCESSES = 20
EXPLORED = [
    ("gpc-2",),
    ("flags-2",),
    ("seqlock-pair",),
    ("flags-no-mb", "--memory", "tso"),
    ("gpc-use-after-unlock-2",),
    ("route-update-delivery", "--strategy", "chunked"),
    ("route-update-reuse", "--strategy", "cached"),
    ("route-update-irq", "--strategy", "delta"),
]


def explore(program, *args, prefix=()):
    done = subprocess.run([*prefix, program, "explore", *args, "--json", "-"], timeout=600,
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise AssertionError(f"{args}: {done.stderr}")
    return json.loads(done.stdout)


def without_clock(result):
    del result["executions_per_sec"]
    return result


def addresses_are_random():
    return pathlib.Path("/proc/sys/kernel/randomize_va_space").read_text().strip() != "0"


class Same(unittest.TestCase):
    def test_in_every_process(self):
        if not addresses_are_random():
            self.skipTest("no address-space randomisation on this machine")
        for args in EXPLORED:
            first = without_clock(explore(IRQSIM, *args))
            self.assertIs(first["complete"], True, args)
            self.assertNotEqual(int(first["trace_hash"], 16), 0, args)
            for _ in range(PROCESSES - 1):
                self.assertEqual(without_clock(explore(IRQSIM, *args)), first)

    def test_without_randomisation(self):
        prefix = ("setarch", "-R")
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
            self.skipTest("setarch -R is not allowed here")
        for args in EXPLORED:
            self.assertEqual(without_clock(explore(IRQSIM, *args, prefix=prefix)),
                             without_clock(explore(IRQSIM, *args)))

    def test_sampling(self):
        """Policies that keep no events: what they find, and the replay file with its events' hash."""
        with tempfile.TemporaryDirectory() as folder:
            for policy in ("random", "pct"):
                results, files = [], []
                for i in range(PROCESSES):
                    file = pathlib.Path(folder) / f"{policy}-{i}"
                    results.append(without_clock(explore(
                        IRQSIM, "gpc-use-after-unlock-2", "--policy", policy, "--seed", "5",
                        "--executions", "300", "--replay-out", str(file))))
                    files.append(file.read_bytes())
                for bug in (bug for result in results for bug in result["bugs"]):
                    bug.pop("replay")  # a command that may name the file
                self.assertEqual(results, results[:1] * PROCESSES)
                self.assertEqual(files, files[:1] * PROCESSES)


def verdicts(program):
    """By scenario: the kinds of bugs, and whether all was covered. Names of functions and numbers of
    executions are the compiler's."""
    found = {}
    for r in explore(program, "all", "--executions", "20000"):
        kinds = tuple(sorted({bug["kind"] for bug in r["bugs"]}))
        found[r["scenario"], r["strategy"]] = (kinds, r["complete"])
    return found


class OtherCompiler(unittest.TestCase):
    def test_same_verdicts(self):
        if not os.access(OTHER, os.X_OK):
            self.skipTest(f"no {OTHER}")
        ours, theirs = verdicts(IRQSIM), verdicts(OTHER)
        self.assertGreater(len(ours), 100)
        self.assertEqual(ours.keys(), theirs.keys())
        for name, verdict in ours.items():
            if verdict[1] and theirs[name][1]:
                self.assertEqual(verdict, theirs[name], name)


if __name__ == "__main__":
    unittest.main()
