"""compare_test.py HEED: heed compare trains the variants of a recipe, resumes, and ends in a table and a picture."""
import json
import unittest
import xml.etree.ElementTree

from cli import RECIPE, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

PICTURES = """\
[data]
synth = "shapes"
source = { kind = "picture", side = 12 }
train_examples = 24
valid_examples = 4
target_tokens = "words"

[model]
front = { kind = "stages", channels = [4, 6], depth = 1 }
encoder = "identity"
decoder = { kind = "attend_first", width = 6, embedding = 4, gated = true }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
"""
SOUND = """\
[data]
synth = "tones"
source = { kind = "sound", rate = 8000, filters = 8 }
train_examples = 16
valid_examples = 4
target_tokens = "characters"

[model]
front = { kind = "subsample", depth = 1 }
embedding = 6
encoder = { kind = "cnn", depth = 1, width = 4 }
decoder = "ctc"

[training]
steps = 3
objectives = ["ctc"]
batch_sentences = 8
validate_every = 3
"""
OVER = "model.decoder.attention.score=bilinear,additive"


class Compare(Cli):
    def compare(self, *words, **more):
        return self.heed("compare", "tiny.toml", "--over", OVER, "-o", "both", "--set", "model.decoder.width=8", *words, **more)

    def texts(self, file):
        """What is written in an SVG file."""
        drawn = xml.etree.ElementTree.parse(self.folder / file).getroot()
        return ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]

    def test_a_table_and_a_picture(self):
        table, said = self.compare()
        head, *rows = [line.split() for line in table.splitlines()]
        self.assertEqual(head, ["variant", "exact_match", "parameters", "training", "words/s"])
        self.assertEqual([row[0] for row in rows], ["bilinear", "additive"])
        self.assertNotEqual(rows[0][2], rows[1][2])  # parameters
        self.assertTrue(said.startswith("bilinear (1 of 2)\nadditive (2 of 2)\n"), said)
        self.assertIn("drawn: both/compare.svg\n", said)
        texts = self.texts("both/compare.svg")
        for name in ("bilinear", "additive"):  # with its answer
            self.assertTrue(any(text.startswith(name) for text in texts), texts)
        self.assertEqual(texts.count("⏎"), 2)

        # Run again, nothing is trained again, so that the time stays; other texts are drawn.
        bytes_before = (self.folder / "both/bilinear/model.safetensors").read_bytes()
        seconds = json.loads((self.folder / "both/bilinear/compare.json").read_text())["seconds"]
        _, said = self.compare()
        self.assertTrue(said.startswith("bilinear (1 of 2): already trained\nadditive (2 of 2): already trained\n"), said)
        again, _ = self.compare("--json", "--metric", "chrf", "--text", "abc", "--text", "bad", "--svg", "two.svg", "--png", "two.png", "-q")
        self.assertEqual((self.folder / "both/bilinear/model.safetensors").read_bytes(), bytes_before)
        first, second = json.loads(again)
        self.assertEqual([first["variant"], second["variant"], first["metric"]], ["bilinear", "additive", "chrf"])
        self.assertEqual(first["sentences"], 8)
        self.assertEqual(first["training_seconds"], seconds)
        self.assertEqual(first["model"], "both/bilinear/model.safetensors")
        self.assertEqual(str(first["parameters"]), rows[0][2])
        answers = [self.heed("translate", "-m", f"both/{name}/model.safetensors", text)[0].strip() for text in ("abc", "bad") for name in ("bilinear", "additive")]
        titles = [f"{name}: {answer}".removesuffix(": ") for name, answer in zip(("bilinear", "additive") * 2, answers)]
        texts = self.texts("two.svg")  # a row for each text
        self.assertEqual([text for text in texts if text in titles], titles)
        self.assertTrue((self.folder / "two.png").exists())
        self.assertFalse((self.folder / "two-2.png").exists())
        _, said = self.compare("--text", "abc", "--svg", "two.svg", "--png", "two.png")
        self.assertIn("drawn: two.svg, two.png\n", said)
        self.assertNotIn("drawn", self.compare("--text", "abc", "--draw")[1])

        # More steps are added to what there is, and so is their time.
        longer, said = self.compare("--set", "training.steps=5", "--json")
        self.assertIn("bilinear (1 of 2): continuing after step 3\n", said)
        self.assertGreater(json.loads(longer)[0]["training_seconds"], seconds)

    def test_a_setting_that_replaces_another_is_said_once(self):
        said = self.heed("compare", "tiny.toml", "--over", OVER, "-o", "epochs", "--set", "training.epochs=1")[1]
        self.assertEqual(said.count("epochs = 1 of --set replaces steps = 3 of tiny.toml\n"), 1)

    def test_what_makes_no_sense(self):
        self.fails(2, "must be PATH=VALUE,VALUE", "compare", "tiny.toml", "--over", "score")
        self.fails(2, "did you mean", "compare", "tiny.toml", "--over", "model.decoder.attention.score=bilinear,aditive", "-o", "none")
        self.assertFalse((self.folder / "none").exists())  # all variants are checked before the first is trained
        self.fails(2, "--over", "compare", "tiny.toml")

    def test_faults_are_found_before_the_first_variant_is_trained(self):
        normalisers = "model.decoder.attention.normaliser=softmax,hard"
        encoders = "model.encoder={kind=\"transformer\",width=4},gru"
        for over, words, message in (
            (normalisers, [], "compare: the variant hard: training.objectives: with teacher_forcing no gradient reaches the score"),
            (normalisers, [], "--set 'training.objectives=[\"teacher_forcing\",\"reinforce\"]'"),
            (normalisers, ["--set", 'training.objectives=["teacher_forcing","reinforce"]'], "compare: the variant softmax: training.objectives: reinforce is for"),
            (OVER, ["--block", "9"], "compare: the variant bilinear: --block: there is no block 9; choose 0 to 0"),
            (OVER, ["--head", "3", "--draw"], "--head: there is no head 3; choose 0 to 0"),
            (OVER, ["--heads", "--head", "0"], "--heads draws every head and --head 0 one; give one of them"),
            (OVER, ["--attention", "self"], "the decoder attend_first has no self-attention"),
            (encoders, ["--attention", "encoder", "--heads"], "compare: the variant gru: attention: the encoder gru has no self-attention"),
            (OVER, ["--text", ""], '--text: there is nothing to read in ""; give a text with words'),
            (OVER, ["--map", "heat"], "compare: --map is for drawings over a picture, and this model reads text; leave it out"),
            (OVER, ["--color", "always"], "compare: --color has no effect without --draw"),
            (OVER, ["--metric", "aer"], "compare: the variant bilinear: the metric aer does not compare text"),
            ("model.decoder.kind=fixed", ["--heads"], "attention: the decoder fixed has no cross-attention"),
        ):
            self.fails(2, message, "compare", "tiny.toml", "--over", over, "-o", "faulty", *words)
            self.assertFalse((self.folder / "faulty").exists(), words)
        self.fails(5, "nowhere/x.svg: there is no folder nowhere; make it, or choose another",
                   "compare", "tiny.toml", "--over", OVER, "-o", "faulty", "--svg", "nowhere/x.svg")
        self.assertFalse((self.folder / "faulty").exists())

    def test_the_attention_that_is_asked_for(self):
        (self.folder / "blocks.toml").write_text(RECIPE.replace("embedding = 4", "embedding = 8").replace(
            '{ kind = "gru", width = 4 }', '{ kind = "transformer", width = 8, self = { heads = 2 } }'))
        command = ["compare", "blocks.toml", "--over", "model.encoder.placement=pre,post", "-o", "blocks", "--text", "abc", "-q"]
        self.heed(*command, "--attention", "encoder", "--heads", "--svg", "encoder.svg")
        texts = self.texts("encoder.svg")
        self.assertEqual([text for text in texts if ", head " in text],
                         [f"{name}, block {block}, head {head}" for name in ("pre", "post") for block in (0, 1) for head in (0, 1)])
        self.assertIn("source ↓", texts)
        one, two = (self.heed(*command, "--attention", "encoder", "--block", block, "--draw")[0] for block in "01")
        self.assertNotEqual(one.split("pre: ")[1], two.split("pre: ")[1])
        self.assertEqual(one.count("source ↓  source →"), 2)

    def test_a_value_that_does_not_explain_itself_is_named_with_its_setting(self):
        table, said = self.heed("compare", "tiny.toml", "--over", "model.encoder.depth=1,2", "--over",
                                'model.decoder.attention={score="dot",normaliser="softmax"},{score="dot",normaliser="sparsemax"}',
                                "--set", "model.decoder.width=4", "-o", "named")
        names = [f"depth={depth}-normaliser={normaliser}" for depth in (1, 2) for normaliser in ("softmax", "sparsemax")]
        self.assertEqual([line.split()[0] for line in table.splitlines()[1:]], names)
        self.assertIn(f"{names[1]} (2 of 4)\n", said)
        for name in names:
            self.assertTrue((self.folder / "named" / name / "model.safetensors").exists())
            self.assertTrue(any(text.startswith(name) for text in self.texts("named/compare.svg")))

    def test_a_variant_without_attention_is_not_drawn(self):
        command = ["compare", "tiny.toml", "-o", "blind"]
        _, said = self.heed(*command, "--over", "model.decoder.kind=attend_first,fixed")
        self.assertIn("fixed is not drawn: it has no attention\n", said)
        self.assertFalse(any(text.startswith("fixed") for text in self.texts("blind/compare.svg")))
        _, said = self.heed(*command, "--over", "model.decoder.kind=fixed", "--svg", "blind.svg", "-q")
        self.assertEqual(said, "warning: nothing is drawn: no variant has attention\n")
        self.assertFalse((self.folder / "blind.svg").exists())

    def test_a_variant_has_settings_of_its_own(self):
        hard = 'model.decoder.attention.normaliser=softmax,{kind="hard",mix=0.5}'
        own = 'hard:training.objectives=["teacher_forcing","reinforce"]'
        table, _ = self.heed("compare", "tiny.toml", "--over", hard, "--for", own, "-o", "own")
        self.assertEqual([line.split()[0] for line in table.splitlines()[1:]], ["softmax", "hard"])
        self.assertIn("reinforce", (self.folder / "own/hard/metrics.jsonl").read_text())
        self.assertNotIn("reinforce", (self.folder / "own/softmax/metrics.jsonl").read_text())
        for given, message in (("hrad:training.steps=3", 'compare: --for: no variant has the value "hrad"; did you mean "hard"?'),
                               ("training.steps=3", 'compare: --for: "training.steps=3" must be VALUE:PATH=VALUE, such as softmax:training.steps=2000'),
                               ("hard:training.stepps=3", 'did you mean "steps"?')):
            self.fails(2, message, "compare", "tiny.toml", "--over", hard, "--for", given, "-o", "none")
        self.assertFalse((self.folder / "none").exists())

    def test_a_variant_that_diverges_does_not_end_the_others(self):
        rates = "training.optimiser.learning_rate=1e6,0.001"
        command = ["compare", "tiny.toml", "--over", rates, "-o", "rates", "--set", "training.optimiser.kind=sgd", "--set", "training.clip=0",
                   "--set", "training.steps=30", "--for", "learning_rate=1e6:training.optimiser.weight_decay=1e6"]
        table, said = self.heed(*command, code=4)
        rows = [line.split() for line in table.splitlines()[1:]]
        self.assertEqual((rows[0][0], rows[0][1], rows[0][2], rows[0][4]), ("learning_rate=1e6", "–", "–", "–"))
        self.assertRegex(rows[1][1], r"^\d+\.\d\d$")
        self.assertIn("warning: learning_rate=1e6: train: ", said)
        self.assertFalse(any(text.startswith("learning_rate=1e6") for text in self.texts("rates/compare.svg")))
        first, second = json.loads(self.heed(*command, "--json", "-q", code=4)[0])
        self.assertEqual((first["score"], first["model"], second["sentences"]), (None, None, 8))
        self.assertIn("lower the learning rate", first["error"])
        self.assertNotIn("error", second)

    def test_pictures_and_recordings_lie_one_below_the_other(self):
        (self.folder / "shapes.toml").write_text(PICTURES)
        over = ["--over", "model.decoder.attention.normaliser=softmax,sparsemax", "--for", "sparsemax:training.steps=4"]
        _, said = self.heed("compare", "shapes.toml", *over, "-o", "shapes", "--svg", "seen.svg", "--png", "seen.png", "--title", "who sees")
        self.assertIn("drawn: seen.svg, seen.png\n", said)
        drawn = (self.folder / "seen.svg").read_text()
        self.assertEqual(drawn.count('id="picture-'), 2)
        titles = [text for text in self.texts("seen.svg") if text.startswith(("softmax", "sparsemax", "who sees"))]
        self.assertEqual([title.split(":")[0] for title in titles], ["who sees", "softmax", "sparsemax"])
        scene = self.heed("synth", "shapes", "-n", "1")[0].split("\t")[0]
        lines, _ = self.heed("compare", "shapes.toml", *over, "-o", "shapes", "--text", scene, "--draw", "-q")
        self.assertRegex(lines, r"(?m)^sparsemax(: .*)?$")
        self.fails(3, "compare: the variant softmax: ", "compare", "shapes.toml", *over, "-o", "shapes", "--text", "nowhere.png")
        (self.folder / "tones.toml").write_text(SOUND)
        self.heed("compare", "tones.toml", "--over", "model.encoder.width=4,6", "-o", "tones")
        drawn = (self.folder / "tones/compare.svg").read_text()
        self.assertEqual(drawn.count("data:image/png"), 2)  # a spectrogram for each


if __name__ == "__main__":
    unittest.main()
