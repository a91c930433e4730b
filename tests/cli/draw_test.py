"""draw_test.py HEED: heat maps in the terminal and in files."""
import json
import math
import unittest
import xml.etree.ElementTree

from cli import RECIPE, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Draw(Cli):
    def draw(self, *words, **more):
        return self.heed("align", "-m", self.model, *words, "abc", "cb", **more)[0]

    def test_in_the_terminal(self):
        links, *lines = self.draw("--draw").splitlines()
        self.assertEqual(links + "\n", self.draw())
        self.assertEqual(lines[0].split(), ["a", "b", "c", "⏎"])  # the end has its weight, so rows add up
        self.assertEqual([line[:2] for line in lines[1:-1]], ["c ", "b "])
        self.assertIn("target ↓  source →", lines[-1])
        self.assertNotIn("\x1b", self.draw("--draw"))
        self.assertIn("\x1b[48;5;", self.draw("--draw", "--color", "always", TERM="xterm-256color"))
        self.assertIn("\x1b[107m", self.draw("--draw", "--color", "always", TERM="xterm"))
        self.assertIn("\x1b[48;2;", self.draw("--draw", "--colour=always", COLORTERM="truecolor"))
        self.assertEqual([line[:2] for line in self.draw("--draw", "--ends").splitlines()[2:-1]], ["c ", "b ", "⏎ "])
        self.assertEqual(self.draw("--draw", "--title", "注意 <1>").splitlines()[1], "注意 <1>")
        full = [self.draw("--draw", "--color", "always", "--background", ground, COLORTERM="truecolor") for ground in ("light", "dark")]
        self.assertNotEqual(*full)
        self.assertEqual(self.draw("--draw", "--color", "always", COLORTERM="truecolor", COLORFGBG="15;0"), full[1])
        turned = self.draw("--draw", "--transpose").splitlines()
        self.assertEqual([line[0] for line in turned[-5:-1]], ["a", "b", "c", "⏎"])
        values = self.draw("--draw", "--values")
        self.assertIn("per cent", values)
        for line in values.splitlines()[2:-1]:
            self.assertAlmostEqual(sum(int(cell) for cell in line[2:].replace("·", "0").split()), 100, delta=2)
        self.assertEqual(self.translate("--draw", ""), ("\n", ""))
        said, *lines = self.translate("--draw", "hgfe")[0].splitlines()
        self.assertEqual(said + "\n", self.translate("hgfe")[0])
        self.assertTrue(lines)

    def test_png(self):
        self.translate("--png", "map.png", stdin="a\n图书馆\n".encode())
        for name in ("map.png", "map-2.png"):
            self.assertEqual((self.folder / name).read_bytes()[:16], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        self.translate("--png", "no/such/folder.png", "abc", code=5)

    def test_the_darkest_weight(self):
        words = ["align", "-m", self.model, "abc", "cba"]
        self.heed(*words, "--svg", "own.svg", "--png", "own.png")
        self.heed(*words, "--svg", "half.svg", "--png", "half.png", "--darkest", "0.5")
        self.assertIn(">0.50</text>", (self.folder / "half.svg").read_text(encoding="utf-8"))
        self.assertNotIn(">0.50</text>", (self.folder / "own.svg").read_text(encoding="utf-8"))
        self.assertNotEqual((self.folder / "half.png").read_bytes(), (self.folder / "own.png").read_bytes())
        self.assertIn("█ ≥ 0.40", self.heed(*words, "--draw", "--darkest", "0.5")[0])

    def test_names_that_say_another_format(self):
        self.fails(2, '--png: this writes a PNG file; call it a.png', "translate", "-m", self.model, "--png", "a.jpg", "abc")
        self.fails(2, '--svg: this writes an SVG file; call it a.svg, or use --png', "translate", "-m", self.model, "--svg", "a.PNG", "abc")
        self.assertFalse((self.folder / "a.jpg").exists())
        self.translate("--svg", "figure.1", "--png", "map.PNG", "abc")
        self.assertTrue((self.folder / "figure.1").exists())

    def transformer(self):
        """A model with two blocks of four heads."""
        if not (self.folder / "heads").exists():
            block = '{ kind = "transformer", width = 8, depth = 2 }'
            recipe = RECIPE.replace('{ kind = "gru", width = 4 }', block).replace('{ kind = "attend_first", width = 6, embedding = 4 }', block)
            (self.folder / "heads.toml").write_text(recipe.replace("embedding = 4", "embedding = 8"))
            self.heed("train", "heads.toml", "-q", "-o", "heads")
        return "heads/model.safetensors"

    def texts(self, file):
        """What is written in an SVG file."""
        drawn = xml.etree.ElementTree.parse(self.folder / file).getroot()
        return ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]

    def title(self, name):
        """A model's name and what it answers by itself."""
        return f"{name}: {self.heed('translate', '-m', f'{name}/model.safetensors', 'abc')[0].strip()}".removesuffix(": ")

    def test_every_head_of_a_transformer(self):
        model = self.transformer()
        for kind in ("encoder", "self", "cross"):
            self.heed("align", "-m", model, "--attention", kind, "--heads", "--svg", f"{kind}.svg", "--png", f"{kind}.png", "abc", "cb")
            texts = self.texts(f"{kind}.svg")
            for block in (0, 1):
                for head in range(4):
                    self.assertIn(f"block {block}, head {head}", texts)
            one, _ = self.heed("translate", "-m", model, "--json", "--attention", kind, "--heads", "--top-slots", "2", "abc")
            seen = json.loads(one)["attention"]
            self.assertEqual(seen["of"], kind)
            self.assertEqual([len(block["heads"]) for block in seen["blocks"]], [4, 4])
            head = seen["blocks"][1]["heads"][3]
            self.assertEqual(len(head["weights"]), len(seen["rows"]))
            for row, entropy, top in zip(head["weights"], head["entropy"], head["top"]):
                self.assertAlmostEqual(sum(row), 1, places=5)
                self.assertAlmostEqual(entropy, -sum(p * math.log(p) for p in row if p > 0), places=5)
                self.assertEqual(top[0][1], max(row))
                self.assertLessEqual(len(top), 2)
        lines = self.heed("align", "-m", model, "--attention", "self", "--block", "1", "--head", "2", "--draw", "abc", "cb")[0].splitlines()
        self.assertIn("target ↓  target →", lines[-1])
        self.fails(2, "--heads draws every head and --head", "align", "-m", model, "--heads", "--head", "1", "--draw", "abc", "cb")
        self.fails(2, "the encoder gru has no self-attention; use another model or another --attention", "align", "-m", self.model, "--attention", "encoder", "--draw", "abc", "cb")
        self.fails(2, "the decoder attend_first has no self-attention; use another model or another --attention", "translate", "-m", self.model, "--attention", "self", "--draw", "abc")

    def test_several_models_side_by_side(self):
        self.heed("train", "tiny.toml", "-q", "-o", "other", "--set", "model.decoder.attention.score=bilinear", "--set", "training.seed=2")
        other = "other/model.safetensors"
        self.translate("-m", other, "--svg", "both.svg", "--png", "both.png", "abc")
        titles = [self.title(name) for name in ("run", "other")]
        texts = self.texts("both.svg")
        self.assertLess(set(titles), set(texts))  # each with its own answer
        self.assertEqual(texts.count("⏎"), 2)
        said = self.translate("-m", other, "--draw", "abc")[0].splitlines()
        self.assertLess(said.index(titles[0]), said.index(titles[1]))
        self.assertIn("target ↓  source →", said[-1])
        self.assertEqual(self.translate("-m", other, "--draw", "")[0], "\n")
        self.translate("-m", other, "--heads", "--svg", "two-heads.svg", "abc")
        self.assertLess({"run, block 0, head 0", "other, block 0, head 0"}, set(self.texts("two-heads.svg")))

    def test_heads_and_self_attention_of_several_models(self):
        heads = self.transformer()
        several = ["translate", "-m", heads, "-m", self.model]
        answer, _ = self.heed(*several, "abc")
        self.assertEqual(self.heed(*several, "--heads", "--svg", "mixed.svg", "--png", "mixed.png", "abc")[0], answer)
        texts = self.texts("mixed.svg")
        panels = [f"heads, block {block}, head {head}" for block in (0, 1) for head in range(4)] + ["run, block 0, head 0"]
        self.assertEqual([text for text in texts if ", head " in text], panels)
        self.assertGreater((self.folder / "mixed.png").stat().st_size, 0)
        self.assertEqual(self.heed(*several, "--heads", "--draw", "")[0], "\n")
        for kind, what in (("self", "decoder attend_first"), ("encoder", "encoder gru")):
            self.fails(2, f"translate: run/model.safetensors: attention: the {what} has no self-attention", *several, "--attention", kind, "--svg", "none.svg", "abc")
        self.assertFalse((self.folder / "none.svg").exists())
        self.fails(2, "--block: there is no block 1; choose 0 to 0", *several, "--heads", "--block", "1", "--draw", "abc")
        self.heed("train", "heads.toml", "-q", "-o", "again", "--set", "training.seed=2")
        two = ["translate", "-m", heads, "-m", "again/model.safetensors"]
        titles = [self.title(name) for name in ("heads", "again")]
        drawn = self.heed(*two, "--attention", "self", "--draw", "abc")[0].splitlines()
        self.assertLess(drawn.index(titles[0]), drawn.index(titles[1]))
        self.assertIn("target ↓  target →", drawn[-1])
        drawn = self.heed(*two, "--attention", "encoder", "--head", "3", "--draw", "abc")[0]
        self.assertEqual(drawn.count("source ↓  source →"), 2)

    def test_svg(self):
        self.translate("--svg", "map.svg", stdin=b"a<&b\n\nc\"d\n")
        first = xml.etree.ElementTree.parse(self.folder / "map.svg").getroot()
        self.assertEqual(first.tag, "{http://www.w3.org/2000/svg}svg")
        texts = ["".join(node.itertext()) for node in first.iter("{http://www.w3.org/2000/svg}text")]
        for letter in "a<&b":  # as written, known to the model or not
            self.assertIn(letter, texts)
        xml.etree.ElementTree.parse(self.folder / "map-2.svg")
        self.assertFalse((self.folder / "map-3.svg").exists())
        (self.folder / "dotted.d").mkdir()
        self.translate("--svg", "dotted.d/map", stdin=b"a\nb\n")
        self.assertTrue((self.folder / "dotted.d/map-2").exists())
        self.translate("--svg", "no/such/folder.svg", "abc", code=5)

    def test_what_there_is_not(self):
        self.fails(2, "--block: there is no block 4; choose 0 to 0, or -1 for the mean of all", "align", "-m", self.model, "--block", "4", "abc", "cba")
        self.fails(2, "--head: there is no head 1; choose 0 to 0, or -1 for the mean of all", "align", "-m", self.model, "--head", "1", "abc", "cba")
        self.heed("train", "tiny.toml", "-q", "-o", "fixed", "--set", "model.decoder.kind=fixed")
        blind = "fixed/model.safetensors"
        said, _ = self.heed("translate", "-m", blind, "abc")
        self.assertTrue(said)
        for words in (["--draw"], ["--alignment", "soft"], ["--replace-unknowns"], ["--coverage", "0.2"]):
            self.fails(2, "the model's decoder has no attention; leave out --alignment, --draw, --svg, --png", "translate", "-m", blind, *words, "abc")
        self.assertNotIn("alignment", json.loads(self.heed("translate", "-m", blind, "--json", "abc")[0]))
        self.fails(2, f"translate: {blind}: the decoder fixed has no attention to draw; leave out this model or the drawing",
                   "translate", "-m", self.model, "-m", blind, "--draw", "abc")
        self.fails(2, "--block: there is no block 1; choose 0 to 0", "align", "-m", self.model, "--heads", "--block", "1", "--draw", "abc", "cba")
        self.fails(2, "the model's decoder has no attention; use another model", "align", "-m", blind, "abc", "cba")


if __name__ == "__main__":
    unittest.main()
