#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""gpc_cli.py IRQSIM SOURCE_DIR: what irqsim compare gpc predicts, prints and refuses."""
import configparser
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

IRQSIM = sys.argv.pop(1)
SOURCE = pathlib.Path(sys.argv.pop(1))
PROFILE = SOURCE / "model/profiles/gnr.ini"
VCPUS = [1, 2, 4, 8, 16, 32, 64]

# Millions of deliveries a second on a 192-way Granite Rapids, as published in Sep 2026
PUBLISHED = {
    ("spread", "rwlock"): dict(zip(VCPUS, [1.02, 1.87, 3.59, 7.06, 8.75, 8.52, 6.75])),
    ("spread", "srcu"): dict(zip(VCPUS, [1.13, 2.27, 4.57, 9.13, 16.8, 33.3, 63.7])),
    ("packed", "srcu"): {32: 17.2, 64: 14.0},
}


def irqsim(*args):
    return subprocess.run([IRQSIM, "compare", "gpc", *args], capture_output=True, text=True, timeout=300,
                          check=False)


def rows(*args):
    done = irqsim(*args, "--json", "-")
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def curve(table, layout, strategy):
    return {r["vcpus"]: r["deliveries_per_sec"] / 1e6 for r in table
            if (r["layout"], r["strategy"]) == (layout, strategy)}


class Prediction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows()

    def test_published_cells(self):
        cells = [r for r in self.rows if "published" in r]
        self.assertEqual({(r["layout"], r["strategy"], r["vcpus"]): r["published"] / 1e6 for r in cells},
                         {(*key, n): mps for key, line in PUBLISHED.items() for n, mps in line.items()})
        self.assertLessEqual(sum(r["kind"] == "fitted" for r in cells), 4)
        predicted = [abs(r["deliveries_per_sec"] / r["published"] - 1) for r in cells
                     if r["kind"] == "predicted"]
        self.assertLessEqual(max(predicted), 0.20)
        self.assertLessEqual(sum(predicted) / len(predicted), 0.10)
        for r in cells:
            self.assertAlmostEqual(r["error"], r["deliveries_per_sec"] / r["published"] - 1)

    def test_whenever_senders_begin(self):
        for seed in "2345":
            off = [abs(r["error"]) for r in rows("--seed", seed) if r.get("kind") == "predicted"]
            self.assertLessEqual(max(off), 0.20)
            self.assertLessEqual(sum(off) / len(off), 0.10)

    def test_shape(self):
        rwlock = curve(self.rows, "spread", "rwlock")
        peak = max(rwlock, key=rwlock.get)
        self.assertIn(peak, (8, 16, 32))
        self.assertLess(rwlock[64], 0.9 * rwlock[peak])
        packed = curve(self.rows, "packed", "srcu")
        self.assertGreater(packed[8], 0.9 * 8 * packed[1])
        self.assertLess(packed[32], 0.75 * 32 * packed[1])
        # "makes no difference"
        for n, mps in curve(self.rows, "packed", "rwlock").items():
            self.assertLess(abs(mps / rwlock[n] - 1), 0.10)

    def test_where_time_goes(self):
        for r in self.rows:
            self.assertAlmostEqual(sum(r["where"].values()), 1, places=6)
            self.assertLessEqual(len(r["hottest"]), 3)
            # p99 is within 1 % above
            self.assertGreaterEqual(r["p99_ns"] * 1.01, r["mean_ns"] * 0.99)
        hottest = {(r["layout"], r["strategy"]): r["hottest"][0]["name"] for r in self.rows
                   if r["vcpus"] == 64}
        self.assertEqual(hottest["spread", "rwlock"], "gpc.lock")
        self.assertEqual(hottest["packed", "srcu"], "shared_info.evtchn_pending[0..7]")

    def test_same_seed_same_bytes(self):
        self.assertEqual(irqsim("--seed", "7").stdout, irqsim("--seed", "7").stdout)
        self.assertNotEqual(irqsim("--seed", "7").stdout, irqsim("--seed", "8").stdout)


class Profile(unittest.TestCase):
    def test_at_most_four_numbers_without_a_source(self):
        ini = configparser.ConfigParser(interpolation=None)
        ini.read(PROFILE)
        numbers = [s for s in ini.sections() if s.startswith(("cost ", "place "))]
        self.assertEqual(len(numbers), 10)
        self.assertLessEqual(sum(ini[s]["kind"] != "cited" for s in numbers), 4)
        for s in numbers:
            self.assertGreater(len(ini[s]["source"]), 10, s)

    def changed(self, old, new, message):
        text = PROFILE.read_text()
        self.assertIn(old, text)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "changed.ini"
            path.write_text(text.replace(old, new, 1))
            done = irqsim("--vcpus", "1", "--profile", str(path))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_refused(self):
        for new in "-1", "nan", "inf", "1e99", "":
            self.changed("ns = 1.3\n", f"ns = {new}\n", "expected ns of 0 to 1e+06 for hit")
        self.changed("ns = 1.3\n", "", "expected ns, kind and source in [cost hit]")
        self.changed("ns = 855", "ns = 0", "time has to go on")
        self.changed("kind = cited", "kind = assumed", "expected at most 4 fitted numbers and cells, found 5")
        self.changed("32 = 8.52", "32 = 8.52 fitted", "found 4 and 5")
        self.changed("value = 32", "value = 0", "expected a number from 1 to 65536 for cluster_cores")
        self.changed("value = 32", "value = 31", "expected whole clusters in a socket")
        self.changed("16 = 8.75 fitted", "16 = many", "expected MILLIONS")
        self.changed("[cost locked]", "[cost \x1b[2J]", "expected a cost of virtual time, found '?[2J'")


class Options(unittest.TestCase):
    def refused(self, *args, message):
        done = irqsim(*args)
        self.assertEqual(done.returncode, 2, args)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(done.stdout, "")

    def test_refused(self):
        for n in "0", "1e9", "1000000000", "1025", "-1", "", "1,", "1,,2", "0x10", " 1":
            self.refused("--vcpus", n, message="--vcpus: expected numbers from 1 to 1024")
        self.refused("--layout", "dense", message="--layout: expected spread or packed, found 'dense'")
        self.refused("--strategy", "rcu", message="--strategy: expected rwlock or srcu, found 'rcu'")
        for n in "0", "-1", "nan", "inf", "1e7", "x":
            self.refused("--duration", n, message="--duration: expected microseconds")
        self.refused("--seed", "0", message="--seed: expected a number from 1")
        self.refused("--profile", "nowhere", message="nowhere.ini: expected a machine profile")
        self.refused("extra", message="expected an option, found 'extra'")

    def test_chosen_rows(self):
        table = rows("--vcpus", "3,5", "--layout", "packed", "--strategy", "gpc=srcu")
        self.assertEqual([(r["layout"], r["strategy"], r["vcpus"]) for r in table],
                         [("packed", "srcu", 3), ("packed", "srcu", 5)])
        self.assertFalse(any("published" in r or "kind" in r for r in table))

    def test_figure(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "curve.svg"
            done = irqsim("--plot", str(path))
            if "gnuplot to be installed" in done.stderr:
                self.skipTest("no gnuplot")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = path.read_text()
        for title in "rwlock spread, modelled", "srcu spread, published", "srcu packed, published":
            self.assertIn(title, text)


class Scale(unittest.TestCase):
    def test_1024(self):
        table = rows("--vcpus", ",".join(str(1 << i) for i in range(11)))
        self.assertEqual(len(table), 44)
        self.assertTrue(all(r["deliveries_per_sec"] > 0 for r in table))


if __name__ == "__main__":
    unittest.main()
