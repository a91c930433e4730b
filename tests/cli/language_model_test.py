"""language_model_test.py HEED: a model without a source is trained to its perplexity, goes on from lines and scores texts."""
import datetime
import json
import math
import re
import unittest

from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

BEST = math.exp(math.log(73049) / 11)  # any of 73 049 days, ten characters and the end


class LanguageModel(Cli):
    @classmethod
    def setUpClass(cls):
        cls.training = cls.run_in(cls.folder, "train", str(ROOT / "recipes/dates-language-model.toml"), "-o", "dates")
        cls.model = "dates/model.safetensors"

    def test_perplexity(self):
        self.assertEqual(self.training.returncode, 0, self.training.stderr)
        self.assertIn("a source of nothing", self.training.stderr.decode())
        self.assertRegex(self.training.stderr.decode(), r"validation loss 1\.0\d+, perplexity 2\.\d+, the best so far")
        days = [line.split("\t")[1] for line in self.heed("synth", "dates", "-n", "1000", "--split", "test", "--seed", "7")[0].splitlines()]
        (self.folder / "days").write_text("".join(f"{day}\n" for day in days))
        total = json.loads(self.heed("score", "-m", self.model, "--summary", "--json", "days")[0])
        self.assertEqual((total["pairs"], total["tokens"]), (1000, 11000))
        self.assertGreater(total["perplexity"], 0.99 * BEST)
        self.assertLess(total["perplexity"], 1.015 * BEST)

    def test_it_goes_on_from_lines(self):
        out, _ = self.translate("--sample", "--n-best", "100", stdin=b"2021-0\n\n19\n")
        rows = [line.split(" ||| ")[:2] for line in out.splitlines()]
        self.assertEqual([number for number, _ in rows], ["0"] * 100 + ["1"] * 100 + ["2"] * 100)
        for number, text in rows:
            self.assertTrue(text.startswith({"0": "2021-0", "1": "", "2": "19"}[number]), text)
        self.assertGreater(len({text for _, text in rows[100:200]}), 90)
        right = 0
        for _, text in rows:
            try:
                right += bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text)) and 1900 <= datetime.date.fromisoformat(text).year <= 2099
            except ValueError:
                pass
        self.assertGreater(right, 280)
        found = json.loads(self.translate("--json", "2021-0")[0])
        self.assertNotIn("alignment", found)
        scored, _ = self.heed("score", "-m", self.model, stdin=(found["text"] + "\n").encode())
        self.assertAlmostEqual(float(scored.split()[0]), found["log_probability"], places=3)

    def test_what_it_cannot_do(self):
        words = ["-m", self.model]
        self.fails(2, "the model's decoder has no attention; leave out --alignment", "translate", *words, "--draw", "2021")
        self.fails(2, "translate: --table is for models that read a source, and this one reads none; give lines of text to continue", "translate", *words, "--table", "dates/metrics.jsonl")
        self.fails(2, "score: this model reads no source; give a file of texts alone instead of --source and --target", "score", *words, "--source", "x", "--target", "y")
        recipe = str(ROOT / "recipes/dates-language-model.toml")
        self.fails(2, "training.metric: bleu judges translations, and a model without a source has nothing to translate; choose perplexity or loss", "train", recipe, "-o", "x", "--set", "training.metric=bleu")
        self.fails(2, "decoder: attend_first looks at a source, and the encoder none reads nothing; choose one of", "train", recipe, "-o", "x", "--set", "model.decoder=attend_first")
        self.fails(2, "none reads nothing, but data.source = \"text\"; set data.source = \"none\", or choose an encoder", "train", recipe, "-o", "x", "--set", "data.source=text")


if __name__ == "__main__":
    unittest.main()
