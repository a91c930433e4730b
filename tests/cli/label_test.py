"""label_test.py HEED: labels of tokens and of whole lines: forms of output, drawings, tables, and what is refused."""
import json
import unittest

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

RECIPE = """
[data]
synth = "{synth}"
{source}
train_examples = 60
valid_examples = 8
source_tokens = "words"
target_tokens = "words"

[model]
embedding = 4
encoder = {{ kind = "gru", width = 4 }}
decoder = "{decoder}"

[training]
steps = {steps}
batch_sentences = 8
validate_every = 3
metric = "f1"
optimiser = {{ kind = "adam", learning_rate = 0.02 }}
"""


class Label(Cli):
    @classmethod
    def setUpClass(cls):
        for name, synth, decoder, steps in (("each", "trends", "labels", 60), ("whole", "marked", "sequence_label", 3)):
            (cls.folder / f"{name}.toml").write_text(RECIPE.format(synth=synth, decoder=decoder, steps=steps, source=""))
            done = cls.run_in(cls.folder, "train", f"{name}.toml", "-o", name)
            assert done.returncode == 0, done.stderr

    def label(self, name, *words, **more):
        return self.heed("label", "-m", f"{name}/model.safetensors", *words, **more)

    def refused(self, message, name, *words):
        self.fails(2, message, "label", "-m", f"{name}/model.safetensors", *words)

    def test_a_label_for_each_token(self):
        out, err = self.label("each", "3 7 7 2", "1 2")
        lines = [line.split() for line in out.splitlines()]
        self.assertEqual(([len(line) for line in lines], err), ([4, 2], ""))
        self.assertEqual(lines[0][0], "new")
        self.assertEqual(self.label("each", stdin=b"3 7 7 2\n\n1 2\n")[0], f"{' '.join(lines[0])}\n\n{' '.join(lines[1])}\n")
        self.assertEqual(self.label("each", "--batch", "1", "3 7 7 2", "1 2")[0], out)

    def test_json(self):
        said = json.loads(self.label("each", "--json", "3 7 7 2")[0])
        self.assertEqual(said["labels"], self.label("each", "3 7 7 2")[0].split())
        self.assertEqual((said["source"], len(said["probabilities"])), (["3", "7", "7", "2"], 4))
        self.assertNotIn("weights", said)
        said = json.loads(self.label("whole", "--json", "--n-best", "9", "red * blue")[0])
        self.assertEqual(([len(row) for row in said["weights"]], said["source"]), ([3], ["red", "*", "blue"]))
        self.assertEqual({one["label"] for one in said["n_best"]}, {"red", "green", "blue", "yellow", "<unk>"})
        self.assertEqual(said["labels"], [said["n_best"][0]["label"]])

    def test_what_is_kept(self):
        labels = self.label("each", "3 7 7 2")[0].split()
        kept = [digit for digit, label in zip("3772", labels) if label == labels[1]]
        self.assertEqual(self.label("each", "--keep", labels[1], "3 7 7 2")[0].split(), kept)
        self.refused('--keep: the model has no label "odd"', "each", "--keep", "odd", "1 2")
        self.refused("--keep is for models that label the tokens of a text, and this one does not; leave it out", "whole", "--keep", "red", "red * blue")

    def test_the_likeliest_of_the_whole(self):
        lines = self.label("whole", "--n-best", "2", "red * blue", "green * green")[0].splitlines()
        self.assertEqual([line.split(" ||| ")[0] for line in lines], ["0", "0", "1", "1"])
        first, second = (float(line.split(" ||| ")[2]) for line in lines[:2])
        self.assertGreaterEqual(first, second)
        self.assertEqual(lines[0].split(" ||| ")[1] + "\n", self.label("whole", "red * blue")[0])
        self.refused("--n-best 2 is for decoders that give the source one label, and labels labels every row; leave it out", "each", "--n-best", "2", "1 2")

    def test_where_it_looked(self):
        self.assertIn("source →", self.label("whole", "--draw", "red * blue")[0])
        self.label("whole", "--svg", "seen.svg", "--png", "seen.png", "red * blue")
        self.assertIn("<svg", (self.folder / "seen.svg").read_text())
        self.refused("the model's decoder has no attention to show; leave out --draw, --svg and --png", "each", "--draw", "1 2")

    def test_tables_and_pairs(self):
        pairs, _ = self.heed("synth", "marked", "-n", "3", "--split", "test")
        (self.folder / "pairs.tsv").write_text(pairs)
        sources = [line.split("\t")[0] for line in pairs.splitlines()]
        self.assertEqual(self.label("whole", "--table", "pairs.tsv")[0], self.label("whole", *sources)[0])
        self.refused("sources, --table and --input exclude each other", "whole", "--table", "pairs.tsv", "red * blue")
        scored, _ = self.heed("score", "-m", "whole/model.safetensors", stdin=pairs.encode())
        self.assertEqual(len(scored.splitlines()), 3)

    def test_the_verb_that_is_meant(self):
        self.fails(2, "gives labels (its decoder is labels) and writes no text; use heed label", "translate", "-m", "each/model.safetensors", "1 2")
        self.fails(2, "gives labels (its decoder is sequence_label)", "caption", "-m", "whole/model.safetensors", "x.png")
        self.fails(2, "label: no model is named, and none of the bundled models gives labels; name one: -m FILE", "label", "1 2")

    def test_other_sources(self):
        source = 'source = { kind = "features", width = 8 }'
        (self.folder / "signals.toml").write_text(RECIPE.format(synth="signals", decoder="labels", steps=2, source=source))
        frames = ["signals.toml", "-q", "--set", "model.front=frames", "--set", "data.target_tokens=characters"]
        self.fails(3, "one for each token or row of the source", "train", *frames, "-o", "x")
        self.fails(3, "for the decoder sequence_label: one for the whole source", "train", *frames, "-o", "x", "--set", "model.decoder=sequence_label")


if __name__ == "__main__":
    unittest.main()
