"""compare_test.py HEED: heed compare trains the variants of a recipe, resumes, and ends in a table and a picture."""
import json
import unittest
import xml.etree.ElementTree

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

OVER = "model.decoder.attention.score=bilinear,additive"


class Compare(Cli):
    def compare(self, *words, **more):
        return self.heed("compare", "tiny.toml", "--over", OVER, "-o", "both", "--set", "model.decoder.width=8", *words, **more)

    def test_a_table_and_a_picture(self):
        table, said = self.compare()
        head, *rows = [line.split() for line in table.splitlines()]
        self.assertEqual(head, ["variant", "exact_match", "parameters", "training", "words/s"])
        self.assertEqual([row[0] for row in rows], ["bilinear", "additive"])
        self.assertNotEqual(rows[0][2], rows[1][2])  # parameters
        self.assertIn("additive (2 of 2)", said)
        drawn = xml.etree.ElementTree.parse(self.folder / "both/compare.svg").getroot()
        texts = ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("bilinear", texts)
        self.assertIn("additive", texts)
        self.assertEqual(texts.count("⏎"), 2)

        # Run again, nothing is trained again; other texts are drawn.
        bytes_before = (self.folder / "both/bilinear/model.safetensors").read_bytes()
        again, _ = self.compare("--json", "--metric", "chrf", "--text", "abc", "--text", "bad", "--png", "two.png", "-q")
        self.assertEqual((self.folder / "both/bilinear/model.safetensors").read_bytes(), bytes_before)
        first, second = json.loads(again)
        self.assertEqual([first["variant"], second["variant"], first["metric"]], ["bilinear", "additive", "chrf"])
        self.assertEqual(first["sentences"], 8)
        self.assertEqual(first["model"], "both/bilinear/model.safetensors")
        self.assertEqual(str(first["parameters"]), rows[0][2])
        self.assertTrue((self.folder / "two-2.png").exists())

    def test_what_makes_no_sense(self):
        self.fails(2, "must be PATH=VALUE,VALUE", "compare", "tiny.toml", "--over", "score")
        self.fails(2, "did you mean", "compare", "tiny.toml", "--over", "model.decoder.attention.score=bilinear,aditive", "-o", "none")
        self.assertFalse((self.folder / "none").exists())  # all variants are checked before the first is trained
        self.fails(2, "--over", "compare", "tiny.toml")


if __name__ == "__main__":
    unittest.main()
