#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""vfio_cli.py IRQSIM SOURCE_DIR: irqsim compare vfio, against the published figures, and what it refuses."""
import configparser
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

IRQSIM = sys.argv.pop(1)
SOURCE = pathlib.Path(sys.argv.pop(1))
PROFILE = SOURCE / "model/profiles/vfio-2021.ini"
VFS, VECTORS, PINS = 8, 65, 38
COLUMNS = {"per-vector": "original_ms", "skip-unchanged": "kernel_route_changed_ms", "deferred": "deferred_ms"}
TOTALS = {"per-vector": 258, "skip-unchanged": 51, "deferred": 21}


def irqsim(*args):
    return subprocess.run([IRQSIM, "compare", "vfio", *args], capture_output=True, text=True, timeout=300,
                          check=False)


def compare(*args):
    done = irqsim(*args, "--json", "-")
    if done.returncode:
        raise AssertionError(done.stderr + done.stdout)
    return json.loads(done.stdout)


def published():
    """{(strategy, vf): ms}"""
    with open(SOURCE / "tests/figures/vfio-msix.tsv", encoding="utf-8") as f:
        rows = list(csv.DictReader(f, delimiter="\t"))
    return {(name, int(row["vf"])): float(row[column]) for row in rows for name, column in COLUMNS.items()}


def timed():
    """(what, entries, irqfds, the fastest us)"""
    with open(SOURCE / "tests/figures/real-kernel-6.18.tsv", encoding="utf-8") as f:
        for row in csv.reader((line for line in f if line[0] != "#"), delimiter="\t"):
            yield row[1], int(row[3]), int(row[4]), float(row[6])


def profile():
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(PROFILE)
    return ini


def cells_fitted(ini):
    return {(name.split()[2], int(name.split()[3])) for name in ini.sections()
            if name.startswith("published ") and ini[name]["fitted"] == "yes"}


def misses(result):
    """Cells that were not fitted and are off by more than 25 % and 1 ms, and totals by more than 10 %."""
    cells, bad, sums = published(), [], dict.fromkeys(COLUMNS, 0)
    for row in result["rows"]:
        key = row["strategy"], row["vf"]
        sums[row["strategy"]] += row["model_ms"]
        off = abs(row["model_ms"] - cells[key])
        if key not in cells_fitted(profile()) and off > 0.25 * cells[key] and off > 1:
            bad.append(key)
    return bad + [name for name, ms in sums.items() if abs(ms - TOTALS[name]) > 0.1 * TOTALS[name]]


