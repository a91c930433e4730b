"""caption_test.py HEED: pictures in, captions out: files, standard input, tables, forms of output, and what is refused."""
import json
import os
import struct
import subprocess
import tarfile
import unittest
import zlib

from cli import ENVIRONMENT, HEED, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

RECIPE = """\
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


def png(width, height, colour):
    """A picture whose right half is black."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    half = width // 2
    row = b"\0" + bytes(colour) * (width - half) + bytes(3 * half)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))


class Caption(Cli):
    @classmethod
    def setUpClass(cls):
        (cls.folder / "shapes.toml").write_text(RECIPE)
        done = cls.run_in(cls.folder, "train", "shapes.toml", "-o", "pictures")
        assert done.returncode == 0, done.stderr
        (cls.folder / "red.png").write_bytes(png(30, 20, (250, 10, 10)))
        (cls.folder / "blue one.png").write_bytes(png(12, 12, (10, 10, 250)))
        (cls.folder / "cut.png").write_bytes(png(30, 20, (250, 10, 10))[:60])
        (cls.folder / "text.png").write_text("no picture\n")

    def caption(self, *words, **more):
        return self.heed("caption", "-m", "pictures/model.safetensors", "--max-length", "5", *words, **more)

    def refused(self, code, message, *words, **more):
        self.fails(code, message, "caption", "-m", "pictures/model.safetensors", "--max-length", "5", *words, **more)

    def test_one_line_a_picture(self):
        out, err = self.caption("red.png", "blue one.png", "red.png")
        lines = out.splitlines()
        self.assertEqual((len(lines), err), (3, ""))
        self.assertEqual(lines[0], lines[2])
        self.assertEqual(self.caption("red.png")[0], lines[0] + "\n")
        self.assertEqual(self.caption("--batch", "1", "red.png", "blue one.png", "red.png")[0], out)
        listed = b"red.png\n\nblue one.png\n"
        self.assertEqual(self.caption(stdin=listed)[0], f"{lines[0]}\n\n{lines[1]}\n")
        self.assertEqual(self.caption(stdin=b""), ("", ""))

    def test_a_picture_changes_the_answer(self):
        def score(name):
            return json.loads(self.caption("--json", name)[0])["log_probability"]
        self.assertNotEqual(score("red.png"), score("blue one.png"))

    def test_scenes_archives_and_tables(self):
        scenes, _ = self.heed("synth", "shapes", "-n", "3", "--split", "test")
        (self.folder / "scenes.tsv").write_text(scenes)
        cells = [line.split("\t")[0] for line in scenes.splitlines()]
        out, _ = self.caption("--table", "scenes.tsv")
        self.assertEqual(len(out.splitlines()), 3)
        self.assertEqual(self.caption(*cells)[0], out)
        self.assertEqual(self.caption(stdin="".join(f"{cell}\n" for cell in cells).encode())[0], out)
        with tarfile.open(self.folder / "all.tar", "w") as archive:
            archive.add(self.folder / "red.png", "in/red.png")
        self.assertEqual(self.caption("all.tar#in/red.png")[0], self.caption("red.png")[0])
        (self.folder / "sub").mkdir(exist_ok=True)
        (self.folder / "sub/red.png").write_bytes((self.folder / "red.png").read_bytes())
        (self.folder / "sub/list.tsv").write_text("1\tred.png\n")
        self.assertEqual(self.caption("--table", "sub/list.tsv", "--column", "2")[0], self.caption("red.png")[0])
        self.refused(2, "caption: pictures, --table and --input exclude each other", "--table", "scenes.tsv", "red.png")

    def test_verbs_of_pairs_read_the_table_that_training_reads(self):
        (self.folder / "beside").mkdir(exist_ok=True)
        (self.folder / "beside/only.png").write_bytes((self.folder / "red.png").read_bytes())
        (self.folder / "beside/pairs.tsv").write_text("only.png\ta red circle\n")
        model = "pictures/model.safetensors"
        self.assertEqual(len(self.heed("score", "-m", model, "beside/pairs.tsv")[0].splitlines()), 1)
        self.assertEqual(len(self.heed("align", "-m", model, "-i", "beside/pairs.tsv")[0].splitlines()), 1)
        said, _ = self.heed("quantise", model, "small.safetensors", "--pairs", "beside/pairs.tsv", "--most-loss", "100")
        self.assertIn("(1 pairs)", said)
        (self.folder / "beside/cut.png").write_bytes((self.folder / "cut.png").read_bytes())
        (self.folder / "beside/bad.tsv").write_text("only.png\ta red circle\ncut.png\ta star\n")
        for verb in (("score", "-m", model), ("align", "-m", model, "-i"), ("quantise", model, "x.safetensors", "--pairs")):
            self.fails(3, "beside/bad.tsv:2: beside/cut.png: ", *verb, "beside/bad.tsv")

    def test_forms_of_output(self):
        one = json.loads(self.caption("--json", "red.png")[0])
        self.assertEqual(one["grid"], [3, 3])
        self.assertNotIn("source", one)
        self.assertEqual(len(one["alignment"]), len(one["target"]) - one["target"].count("</s>"))
        self.assertTrue(all(0 <= cell < 9 for cell, _ in one["alignment"]))
        soft = json.loads(self.caption("--json", "--alignment", "soft", "red.png")[0])
        self.assertEqual(len(soft["alignment"]), len(soft["target"]))
        for (cell, word) in one["alignment"]:
            grid = soft["alignment"][word]
            self.assertEqual([len(row) for row in grid], [3, 3, 3])
            self.assertAlmostEqual(sum(map(sum, grid)), 1, places=5)
            self.assertEqual(max(map(max, grid)), grid[cell // 3][cell % 3])
        best = self.caption("--n-best", "3", "red.png", "blue one.png")[0].splitlines()
        self.assertEqual([line.split(" ||| ")[0] for line in best], ["0"] * 3 + ["1"] * 3)
        self.assertEqual(self.caption("--beam", "3", "red.png")[0].rstrip("\n"), best[0].split(" ||| ")[1])
        self.assertTrue(self.caption("--prefix", "a red", "red.png")[0].startswith("a red"))
        self.assertIn("green star", self.caption("--constrain", "green star", "red.png")[0])
        twice, _ = self.caption("-m", "pictures/model.safetensors", "red.png")
        self.assertEqual(twice, self.caption("red.png")[0])

    def test_the_words_are_drawn_over_the_picture(self):
        out, _ = self.caption("--svg", "seen.svg", "--png", "seen.png", "--opacity", "0.3", "red.png", "blue one.png")
        words = [len(line.split()) for line in out.splitlines()]
        for name, count in (("seen", words[0]), ("seen-2", words[1])):
            svg = (self.folder / f"{name}.svg").read_text()
            self.assertEqual(svg.count("<use "), count, "the picture once a word")
            self.assertEqual(svg.count('opacity="0.3"'), count)
            self.assertTrue((self.folder / f"{name}.png").read_bytes().startswith(b"\x89PNG"))
        self.assertNotEqual((self.folder / "seen.png").read_bytes(), (self.folder / "seen-2.png").read_bytes())
        plain, _ = self.caption("--draw", "red.png")
        self.assertNotIn("\x1b", plain)
        self.assertEqual((len(plain.splitlines()) - 1) % 13, 0, "a line of words and twelve of pixels, twice as many wide")
        for terminal, colour in (({"COLORTERM": "truecolor"}, "\x1b[38;2;"), ({"TERM": "xterm-256color"}, "\x1b[38;5;"),
                                 ({"TERM": "linux"}, "\x1b[30m")):
            drawn, _ = self.caption("--draw", "--color", "always", "red.png", **terminal)
            self.assertEqual(drawn.count("▀"), 24 * 12 * (words[0] + 1), terminal)
            self.assertIn(colour, drawn)
        self.assertNotIn("8;5;", drawn)  # a terminal of sixteen colours gets greys
        drawn, _ = self.caption("--draw", "--color", "always", "red.png", COLORTERM="truecolor")
        for change in (["--map", "heat"], ["--upsample", "gaussian"], ["--opacity", "0.2"]):
            self.assertNotEqual(self.caption("--draw", "--color", "always", *change, "red.png", COLORTERM="truecolor")[0], drawn, change)
        links, _ = self.heed("align", "-m", "pictures/model.safetensors", "--svg", "given.svg", "red.png", "a red star")
        self.assertEqual(len(links.split()), 3)
        self.assertEqual((self.folder / "given.svg").read_text().count("<use "), 3)
        for look in (["--values"], ["--darkest", "0.5"], ["--transpose"]):
            self.refused(2, f"caption: {look[0]} is for maps, and the weights are drawn over the picture; leave it out", "--draw", *look, "red.png")
        self.refused(2, "--opacity: must be a number from 0 to 1", "--opacity", "1.5", "--svg", "seen.svg", "red.png")

    def test_several_models_lie_one_below_the_other(self):
        self.heed("train", "shapes.toml", "-o", "others", "--set", "training.seed=2", "--set", "model.front.channels=[4,6,8]")
        several = ["caption", "-m", "pictures/model.safetensors", "-m", "others/model.safetensors", "--max-length", "5"]
        said, _ = self.heed(*several, "--svg", "both.svg", "--png", "both.png", "red.png", "blue one.png")
        self.assertEqual(len(said.splitlines()), 2)
        for name in ("both", "both-2"):
            drawn = (self.folder / f"{name}.svg").read_text()
            self.assertEqual(drawn.count('id="picture-'), 2)
            self.assertIn(">pictures: ", drawn)
            self.assertIn(">others: ", drawn)
            self.assertTrue((self.folder / f"{name}.png").exists())
        drawn, _ = self.heed(*several, "--draw", "red.png")
        self.assertEqual([line.split(":")[0] for line in drawn.splitlines() if line.startswith(("pictures", "others"))], ["pictures", "others"])

    def test_the_mean_of_heads_or_any_one(self):
        heads = RECIPE.replace('decoder = { kind = "attend_first", width = 6, embedding = 4, gated = true }',
                               'decoder = { kind = "transformer", width = 8, depth = 2, cross = { heads = 2 } }')
        (self.folder / "heads.toml").write_text(heads)
        self.heed("train", "heads.toml", "-o", "heads")

        def grids(*words):
            said, _ = self.heed("caption", "-m", "heads/model.safetensors", "--prefix", "a red star", "--max-length", "3", "--json", "--alignment",
                                "soft", "--block", "1", *words, "red.png")
            return [cell for grid in json.loads(said)["alignment"] for row in grid for cell in row]
        mean, first, second = grids(), grids("--head", "0"), grids("--head", "1")
        self.assertNotEqual(first, second)
        for both, one, other in zip(mean, first, second, strict=True):
            self.assertAlmostEqual(both, (one + other) / 2, places=5)
        self.fails(2, "head", "caption", "-m", "heads/model.safetensors", "--alignment", "soft", "--head", "2", "red.png")

    def test_a_trial_run_says_what_training_takes(self):
        out, err = self.heed("train", "shapes.toml", "-o", "tried", "--dry-run")
        self.assertIn("pictures of 12 × 12 pixels", out + err)
        self.assertFalse((self.folder / "tried").exists())

    def test_where_the_words_looked_is_judged(self):
        scenes, _ = self.heed("synth", "shapes", "-n", "4", "--split", "valid")
        boxes, _ = self.heed("synth", "shapes", "-n", "4", "--split", "valid", "--boxes")
        captions = [line.split("\t")[1] for line in scenes.splitlines()]
        self.assertEqual([line.split(" ||| ")[0] for line in boxes.splitlines()], captions)
        shapes = ("circle", "square", "triangle", "diamond", "cross", "star")
        for line, caption in zip(boxes.splitlines(), captions):
            places = line.split(" ||| ")[1].split()
            words = caption.split()
            self.assertEqual([words[int(span.split("-")[1])] for span in places[::2]], [word for word in words if word in shapes])
        (self.folder / "scenes.tsv").write_text(scenes)
        (self.folder / "boxes").write_text(boxes)
        looked, _ = self.caption("--json", "--alignment", "soft", "--table", "scenes.tsv")
        (self.folder / "looked").write_text(looked)
        self.assertRegex(self.heed("evaluate", "--boxes", "boxes", "looked")[0],
                         rf"^pointing = \d+\.\d, mass = \d+\.\d \(said: \d+ of {boxes.count(',') // 3}\)\n$")
        (self.folder / "gold").write_text("a star ||| 1-1 0,0,0.5,1\n")
        (self.folder / "mine").write_text('{"grid": [1, 2], "target": ["a", "star"], "alignment": [[[0.5, 0.5]], [[0.75, 0.25]]]}\n')
        self.assertEqual(self.heed("evaluate", "--boxes", "gold", "mine")[0], "pointing = 100.0, mass = 75.0 (said: 1 of 1)\n")
        scores = json.loads(self.heed("evaluate", "--boxes", "gold", "--json", "mine")[0])
        self.assertEqual([(one["name"], one["score"]) for one in scores], [("pointing", 100), ("mass", 75)])
        self.fails(2, "evaluate: --boxes stands alone, without references, links, a metric or a test; only -w and --json go with it", "evaluate", "--boxes", "gold", "-r", "gold", "mine")
        self.fails(2, "evaluate: standard input can be read only once; give - once", "evaluate", "--boxes", "-")
        self.fails(3, "mine: there are fewer captions than lines in boxes", "evaluate", "--boxes", "boxes", "mine")
        self.fails(3, "looked: there are more captions than lines in gold", "evaluate", "--boxes", "gold", "looked")
        self.fails(3, "scenes.tsv:1: \"", "evaluate", "--boxes", "scenes.tsv", "mine")
        (self.folder / "hard").write_text(self.caption("--json", "red.png")[0])
        self.fails(3, "give --alignment soft", "evaluate", "--boxes", "gold", "hard")
        self.fails(2, "synth: --boxes: the targets of dates name no places; use shapes", "synth", "dates", "--boxes")

    def test_training_draws_its_samples(self):
        drawn = sorted((self.folder / "pictures/samples").glob("*.svg"))
        self.assertTrue(drawn)
        self.assertIn('<image id="picture-0"', drawn[0].read_text())

    def test_answers_before_the_input_ends(self):
        with subprocess.Popen([HEED, "caption", "-m", "pictures/model.safetensors", "--max-length", "5"], cwd=self.folder,
                              env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            for name in ("red.png", "blue one.png"):
                process.stdin.write(name.encode() + b"\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline().decode(), self.caption(name)[0])
            process.stdin.close()
            self.assertEqual(process.wait(), 0)

    def test_what_cannot_be_read_is_named(self):
        said, _ = self.caption("red.png")
        self.refused(3, "absent.png: cannot open", "absent.png")
        others = f"{said}\n{said}"  # one that cannot be read does not take the others with it
        self.refused(3, "picture 2: absent.png: cannot open", "red.png", "absent.png", "red.png", printed=others)
        self.refused(3, "picture 2: absent.png: cannot open", stdin=b"red.png\nabsent.png\nred.png\n", printed=others)
        self.refused(3, "cut.png", "red.png", "cut.png", printed=said + "\n")
        self.refused(3, "text.png", "text.png")
        lines, _ = self.caption("--json", "red.png", "absent.png", "red.png", code=3)
        good, bad, again = (json.loads(line) for line in lines.splitlines())
        self.assertEqual((bad["text"], bad["error"].split(":")[:2]), ("", ["picture 2", " absent.png"]))
        self.assertEqual((good, "error" in good), (again, False))

    def test_the_verb_that_is_meant(self):
        self.fails(2, "caption: run/model.safetensors reads text, and this command is for models that read pictures; use heed translate",
                   "caption", "-m", self.model, "red.png")
        self.fails(2, "translate: pictures/model.safetensors reads pictures, and this command is for models that read text; use heed caption",
                   "translate", "-m", "pictures/model.safetensors", "red.png")
        self.fails(2, "caption: unknown option --replace-unknowns", "caption", "--replace-unknowns", "red.png")
        self.fails(2, "caption: --sample, --diverse and --constrain exclude each other; give one", "caption", "-m", "pictures/model.safetensors",
                   "--sample", "--diverse", "2", "red.png")

    def test_the_model_that_comes_with_heed(self):
        shelf = self.folder / "shelf"
        shelf.mkdir()
        (shelf / "a.safetensors").write_bytes((self.folder / self.model).read_bytes())
        alone = {"program": self.alone(), "HEED_MODELS": str(shelf)}

        def said(*words):
            return self.run_in(self.folder, *words, **alone)
        refused = said("caption", "red.png")
        self.assertEqual(refused.returncode, 2)
        self.assertIn(b"caption: no model is named, and none that comes with this heed reads pictures; name one: -m FILE", refused.stderr)
        (shelf / "b.safetensors").write_bytes((self.folder / "pictures/model.safetensors").read_bytes())
        self.assertEqual(said("caption", "--max-length", "5", "red.png").stdout.decode(), self.caption("red.png")[0])
        self.assertEqual(said("translate", "abc").stdout.decode(), self.translate("abc")[0])
        os.rename(shelf / "b.safetensors", shelf / "0.safetensors")
        self.assertEqual(said("translate", "abc").stdout.decode(), self.translate("abc")[0])


if __name__ == "__main__":
    unittest.main()
