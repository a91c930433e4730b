"""inspect_test.py HEED: what a model file holds, and examples of the made-up tasks."""
import json
import unittest

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Inspect(Cli):
    def test_a_model(self):
        out, err = self.heed("inspect", self.model)
        self.assertEqual(err, "")
        self.assertRegex(out, r"(?m)^recipe +tiny$")
        self.assertRegex(out, r"(?m)^parameters +\d+$")
        config = json.loads(out[out.index("\n{") : out.index("\n}") + 2])
        self.assertEqual(config["decoder"]["width"], 6)

    def test_a_checkpoint_too(self):
        self.assertIn("parameters", self.heed("inspect", "run/checkpoints/step-00000003.safetensors")[0])

    def test_parts(self):
        out, _ = self.heed("inspect", "--parts")
        for kind in ("score", "normaliser", "focus", "front", "encoder", "decoder", "cell", "norm", "position", "activation", "field", "tokeniser", "synth",
                     "optimiser", "schedule", "average", "metric", "tokenisation", "strategy", "verb"):
            self.assertRegex(out, rf"(?m)^{kind}$")
        self.assertRegex(out, r"(?m)^  additive \(mlp\) \(concat\) +vᵀ")


class Synth(Cli):
    def test_examples(self):
        out, err = self.heed("synth", "dates", "-n", "5")
        self.assertEqual(err, "")
        self.assertEqual(len(out.splitlines()), 5)
        for line in out.splitlines():
            self.assertRegex(line, r"^[^\t]+\t\d{4}-\d\d-\d\d$")
        self.assertEqual(self.heed("synth", "dates", "-n", "5")[0], out)
        self.assertNotEqual(self.heed("synth", "dates", "-n", "5", "--seed", "2")[0], out)
        self.assertNotEqual(self.heed("synth", "dates", "-n", "5", "--split", "test")[0], out)
        self.assertEqual(self.heed("synth", "dates", "-n", "0"), ("", ""))
        self.fails(2, '-n: must be a whole number of at least 0, not "-1"', "synth", "dates", "-n", "-1")


if __name__ == "__main__":
    unittest.main()
