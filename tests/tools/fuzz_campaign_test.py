"""tools/fuzz_campaign.py calls coverage flat only where it is, and lets no target starve."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import fuzz_campaign  # noqa: E402


def record(edges, turns):
    return {"executions": 1_234_567, "core_seconds": 20.0, "edges_over_seconds": edges, "turns": turns, "found": []}


class Rows(unittest.TestCase):
    def test_a_single_turn_is_not_compared_with_itself(self):
        grows = fuzz_campaign.row("tar", record([[1, 100], [9, 190], [18, 200]], [[0, 20, 5000]]))
        self.assertEqual(grows, "| tar | 1 234 567 | 20 | 250 | 190 | 200 | grew by 5.0 % | nothing |")

    def test_flat(self):
        self.assertIn("| 200 | 200 | flat |", fuzz_campaign.row("tar", record([[1, 100], [9, 200]], [[0, 20, 5000]])))

    def test_half_is_that_of_the_executions(self):
        turns = [[0, 10, 1000], [10, 20, 3000]]
        self.assertAlmostEqual(fuzz_campaign.half_of(turns), 10 + 10 / 3, places=3)
        self.assertIn("grew by 50.0 %", fuzz_campaign.row("tar", record([[1, 100], [14, 200]], turns)))

    def test_what_was_not_run_is_not_flat(self):
        self.assertIn("| not run |", fuzz_campaign.row("tar", record([], [])))


class Turns(unittest.TestCase):
    def test_small_goals_have_half_of_the_processes_until_they_are_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            targets = [fuzz_campaign.Target(pathlib.Path(folder), name, ([], {})) for name in ("json", "model", "tar")]
            for _ in range(8):
                fuzz_campaign.choose(targets, 8).running.append({"began": 0, "until": 75})
            self.assertEqual([len(target.running) for target in targets], [2, 4, 2])
            for target in (targets[0], targets[2]):
                target.done, target.running = target.goal, []
            self.assertEqual(fuzz_campaign.choose(targets, 8).name, "model")


unittest.main()
