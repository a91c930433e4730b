#!/usr/bin/env python3
"""Every recipe says what it reached and how long that took; and one that ran for other steps than its own has them in its command."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class RecipeResults(unittest.TestCase):
    def test_every_recipe_says_its_result(self):
        recipes = sorted((ROOT / "recipes").glob("*.toml"))
        self.assertGreater(len(recipes), 50)
        for path in recipes:
            with self.subTest(recipe=path.name):
                text = path.read_text(encoding="utf-8")
                said = re.search(r"^# Result: (.*(?:\n# .*)*)$", text, re.M)
                self.assertIsNotNone(said, "has no line `# Result: …`")
                result = said.group(1).replace("\n# ", " ")
                self.assertRegex(result, r"\d.*\b(\d+|half an?) (seconds?|minutes?|hours?)\b")
                if "HEED_DATA" in text:
                    self.assertIn("docs/RESULTS.md", result)

    def test_a_result_after_other_steps_has_them_in_its_command(self):
        for path in sorted((ROOT / "recipes").glob("*.toml")):
            head = path.read_text(encoding="utf-8").split("\n\n")[0]
            for steps in re.findall(r"after (?:the first )?(\d+) steps", head[head.find("# Result: "):]):
                with self.subTest(recipe=path.name):
                    own = re.search(r"^steps = (\d+)$", path.read_text(encoding="utf-8"), re.M)
                    self.assertTrue(own.group(1) == steps or f"--set training.steps={steps}" in head, f"the command does not run {steps} steps")


if __name__ == "__main__":
    unittest.main()
