#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""explore_cli.py IRQSIM: irqsim explore, replay and shrink: what they print, write and refuse."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

IRQSIM = sys.argv.pop(1)
SPAWN = dict(capture_output=True, text=True, timeout=60, check=False)


def irqsim(*args):
    return subprocess.run([IRQSIM, *args], **SPAWN)


class Explore(unittest.TestCase):
    def test_covered(self):
        done = irqsim("explore", "route-update-lookup", "--strategy", "chunked", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["scenario"], result["strategy"]), ("route-update-lookup", "chunked"))
        self.assertIs(result["complete"], True)
        self.assertEqual(result["bugs"], [])

    def test_random_covers_nothing(self):
        done = irqsim("explore", "gpc-1", "--policy", "random", "--executions", "50", "--json", "-")
        result = json.loads(done.stdout)
        self.assertIs(result["complete"], False)
        self.assertEqual(result["executions"], 50)

    def test_cut_is_not_complete(self):
        done = irqsim("explore", "gpc-1", "--steps", "5", "--json", "-")
        self.assertIs(json.loads(done.stdout)["complete"], False)

    def test_pct_prints_its_bound(self):
        done = irqsim("explore", "gpc-1", "--policy", "pct", "--depth", "2", "--executions", "10")
        self.assertIn("a bug of depth 2 is found with probability", done.stdout)

    def test_same_seed_same_bytes(self):
        args = ("explore", "gpc-use-after-unlock", "--policy", "random", "--seed", "3", "--executions", "500")
        self.assertEqual(irqsim(*args).stdout, irqsim(*args).stdout)

    def refused(self, says, *args):
        done = irqsim(*args)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(says, done.stderr)

    def test_refused(self):
        self.refused("no scenario 'nothing'", "explore", "nothing")
        self.refused("of strategy nothing", "explore", "route-update-lookup", "--strategy", "nothing")
        self.refused("expected dpor", "explore", "gpc-1", "--policy", "lucky")
        self.refused("expected sc or tso", "explore", "gpc-1", "--memory", "arm")
        self.refused("expected a number", "explore", "gpc-1", "--seed", "-1")
        self.refused("expected a number", "explore", "gpc-1", "--steps", "1000000")
        self.refused("depth of 1 to 16", "explore", "gpc-1", "--policy", "pct", "--depth", "0")
        self.refused("expected one scenario", "explore", "gpc-1", "gpc-2")


class Replay(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.dir.name) / "bug"
        done = irqsim("explore", "gpc-use-after-unlock-2", "--policy", "random", "--first",
                      "--replay-out", str(self.file))
        self.assertEqual(done.returncode, 1, done.stderr)

    def tearDown(self):
        self.dir.cleanup()

    def test_shows_the_bug_again(self):
        first, second = irqsim("replay", str(self.file)), irqsim("replay", str(self.file))
        self.assertEqual(first.returncode, 1, first.stderr)
        self.assertIn("use_late", first.stdout)
        self.assertEqual(first.stdout, second.stdout)

    def test_shrunk(self):
        before = self.file.read_text().splitlines()[-1]
        done = irqsim("shrink", str(self.file))
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.file.read_text().splitlines()[-1]
        self.assertLessEqual(len(after), len(before))
        self.assertLessEqual(len(after), len("schedule ") + 60)
        self.assertEqual(irqsim("replay", str(self.file)).returncode, 1)

    def damaged(self, text, says):
        self.file.write_bytes(text)
        for command in ("replay", "shrink"):
            done = irqsim(command, str(self.file))
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(says, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_damaged(self):
        good = self.file.read_bytes()
        self.damaged(b"", ":1: expected 'irqsim replay 1'")
        self.damaged(good.replace(b"replay 1", b"replay 2"), ":1: expected 'irqsim replay 1'")
        self.damaged(good.replace(b"scenario gpc", b"scenario\x00gpc"), "expected text")
        self.damaged(good.replace(b"memory sc", b"memory pso"), "expected memory sc or tso")
        self.damaged(good.replace(b"scenario gpc-use", b"scenario gpc-abuse"), "no scenario")
        self.damaged(good.replace(b"schedule ", b"scheduel "), "expected scenario, strategy")
        self.damaged(good.replace(b"schedule ", b"schedule !"), "expected a task from a to c")
        self.damaged(b"\xff" * 1000, ":1: expected 'irqsim replay 1'")
        for cut in range(0, len(good) - 2, 7):
            self.file.write_bytes(good[:cut])
            self.assertIn(irqsim("replay", str(self.file)).returncode, (0, 1, 2))

    def test_no_file(self):
        done = irqsim("replay", str(self.file) + ".not")
        self.assertEqual(done.returncode, 2)
        self.assertIn("No such file", done.stderr)
        self.assertEqual(irqsim("replay").returncode, 2)


if __name__ == "__main__":
    unittest.main()
