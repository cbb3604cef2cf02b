#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""explore_cli.py IRQSIM SOURCE: irqsim explore, replay, shrink and list: what they print, write, refuse."""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(2))
IRQSIM = sys.argv.pop(1)
SPAWN = dict(capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
MUTANT = ("route-update-lookup", "--mutant", "201-freed-before-grace-period")
TRACES = sorted((SOURCE / "model/scenarios").glob("*.jsonl"))
STRATEGIES = {"per-entry", "chunked", "array", "cached", "delta"}


def irqsim(*args, **more):
    return subprocess.run([IRQSIM, *map(str, args)], **{**SPAWN, **more})


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def refused(self, says, *args):
        """One line, exit 2, nothing on stdout."""
        done = irqsim(*args)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")


class Explore(Cli):
    def test_covered(self):
        done = irqsim("explore", "route-update-lookup", "--strategy", "chunked", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual((result["scenario"], result["strategy"]), ("route-update-lookup", "chunked"))
        self.assertIs(result["complete"], True)
        self.assertEqual(result["bugs"], [])

    def test_says_why_not_complete(self):
        for args, why in ((("gpc-1", "--policy", "random", "--executions", "50"), "policy random only samples"),
                          (("gpc-1", "--steps", "5"), "cut at 5 events"),
                          (("adders-5", "--executions", "7"), "ended after 7 executions"),
                          (("gpc-use-after-unlock", "--first"), "ended at the first bug")):
            with self.subTest(why):
                result = json.loads(irqsim("explore", *args, "--json", "-").stdout)
                self.assertIs(result["complete"], False)
                self.assertIn(why, result["why"])
                self.assertIn("not complete: " + result["why"], irqsim("explore", *args).stdout)

    def test_executions(self):
        done = irqsim("explore", "gpc-1", "--policy", "random", "--executions", "50", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["executions"], 50)

    def test_pct_prints_its_bound(self):
        done = irqsim("explore", "gpc-1", "--policy", "pct", "--depth", "2", "--executions", "10")
        self.assertIn("a bug of depth 2 is found with probability", done.stdout)

    def test_same_seed_same_bytes(self):
        args = ("explore", "gpc-use-after-unlock", "--policy", "random", "--seed", "3", "--executions", "500")
        self.assertEqual(irqsim(*args).stdout, irqsim(*args).stdout)

    def test_last_line_of_a_report_replays_it(self):
        done = irqsim("explore", *MUTANT)
        self.assertEqual(done.returncode, 1, done.stderr)
        reports = done.stdout.split("=" * 66 + "\n")[1:-1]
        self.assertGreater(len(reports), 0)
        for report in reports:
            kind = "KCSAN" if "KCSAN" in report else "KASAN"
            again = subprocess.run(report.splitlines()[-1], shell=True, **SPAWN)
            self.assertEqual(again.returncode, 1, again.stderr)
            self.assertIn("BUG: " + kind, again.stdout)

    def test_json_replay_is_that_command(self):
        result = json.loads(irqsim("explore", *MUTANT, "--first", "--json", "-").stdout)
        for bug in result["bugs"]:
            again = subprocess.run(shlex.split(bug["replay"]), **SPAWN)
            self.assertEqual(again.returncode, 1, again.stderr)

    def test_several(self):
        done = irqsim("explore", "route-update-lookup", "route-update-update", "--strategy", "all", "--json",
                      self.dir / "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = json.loads((self.dir / "out").read_text())
        self.assertEqual({(r["scenario"], r["strategy"]) for r in runs},
                         {(s, t) for s in ("route-update-lookup", "route-update-update") for t in STRATEGIES})
        self.assertIn(f"{len(runs)} runs in which nothing is to be found: {len(runs)} complete, 0 with a bug",
                      done.stdout)

    def test_bounded(self):
        done = irqsim("explore", "adders-4", "--policy", "naive", "--preemptions", "0", "--json", "-")
        result = json.loads(done.stdout)
        # Without preemption an order of tasks is all that is left: 4!
        self.assertEqual(result["executions"], 24)
        self.assertIs(result["complete"], False)
        self.assertIn("within 0 preemptions", result["why"])

    def test_all(self):
        """Every scenario of every strategy: nothing is found where nothing is to be, and nothing is cut."""
        runs = json.loads(irqsim("explore", "all", "--executions", "2000", "--json", "-", timeout=600).stdout)
        shows = self.shows_a_bug()
        found = [(r["scenario"], r["strategy"], r["bugs"][0]["where"]) for r in runs
                 if r["bugs"] and r["scenario"] not in shows]
        self.assertEqual(found, [])
        self.assertEqual([(r["scenario"], r["why"]) for r in runs if not r["complete"] and not r["bugs"] and
                          "as --executions says" not in r["why"]], [])
        self.assertEqual([r["scenario"] for r in runs if not r["bugs"] and
                          r["scenario"] in self.shows_a_bug("")], [])

    @staticmethod
    def shows_a_bug(tso=" under tso"):
        lines = irqsim("list", "scenarios").stdout.splitlines()
        return {line.split()[0] for line in lines if " (shows " in line and
                (tso or " under tso" not in line)}

    def test_preempt_rt(self):
        """A spinlock_t in a hard interrupt's handler is a bug there only; what replays it says so."""
        name = "rt-spinlock-in-handler"
        self.assertEqual(irqsim("explore", name).returncode, 0)
        done = irqsim("explore", name, "--rt")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(", PREEMPT_RT", done.stdout)
        self.assertIn("[ BUG: Invalid wait context ]", done.stdout)
        command = next(line for line in done.stdout.splitlines() if " replay --scenario " in line)
        self.assertIn(" --rt", command)
        again = subprocess.run(command, shell=True, **SPAWN)
        self.assertEqual(again.returncode, 1, again.stderr)
        self.assertIn("[ BUG: Invalid wait context ]", again.stdout)

    def test_preempt_rt_in_a_file(self):
        file = self.dir / "bug.replay"
        irqsim("explore", "rt-spinlock-in-handler", "--rt", "--replay-out", file)
        self.assertIn("rt yes", " ".join(file.read_text().replace(":", " ").replace("=", " ").split()))
        self.assertEqual(irqsim("replay", file).returncode, 1)

    def test_preempt_rt_of_every_strategy(self):
        done = irqsim("explore", "route-update-irq", "--rt", "--strategy", "all", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = json.loads(done.stdout)
        self.assertEqual({(r["strategy"], r["complete"], len(r["bugs"])) for r in runs},
                         {(s, True, 0) for s in STRATEGIES})

    def test_what_is_to_show_a_bug_is_no_defect_among_others(self):
        done = irqsim("explore", "gpc-1", "gpc-use-after-unlock")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("it is to show", done.stdout)
        self.assertIn("1 that are to show a bug: 1 do", done.stdout)
        self.assertEqual(irqsim("explore", "gpc-use-after-unlock").returncode, 1)

    def test_refused(self):
        self.refused("no scenario 'nothing'", "explore", "nothing")
        self.refused("no strategy or mutant 'nothing'", "explore", "route-update-lookup", "--strategy", "nothing")
        self.refused("no strategy or mutant '999-x'", "explore", "route-update-lookup", "--mutant", "999-x")
        self.refused("of strategy array", "explore", "nothing", "--strategy", "array")
        self.refused("expected dpor", "explore", "gpc-1", "--policy", "lucky")
        self.refused("expected sc or tso", "explore", "gpc-1", "--memory", "arm")
        self.refused("expected a number", "explore", "gpc-1", "--seed", "-1")
        self.refused("expected a number", "explore", "gpc-1", "--steps", "1000000")
        self.refused("expected a number", "explore", "gpc-1", "--seed", "99999999999999999999999")
        self.refused("depth of 1 to 16", "explore", "gpc-1", "--policy", "pct", "--depth", "0")
        self.refused("expected a scenario", "explore")
        self.refused("found both", "explore", "gpc-1", "--trace", TRACES[0])
        self.refused("--strategy or --mutant", "explore", "gpc-1", "--strategy", "chunked", "--mutant", "2")
        self.refused("unknown or incomplete option", "explore", "gpc-1", "--frobnicate")
        self.refused("'sweep'", "explore", "gpc-1", "--fail-nth", "0")
        self.refused("'sweep'", "explore", "gpc-1", "--fail-nth", "5-2")
        self.refused("expected a file that can be written", "explore", "gpc-1", "--replay-out", self.dir)
        self.refused("expected a file that can be written", "explore", "gpc-1", "--json", self.dir / "no" / "no")


class FailNth(Cli):
    def test_sweep_reaches_every_point_and_ends(self):
        done = irqsim("explore", "route-update-lookup", "--strategy", "array", "--fail-nth", "sweep",
                      "--json", "-")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = json.loads(done.stdout)
        self.assertEqual([r["fail_nth"] for r in runs], list(range(1, len(runs) + 1)))
        # The ioctl's copy, the table and its entries, each with its charge where it has one
        self.assertGreater(len(runs), 3)

    def test_a_bug_of_an_error_path_says_which(self):
        found = [m for m in ("316-freed-twice-on-error",) if m in irqsim("list", "mutants").stdout]
        if not found:
            self.skipTest("no such mutant")
        scenario = next(line.split()[-1] for line in irqsim("list", "mutants").stdout.splitlines()
                        if found[0] in line)
        runs = json.loads(irqsim("explore", scenario, "--mutant", found[0], "--fail-nth", "1-4",
                                 "--json", "-").stdout)
        for run in runs:
            for bug in run["bugs"]:
                self.assertIn(f"--fail-nth {run['fail_nth']}", bug["replay"])
                self.assertEqual(subprocess.run(shlex.split(bug["replay"]), **SPAWN).returncode, 1)


class Replay(Cli):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "bug's file"
        done = irqsim("explore", "gpc-use-after-unlock-2", "--policy", "random", "--first",
                      "--replay-out", self.file)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(os.listdir(self.dir), [self.file.name])

    def test_shows_the_bug_again(self):
        first, second = irqsim("replay", self.file), irqsim("replay", self.file)
        self.assertEqual(first.returncode, 1, first.stderr)
        self.assertIn("use_late", first.stdout)
        self.assertIn("the same events as when it was recorded", first.stdout)
        self.assertEqual(first.stdout, second.stdout)

    def test_lanes(self):
        lines = irqsim("replay", self.file).stdout.splitlines()
        self.assertEqual(lines[0].split(), ["step", "cpu0", "cpu1", "cpu2"])
        self.assertLessEqual(max(map(len, lines)), 160)
        steps = [line for line in lines if line[:5].strip().isdigit()]
        self.assertTrue([line for line in steps if line[5] == "!"], "the racing steps are marked")

    def test_other_events_are_told(self):
        text = self.file.read_text()
        events = text[text.index("events ") + 7:][:16]
        self.file.write_text(text.replace(events, "0123456789abcdef"))
        done = irqsim("replay", self.file)
        self.assertEqual(done.returncode, 1)
        self.assertIn("other code", done.stdout)

    def test_bug_that_is_not_there(self):
        text = self.file.read_text()
        self.file.write_text(text.replace("gpc-use-after-unlock-2", "gpc-2"))
        done = irqsim("replay", self.file)
        if done.returncode == 2:
            self.assertIn("other code", done.stderr)
        else:
            self.assertIn("is not there", done.stdout)
        self.assertEqual(irqsim("shrink", self.file).returncode, 2)

    def schedule(self):
        return next(line for line in self.file.read_text().splitlines() if line.startswith("schedule "))

    def test_shrunk(self):
        before = self.schedule()
        done = irqsim("shrink", self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        after = self.schedule()
        self.assertLessEqual(len(after), len(before))
        self.assertLessEqual(len(after), len("schedule ") + 60)
        self.assertIn("before: ", done.stdout)
        self.assertIn("after: ", done.stdout)
        again = irqsim("replay", self.file)
        self.assertEqual(again.returncode, 1)
        self.assertIn("the same events", again.stdout)

    def test_fewest_preemptions(self):
        """A race shows in any order; a use after free needs the free between the unlock and the use."""
        before = self.file.read_bytes()
        done = irqsim("shrink", self.file, "--output", self.dir / "small")
        self.assertIn("after: 0 preemptions,", done.stdout)
        self.assertEqual(self.file.read_bytes(), before)
        irqsim("explore", "gpc-use-after-unlock", "--race", "off", "--policy", "random", "--replay-out", self.file)
        self.assertIn("kind kasan\n", self.file.read_text())
        done = irqsim("shrink", self.file)
        self.assertIn("after: 1 preemption,", done.stdout)

    def test_chrome_trace(self):
        out = self.dir / "trace.json"
        done = irqsim("replay", self.file, "--trace-out", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        events = json.loads(out.read_text())["traceEvents"]
        steps = [e for e in events if e["ph"] == "X"]
        self.assertEqual([e["ts"] for e in steps], list(range(len(steps))))
        self.assertEqual({e["dur"] for e in steps}, {1})
        threads = {e["tid"]: e["args"]["name"] for e in events if e.get("name") == "thread_name"}
        self.assertEqual({e["tid"] for e in steps}, set(threads))
        self.assertTrue(all(name.startswith("cpu") for name in threads.values()))
        # The schedule says who took each step
        letters, rest = "", self.schedule().split()[1]
        while rest:
            count = ""
            who, rest = rest[0], rest[1:]
            while rest and rest[0].isdigit():
                count, rest = count + rest[0], rest[1:]
            letters += who * int(count or 1)
        self.assertEqual(len(letters), len(steps))
        for letter, step in zip(letters, steps):
            self.assertIn("actor-" + letter, threads[step["tid"]])
        bugs = [e for e in events if e["ph"] == "i"]
        self.assertTrue(bugs)
        self.assertTrue(all(0 <= b["ts"] < len(steps) for b in bugs))
        starts = {e["id"]: e for e in events if e["ph"] == "s"}
        ends = {e["id"]: e for e in events if e["ph"] == "f"}
        self.assertEqual(set(starts), set(ends))
        self.assertTrue(starts, "an unlock and the next lock")
        for number, start in starts.items():
            self.assertLess(start["ts"], ends[number]["ts"])
            self.assertNotEqual(start["tid"], ends[number]["tid"])

    def test_ftrace(self):
        out = self.dir / "ftrace"
        irqsim("replay", self.file, "--ftrace", out)
        lines = [line for line in out.read_text().splitlines() if not line.startswith("#")]
        stamps = [line.split("] ")[1].split()[1] for line in lines]
        self.assertEqual(stamps, sorted(stamps))
        self.assertTrue([line for line in lines if "irqsim_bug: " in line])

    def damaged(self, text, says):
        self.file.write_bytes(text)
        for command in ("replay", "shrink"):
            self.refused(says, command, self.file)
            self.assertEqual(self.file.read_bytes(), text)

    def test_damaged(self):
        good = self.file.read_bytes()
        self.damaged(b"", ":1: expected 'irqsim replay 2'")
        self.damaged(good.replace(b"replay 2", b"replay 1"), ":1: expected 'irqsim replay 2'")
        self.damaged(good.replace(b"scenario gpc", b"scenario\x00gpc"), "expected text")
        self.damaged(good.replace(b"memory sc", b"memory pso"), "expected memory to be sc or tso")
        self.damaged(good.replace(b"scenario gpc-use", b"scenario gpc-abuse"), "no scenario")
        self.damaged(good.replace(b"scenario ", b"strategy chunked\nscenario "), "of strategy chunked")
        self.damaged(good.replace(b"schedule ", b"scheduel "), "expected a key")
        self.damaged(good.replace(b"schedule ", b"schedule !"), "letters and numbers")
        self.damaged(good.replace(b"schedule ", b"schedule z"), "expected a task from a to c")
        self.damaged(good.replace(b"schedule ", b"schedule a999999999999999999999"), "in all")
        self.damaged(good.replace(b"schedule ", b"schedule a9999"), "of other code")
        self.damaged(good.replace(b"memory sc", b"memory sc\nmemory sc"), "each key once")
        self.damaged(good.replace(b"seed 1", b"seed 1844674407370955161600"), "seed to be a number")
        self.damaged(good.replace(b"seed 1", b"steps 99999"), "up to 30000")
        self.damaged(good.replace(b"end\n", b"end\nmore\n"), "nothing behind 'end'")
        self.damaged(b"\xff" * 1000, ":1: expected 'irqsim replay 2'")
        self.damaged(b"irqsim replay 2\n" + b"x" * (2 << 20), "at most 1048576 bytes")

    def test_cut(self):
        good = self.file.read_bytes()
        for cut in range(len(good)):
            self.damaged(good[:cut], ":" if cut else ":1: expected")

    def test_unreadable(self):
        self.refused("No such file", "replay", str(self.file) + ".not")
        self.refused("Is a directory", "replay", self.dir)
        self.refused("at most 1048576 bytes", "replay", "/dev/zero")
        self.refused("expected a file", "replay")
        self.refused("found both", "replay", self.file, "--memory", "tso")
        self.refused("expected one file", "replay", self.file, self.file)
        self.refused("expected a file, or", "replay", "--scenario", "gpc-1")

    def test_output_that_cannot_be_written(self):
        before = self.file.read_bytes()
        self.refused("can be written", "shrink", self.file, "--output", self.dir / "no" / "file")
        self.refused("can be written", "replay", self.file, "--trace-out", self.dir)
        self.assertEqual(self.file.read_bytes(), before)


VM = ('{"on":"kvm","ioctl":"KVM_CREATE_VM","type":0,"vm":"vm0","ret":0,"errno":0}\n'
      '{"on":"vm0","ioctl":"KVM_ENABLE_CAP","cap":121,"cap_flags":0,"args":[24],"ret":0,"errno":0}\n')


def update(actor, vector, more="", vm="vm0"):
    return (f'{{"actor":"{actor}",{more}"on":"{vm}","ioctl":"KVM_SET_GSI_ROUTING","nr":1,"flags":0,'
            f'"entries":[[1,2,0,4276092928,0,{vector}]],"ret":0,"errno":0}}\n')


class Trace(Cli):
    def write(self, text):
        path = self.dir / "a trace.jsonl"
        path.write_text(text)
        return path

    def test_shipped_ones_are_free_of_bugs(self):
        self.assertGreaterEqual(len(TRACES), 3)
        for path in TRACES:
            with self.subTest(path.name):
                self.assertIn(str(path), irqsim("list", "scenarios").stdout)
                result = json.loads(irqsim("explore", "--trace", path, "--json", "-").stdout)
                self.assertEqual((result["complete"], result["bugs"]), (True, []))
                self.assertGreater(result["executions"], 1)

    def test_finds_a_mutant_and_replays_it(self):
        path = self.write(VM + update("x", 16).replace('"actor":"x",', "") + update("updater", 33) +
                          '{"actor":"device","on":"vm0","ioctl":"KVM_IRQ_LINE","gsi":1,"level":1}\n')
        out = self.dir / "bug"
        done = irqsim("explore", "--trace", path, "--mutant", MUTANT[2], "--replay-out", out)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("actor-a is 'updater', actor-b is 'device'", done.stdout)
        command = done.stdout.split("To replay it:\n")[1].splitlines()[0]
        self.assertEqual(subprocess.run(command, shell=True, **SPAWN).returncode, 1)
        self.assertIn("the same events", irqsim("replay", out).stdout)
        self.assertEqual(irqsim("shrink", out).returncode, 0)
        path.write_text(path.read_text() + " \n")
        self.refused("expected the trace", "replay", out)

    def test_trace_that_moved_with_its_replay_file(self):
        self.write(VM + update("a", 33) + update("b", 34))
        (self.dir / "a trace.jsonl").rename(self.dir / "t.jsonl")
        irqsim("explore", "--trace", "t.jsonl", cwd=self.dir)
        done = irqsim("explore", "--trace", "t.jsonl", "--mutant", MUTANT[2], "--replay-out", "bug",
                      cwd=self.dir)
        if done.returncode == 1:
            self.assertIn("the same events", irqsim("replay", self.dir / "bug").stdout)

    def test_answers_are_checked(self):
        path = self.write(VM + update("a", 33).replace('"ret":0,"errno":0', '"ret":-1,"errno":22'))
        done = irqsim("explore", "--trace", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a trace.jsonl:3: KVM_SET_GSI_ROUTING answered 0, expected -22", done.stdout)
        free = self.write(VM + update("a", 33).replace(',"ret":0,"errno":0', ""))
        self.assertEqual(irqsim("explore", "--trace", free).returncode, 0)

    def test_refused(self):
        def bad(text, says):
            self.refused(says, "explore", "--trace", self.write(text))

        bad(VM, 'expected records with an "actor", found none')
        bad(VM + "".join(update("abcdefghi"[i], 33) for i in range(9)), ":11: expected at most 8 actors")
        bad(VM + update("a", 33).replace('"actor":"a"', '"actor":7'), 'expected "actor" to be 1 to 64')
        bad(VM + update("", 33), 'expected "actor" to be 1 to 64')
        bad(VM + update("a", 33, '"cpu":16,'), 'expected "cpu" to be an integer from 0 to 15')
        bad(VM + update("a", 33, '"cpu":"x",'), 'expected "cpu" to be an integer')
        bad(VM + update("a", 33, vm="vm1"), "expected \"on\" to name an open VM")
        bad(update("a", 33), "expected \"on\" to name an open VM")
        bad(VM + update("a", 33) + update("x", 16).replace('"actor":"x",', "") + update("b", 33),
            ":5: expected records without actor before or behind")
        made = '{"actor":"a","on":"kvm","ioctl":"KVM_CREATE_VM","type":0,"vm":"vm1","ret":0,"errno":0}\n'
        bad(VM + made + update("b", 33, vm="vm1"), "expected a VM of the set-up or of actor 'b' itself")
        bad(VM.replace("vm0", "vm9") + update("a", 33, vm="vm9"), "expected vm0 to vm7")
        bad(VM + '{"actor":"a","on":"vm0","ioctl":"KVM_IRQFD","fd":"e1","gsi":1,"flags":0}\n',
            "expected a call that is run, found KVM_IRQFD")
        bad("\x00" * 100, "expected a JSON object")
        self.refused("No such file", "explore", "--trace", self.dir / "none")
        self.refused("reads it again", "explore", "--trace", "-")
        self.refused("regular file", "replay", "--trace", "/dev/zero", "--schedule", "a")
        path = self.write("irqsim replay 2\ntrace /dev/zero\nschedule a\nend\n")
        self.refused("/dev/zero: expected a regular file", "replay", path)

    def test_actors_of_one_cpu(self):
        path = self.write(VM + update("a", 33, '"cpu":3,') +
                          '{"actor":"b","cpu":3,"on":"vm0","ioctl":"KVM_IRQ_LINE","gsi":1,"level":1}\n')
        done = irqsim("explore", "--trace", path)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("\ncomplete", done.stdout)

    def test_endless_actor_is_cut(self):
        path = self.write(VM + update("a", 33) * 40)
        result = json.loads(irqsim("explore", "--trace", path, "--steps", "300", "--json", "-").stdout)
        self.assertIs(result["complete"], False)
        self.assertIn("cut at 300 events", result["why"])


class List(Cli):
    def test_scenarios(self):
        lines = irqsim("list", "scenarios").stdout.splitlines()
        names = [line.split()[0] for line in lines if line.startswith("  ")]
        self.assertEqual(len(names), len(set(names)), "each once")
        row = next(line.split() for line in lines if line.startswith("  route-update-lookup "))
        self.assertEqual(row[1:3], ["all", "2"])
        row = next(line.split() for line in lines if line.startswith("  gpc-2 "))
        self.assertEqual(row[1:3], ["-", "3"])
        self.assertLessEqual(max(map(len, lines)), 160)

    def test_mutants(self):
        self.assertIn(MUTANT[2], irqsim("list", "mutants").stdout)


if __name__ == "__main__":
    unittest.main()
