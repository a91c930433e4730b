"""decoders_test.py HEED: a model of two decoders is trained, shown and asked with both."""
import json
import unittest

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

RECIPE = """
[data]
synth = "trends"
train_examples = 60
valid_examples = 8
source_tokens = "words"
target_tokens = "words"

[model]
embedding = 4
encoder = { kind = "gru", width = 4 }
decoder = { kind = "attend_first", width = 6, embedding = 4 }
decoders.tags = "labels"
decoders.second = { kind = "attend_after", width = 6, embedding = 4 }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
log_every = 1
objectives = ["teacher_forcing", { kind = "teacher_forcing", decoder = "tags" }, { kind = "teacher_forcing", decoder = "second" }]
"""


class Decoders(Cli):
    @classmethod
    def setUpClass(cls):
        (cls.folder / "two.toml").write_text(RECIPE)
        cls.training = cls.run_in(cls.folder, "train", "two.toml", "-o", "two")
        cls.model = "two/model.safetensors"

    def test_each_has_its_line(self):
        self.assertEqual(self.training.returncode, 0, self.training.stderr)
        lines = [json.loads(line) for line in (self.folder / "two/metrics.jsonl").read_text().splitlines()]
        self.assertEqual({line["objective"] for line in lines if "objective" in line},
                         {"teacher_forcing", "tags.teacher_forcing", "second.teacher_forcing"})
        shown, _ = self.heed("inspect", self.model)
        self.assertIn("decoders.tags.output.weight", shown)
        self.assertIn("decoders.second.combine.weight", shown)
        self.assertIn("model.decoders.tags", self.heed("train", "two.toml", "--show")[0])

    def test_a_search_may_ask_several(self):
        def score(*words):
            return json.loads(self.translate("--json", "--beam", "3", *words, "3 7 7 2")[0])["log_probability"]

        alone, both = score(), score("--combine", "second")
        self.assertNotEqual(alone, both)
        self.assertEqual(both, score("--combine", "second=2", "--combine", "main=2"))
        self.assertAlmostEqual(alone, score("--combine", "second=0.000001"), places=4)

    def test_a_search_may_only_move_forwards(self):
        line = "3 7 7 2 9 1 4 4"
        pairs = self.translate("--monotonic", "--alignment", "hard", line)[0].split(" ||| ")[1].split()
        seen = [int(source) for source, _ in sorted((pair.split("-") for pair in pairs), key=lambda pair: int(pair[1]))]
        self.assertEqual(seen, sorted(seen))
        self.fails(2, "--length 3 is for decoders that fill all positions, and attend_first ends by itself; leave it out", "translate", "-m", self.model, "--length", "3", line)

    def test_what_is_wrong_with_them(self):
        train = ["train", "two.toml", "-o", "x"]
        self.fails(2, "training.objectives: none is for the decoder second", *train, "-q", "--set", 'training.objectives=["teacher_forcing"]')
        self.fails(2, "model.decoders.tags: unknown \"lables\"; choose one of", *train, "--set", "model.decoders.tags=lables")
        self.fails(2, "model.decoders.B: the name \"B\" must be of small letters, digits and _, with a letter first", *train, "--set", "model.decoders.B=labels")
        self.fails(2, "model.decoders: must be a table of parts, each under a name, not 3", *train, "--set", "model.decoders=3")
        words = ["translate", "-m", self.model, "3 7"]
        self.fails(2, "there is no decoder \"secnd\"; choose one of main, second, tags", *words, "--combine", "secnd")
        self.fails(2, "combine: tags is a decoder of the kind labels", *words, "--combine", "tags")


FILLING = """
[data]
synth = "trends"
train_examples = 60
valid_examples = 8
source_tokens = "words"
target_tokens = "words"

[model]
embedding = 8
encoder = { kind = "gru", width = 8 }
decoder = { kind = "mask_predict", width = 8, depth = 1 }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
metric = "exact_match"
objectives = ["cross_entropy", { kind = "lengths", weight = 0.1 }]
"""


