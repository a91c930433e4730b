#!/usr/bin/env python3
"""Every recipe of real data says what it reached and how long that took, or that nobody has trained it yet."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecipeResults(unittest.TestCase):
    def test_every_recipe_of_real_data_says_its_result(self):
        real = [path for path in sorted((ROOT / "recipes").glob("*.toml")) if "HEED_DATA" in path.read_text(encoding="utf-8")]
        self.assertGreater(len(real), 10)
        for path in real:
            with self.subTest(recipe=path.name):
                said = re.search(r"^# Result: (.*)$", path.read_text(encoding="utf-8"), re.M)
                self.assertIsNotNone(said, "has no line `# Result: …`")
                if said.group(1).startswith("none yet"):
                    self.assertIn(f"`heed train {path.stem} --dry-run`", said.group(1))
                elif said.group(1).startswith("docs/RESULTS.md has"):
                    self.assertIn(f"recipes/{path.name}", (ROOT / "docs/RESULTS.md").read_text(encoding="utf-8"))
                else:
                    self.assertRegex(said.group(1), r"\d.*\b(minutes?|hours?|steps)\b")
                    self.assertIn("docs/RESULTS.md", said.group(1))


if __name__ == "__main__":
    unittest.main()