def fit(*args):
    done = subprocess.run([sys.executable, SOURCE / "tools/fit-profile", *args], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return {op: float(ns) for op, ns in re.findall(r"^(\w+) = (\S+) ns$", done.stdout, re.M)}


class Published(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = compare("--no-wall")

    def test_all_24_cells_are_in_the_profile(self):
        ini, cells = profile(), published()
        self.assertEqual(len(cells), 24)
        rows = {tuple(s.split()[2:]): float(ini[s]["us"]) / 1000 for s in ini.sections()
                if s.startswith("published ")}
        self.assertEqual(rows, {(name, str(vf)): ms for (name, vf), ms in cells.items()})
        for name, ms in TOTALS.items():
            self.assertEqual(sum(v for (n, _), v in cells.items() if n == name), ms)

    def test_four_costs_are_fitted_to_four_cells(self):
        ini = profile()
        costs = {s.split()[1] for s in ini.sections() if s.startswith("cost ") and ini[s]["kind"] == "fitted"}
        self.assertEqual(costs, {"vfio_enable", "grace_period", "irqfd_scan", "irte"})
        self.assertEqual(cells_fitted(ini), {("per-vector", 1), ("per-vector", 8), ("skip-unchanged", 8),
                                             ("deferred", 6)})
        # the head of the file names them
        head = PROFILE.read_text().split("[profile]")[0]
        for name in costs:
            self.assertIn(name, head)
        for name, vf in cells_fitted(ini):
            self.assertRegex(head, f"{name}[^;,]*\\b{vf}\\b")

    def test_the_fit_solved_again(self):
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d, "r.json")
            path.write_text(json.dumps(self.result))
            ini = profile()
            for op, ns in fit(path, PROFILE).items():
                self.assertAlmostEqual(float(ini[f"cost {op}"]["ns"]) / ns, 1, delta=1e-4)
            # another published figure, another cost
            other = pathlib.Path(d, "p.ini")
            other.write_text(PROFILE.read_text().replace("us = 58000", "us = 116000"))
            self.assertGreater(fit(path, other)["irte"], 1.5 * float(ini["cost irte"]["ns"]))

    def test_cited_costs_are_what_was_timed(self):
        best = {}
        for what, entries, irqfds, us in timed():
            key = what, entries, irqfds
            best[key] = min(us, best.get(key, us))
        ns = {op: float(profile()[f"cost {op}"]["ns"]) for op in ("route", "irqfd_assign", "irqfd_update")}
        # the slope from one entry to 4096, from no irqfd to 520
        for irqfds in (0, 520):
            slope = (best["SET_GSI_ROUTING", 4096, irqfds] - best["SET_GSI_ROUTING", 1, irqfds]) / 4095
            self.assertAlmostEqual(1000 * slope / ns["route"], 1, delta=0.05)
        slopes = [(best["SET_GSI_ROUTING", n, 520] - best["SET_GSI_ROUTING", n, 0]) / 0.52 for n in (1, 16, 64, 520)]
        self.assertTrue(min(slopes) < ns["irqfd_update"] < max(slopes), slopes)
        for irqfds in (0, 512, 3968):
            self.assertAlmostEqual(1000 * best["IRQFD_assign", 0, irqfds] / ns["irqfd_assign"], 1, delta=0.05)

    def test_what_was_not_fitted_is_predicted(self):
        self.assertEqual(misses(self.result), [])
        kinds = {(r["strategy"], r["vf"]): r["kind"] for r in self.result["rows"]}
        self.assertEqual({key for key, kind in kinds.items() if kind == "fitted"}, cells_fitted(profile()))
        self.assertEqual(set(kinds.values()), {"fitted", "predicted"})
        for row in self.result["rows"]:
            self.assertEqual(row["published_ms"], published()[row["strategy"], row["vf"]])
        for row in self.result["totals"]:
            self.assertEqual(row["published_ms"], TOTALS[row["strategy"]])

    def test_a_wrong_profile_is_noticed(self):
        text = PROFILE.read_text()
        for cost in ("irte", "grace_period", "vfio_enable"):
            with tempfile.TemporaryDirectory() as d:
                path = pathlib.Path(d, "p.ini")
                path.write_text(re.sub(f"(\\[cost {cost}\\]\nns = )(\\S+)",
                                       lambda m: m[1] + str(2 * float(m[2])), text))
                self.assertTrue(misses(compare("--no-wall", "--profile", str(path))), cost)

    def test_operations(self):
        for row in self.result["rows"]:
            before, each = VECTORS * (row["vf"] - 1), row["strategy"] != "deferred"
            # with n irqfds there before it, the commit of the j-th vector updates n + j - 1
            updates = sum(before + j for j in range(VECTORS)) if each else before
            routes = sum(PINS + before + j + 1 for j in range(VECTORS)) if each else PINS + before + VECTORS
            with self.subTest(strategy=row["strategy"], vf=row["vf"]):
                self.assertEqual(row["irqfds"], before + VECTORS)
                self.assertEqual(row["commits"], 65 if each else 1)
                self.assertEqual(row["ioctls"], row["commits"] + VECTORS)
                self.assertEqual(row["irqfd_updates"], updates)
                self.assertEqual(row["ops"]["route"], routes)
                self.assertEqual(row["ops"]["grace_period"], row["commits"])
                # each is posted once; a kernel that skips nothing writes all of them at each commit
                self.assertEqual(row["irte_writes"],
                                 VECTORS + (0 if row["strategy"] == "skip-unchanged" else updates))


class Output(unittest.TestCase):
    def test_keys(self):
        for row in compare("--vfs", "2", "--no-wall", "--vectors", "3")["rows"]:
            self.assertEqual(list(row)[:9], ["strategy", "vf", "irqfds", "commits", "irqfd_updates", "model_ms",
                                             "wall_us", "published_ms", "kind"])
            # nobody measured this one
            self.assertIsNone(row["published_ms"])
            self.assertIsNone(row["wall_us"])
            self.assertEqual(row["kind"], "predicted")

    def test_strategies_are_chosen(self):
        for args, want in ((("--strategy", "deferred"), ["deferred"]),
                           (("-s", "deferred,per-vector"), ["per-vector", "deferred"]),
                           (("-s", "deferred", "-s", "skip-unchanged"), ["skip-unchanged", "deferred"]),
                           ((), ["per-vector", "skip-unchanged", "deferred"])):
            result = compare("--vfs", "1", "--vectors", "2", "--no-wall", *args)
            self.assertEqual([row["strategy"] for row in result["totals"]], want)

    def test_each_routing_strategy(self):
        allocs = {}
        for name in ("per-entry", "chunked", "array", "cached", "delta"):
            result = compare("--routing", name, "--no-wall", "--vfs", "2")
            allocs[name] = result["totals"][0]["allocs"]
            self.assertEqual({row["commits"] for row in result["rows"]}, {1, 65})
        self.assertGreater(allocs["per-entry"], 10 * allocs["array"])

    def test_equal_runs_equal_bytes(self):
        args = ("--no-wall", "--irqbalance", "50", "--vfs", "3")
        self.assertEqual(irqsim(*args).stdout, irqsim(*args).stdout)
        self.assertIn("deferred", irqsim(*args).stdout)

    def test_the_largest(self):
        result = compare("--vfs", "2", "--vectors", "2029", "--vcpus", "255", "--no-wall", "-s", "deferred")
        self.assertEqual(result["rows"][1]["irqfds"], 4058)
        result = compare("--vfs", "64", "--vectors", "1", "--vcpus", "1", "--no-wall")
        self.assertEqual(len(result["rows"]), 3 * 64)

    def test_wall_times(self):
        result = compare("--wall-runs", "3", "--vfs", "4")
        for row in result["rows"]:
            self.assertLessEqual(0 < row["wall_us_min"], row["wall_us"])
            self.assertLessEqual(row["wall_us"], row["wall_us_max"])
        plain = {row["strategy"]: row for row in result["plain"]["rows"]}
        self.assertEqual(set(plain), {"per-vector", "deferred"})
        kinds = ["simulated_ms"]
        if os.access("/dev/kvm", os.R_OK | os.W_OK):
            kinds.append("real_ms")
            self.assertEqual(result["plain"]["kernel"], os.uname().release)
        for kind in kinds:
            # 260 commits against 4
            self.assertGreater(plain["per-vector"][kind]["median"], plain["deferred"][kind]["median"])

    def test_a_kernel_that_is_not_asked(self):
        result = compare("--wall-runs", "1", "--vfs", "1", "--no-real")
        self.assertIn("--no-real", result["plain"]["no_real"])
        self.assertNotIn("kernel", result["plain"])
        self.assertIsNone(result["plain"]["rows"][0]["real_ms"])

    def test_irqbalance(self):
        result = compare("--irqbalance", "100", "--no-wall")
        self.assertEqual(result["irqbalance_per_s"], 100)
        irqfds = VFS * VECTORS
        for row in result["irqbalance"]:
            with self.subTest(strategy=row["strategy"]):
                self.assertEqual(row["changes"], 100)
                self.assertEqual((row["commits"], row["ioctls"]), (100, 100))
                self.assertEqual(row["irqfd_updates"], 100 * irqfds)
                # while it is masked, it is not posted: its entry is written before and after the commit
                skips = row["strategy"] == "skip-unchanged"
                self.assertEqual(row["irte_writes"], 100 * (2 if skips else irqfds - 1 + 2))
                self.assertAlmostEqual(row["model_ms_per_s"], row["model_us_each"] / 10, places=3)
        # a second of more is made of 1000
        result = compare("--irqbalance", "5000", "--no-wall", "--vfs", "1", "--vectors", "2", "--vcpus", "3")
        for row in result["irqbalance"]:
            self.assertEqual(row["changes"], 1000)
            self.assertAlmostEqual(row["model_ms_per_s"], 5 * row["model_us_each"], places=2)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_the_figure(self):
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d, "a figure.svg")
            done = irqsim("--no-wall", "--plot", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            text = " ".join(xml.etree.ElementTree.parse(path).getroot().itertext())
            for name in (*COLUMNS, "published", "fitted to"):
                self.assertIn(name, text)

    def test_the_table_for_people(self):
        text = irqsim("--no-wall", "--irqbalance", "1000").stdout
        for name, ms in TOTALS.items():
            self.assertRegex(text, rf"(?m)^{name} +all +.* {ms} ")
        self.assertEqual(text.count("fitted to"), 4)
        self.assertIn("dc580d51f7dd", text)


class BadInput(unittest.TestCase):
    def refused(self, *args, message):
        done = irqsim(*args)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], message)

    def test_numbers(self):
        for option, high in (("vfs", "65"), ("vectors", "2049"), ("vcpus", "256"), ("wall-runs", "10001"),
                             ("irqbalance", "100001")):
            for text in ("0", "-1", "1e9", high, "x", "", "99999999999999999999", "1 2"):
                with self.subTest(option=option, text=text):
                    self.refused(f"--{option}", text, message=f"--{option}: expected a number from 1 to ")
        self.refused("--vfs", "2", "--vectors", "2030", message="expected 4058 vectors at most in all")

    def test_names(self):
        for name in ("nonsense", "", "per-vector,", ",", "per-vecto", "deferred,nonsense"):
            self.refused("--strategy", name, message="--strategy: expected per-vector, skip-unchanged or deferred")
        for name in ("nonsense", "", "per-entry+always", "02-refused-entry-leaked"):
            self.refused("--routing", name, message="--routing: unknown strategy")
        self.refused("--profile", "nonsense", message="nonsense.ini: expected a cost profile")
        self.refused("stray", message="expected an option, found 'stray'")
        self.refused("--nonsense", message="unknown or incomplete option '--nonsense'")
        self.refused("--vfs", message="unknown or incomplete option '--vfs'")

    def test_profiles(self):
        text = PROFILE.read_text()
        for what, text, message in (
                ("missing", text.replace("[cost irte]", "[cost route]"), "p.ini: expected .*cost irte"),
                ("negative", text.replace("ns = 330", "ns = -330"), r"p.ini:\d+: expected ns of 0 or more"),
                ("not a number", text.replace("ns = 330", "ns = nan"), r"p.ini:\d+: expected ns of 0 or more"),
                ("no kind", text.replace("kind = fitted\n", "", 1), "p.ini: expected .*kind"),
                ("unknown", text.replace("[cost irte]", "[cost tea]"), r"p.ini:\d+: expected an operation"),
                ("binary", "\x01\x02" * 99, "p.ini")):
            with self.subTest(what), tempfile.TemporaryDirectory() as d:
                path = pathlib.Path(d, "p.ini")
                path.write_text(text)
                self.refused("--profile", str(path), message=message)

    def test_outputs(self):
        small = ("--vfs", "1", "--vectors", "1", "--no-wall")
        for option in ("--json", "--plot"):
            self.refused(*small, option, "/nonexistent/out", message="/nonexistent/out: expected")
            self.refused(*small, option, "/", message="/: expected")
        self.refused(*small, "--json", "", message="--json: expected a file or -")
        for path in ("-", "", "it's.svg", "two\nlines.svg"):
            self.refused(*small, "--plot", path, message="--plot: expected a file name")


unittest.main(verbosity=1)