class Filling(Cli):
    """A decoder that fills all positions at once."""

    @classmethod
    def setUpClass(cls):
        (cls.folder / "fill.toml").write_text(FILLING)
        cls.training = cls.run_in(cls.folder, "train", "fill.toml", "-o", "fill")
        cls.model = "fill/model.safetensors"

    def test_it_fills(self):
        self.assertEqual(self.training.returncode, 0, self.training.stderr)
        found = [json.loads(line) for line in self.translate("--json", "--length-beam", "3", "--n-best", "3", stdin=b"3 7 7 2\n\n1 2 3\n")[0].splitlines()]
        self.assertEqual(found[1]["text"], "")
        self.assertEqual([len(one["n_best"]) for one in (found[0], found[2])], [3, 3])
        for one in found[0]["n_best"]:
            self.assertEqual(one["tokens"][-1], "</s>")
            self.assertNotIn("<mask>", one["text"])
        self.assertEqual(len({len(one["tokens"]) for one in found[0]["n_best"]}), 3)  # each of another length
        scored, _ = self.heed("score", "-m", self.model, stdin=b"3 7 7 2\tnew up same down\n")
        self.assertLess(float(scored.split()[0]), 0)

    def test_its_length_may_be_given(self):
        for length in (1, 6):
            self.assertEqual(len(json.loads(self.translate("--json", "--length", str(length), "3 7 7 2")[0])["tokens"]), length + 1)
        self.fails(2, "--length 6 is longer than 5, the model's or --max-length's limit", "translate", "-m", self.model, "--length", "6", "--max-length", "5", "3 7")

    def test_where_it_looked(self):
        text, links = self.translate("--alignment", "hard", "--length", "3", "3 7 7 2")[0].split(" ||| ")
        self.assertEqual(len(text.split()), 3)
        self.assertLessEqual(len(links.split()), 3)
        self.assertIn("source →", self.translate("--draw", "3 7 7 2")[0])
        self.assertIn("source →", self.heed("align", "-m", self.model, "--draw", "3 7", "new up")[0])

    def test_it_may_end_by_itself(self):
        ends = ["--set", "model.decoder.length_from=end", "--set", "model.decoder.length_range=3"]
        self.fails(2, "lengths is for decoders that predict lengths, and this one ends at its first end token (length_from = \"end\"); leave it out", "train", "fill.toml", "-o", "x", "-q", *ends)
        self.heed("train", "fill.toml", "-o", "ends", "-q", *ends, "--set", 'training.objectives=["cross_entropy"]')
        model = "ends/model.safetensors"
        found = json.loads(self.heed("translate", "-m", model, "--json", "--rounds", "3", "3 7 7 2")[0])
        self.assertLessEqual(len(found["text"].split()), 7)
        self.assertEqual(len(self.heed("translate", "-m", model, "--length", "4", "3 7 7 2")[0].split()), 4)
        scored, _ = self.heed("score", "-m", model, stdin=b"3 7 7 2\tnew up same down\n")
        self.assertLess(float(scored.split()[0]), 0)
        self.assertIn("source →", self.heed("align", "-m", model, "--draw", "3 7", "new up")[0])

    def test_what_it_cannot_do(self):
        words = ["translate", "-m", self.model, "3 7"]
        self.fails(2, "the decoder mask_predict is not one that says one word after the other", *words, "--monotonic")
        self.fails(2, "search: a prefix is for decoders that write one word after the other, and mask_predict", *words, "--prefix", "up")
        self.fails(2, "search: several models are for decoders that write one word after the other, and mask_predict", *words, "-m", self.model)
        self.fails(2, "the decoder mask_predict", "train", "fill.toml", "-o", "x", "-q", "--set", 'training.objectives=["cross_entropy"]')


if __name__ == "__main__":
    unittest.main()
