"""draw_test.py HEED: heat maps in the terminal and in files."""
import json
import unittest
import xml.etree.ElementTree

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Draw(Cli):
    def draw(self, *words, **more):
        return self.heed("align", "-m", self.model, *words, "abc", "cb", **more)[0]

    def test_in_the_terminal(self):
        links, *lines = self.draw("--draw").splitlines()
        self.assertEqual(links + "\n", self.draw())
        self.assertEqual(lines[0].split(), ["a", "b", "c"])
        self.assertEqual([line[:2] for line in lines[1:-1]], ["c ", "b "])
        self.assertIn("target ↓  source →", lines[-1])
        self.assertNotIn("\x1b", self.draw("--draw"))
        self.assertIn("\x1b[48;5;", self.draw("--draw", "--color", "always", TERM="xterm-256color"))
        self.assertIn("\x1b[107m", self.draw("--draw", "--color", "always", TERM="xterm"))
        self.assertIn("\x1b[48;2;", self.draw("--draw", "--colour=always", COLORTERM="truecolor"))
        self.assertIn("</s>", self.draw("--draw", "--ends"))
        turned = self.draw("--draw", "--transpose").splitlines()
        self.assertEqual([line[0] for line in turned[-4:-1]], ["a", "b", "c"])
        self.assertIn("per cent", self.draw("--draw", "--values"))
        self.assertEqual(self.translate("--draw", ""), ("\n", ""))
        said, *lines = self.translate("--draw", "hgfe")[0].splitlines()
        self.assertEqual(said + "\n", self.translate("hgfe")[0])
        self.assertTrue(lines)

    def test_png(self):
        self.translate("--png", "map.png", stdin="a\n图书馆\n".encode())
        for name in ("map.png", "map-2.png"):
            self.assertEqual((self.folder / name).read_bytes()[:16], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        self.translate("--png", "no/such/folder.png", "abc", code=5)

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
        self.fails(2, "weights: saw block 4, needs 0 to 0, or -1", "align", "-m", self.model, "--block", "4", "abc", "cba")
        self.fails(2, "weights: saw head 1, needs 0 to 0, or -1", "align", "-m", self.model, "--head", "1", "abc", "cba")
        self.heed("train", "tiny.toml", "-q", "-o", "fixed", "--set", "model.decoder.kind=fixed")
        blind = "fixed/model.safetensors"
        said, _ = self.heed("translate", "-m", blind, "abc")
        self.assertTrue(said)
        for words in (["--draw"], ["--alignment", "soft"], ["--replace-unknowns"], ["--coverage", "0.2"]):
            self.fails(2, "saw a decoder without attention, needs one with it; leave out --alignment", "translate", "-m", blind, *words, "abc")
        self.assertNotIn("alignment", json.loads(self.heed("translate", "-m", blind, "--json", "abc")[0]))
        self.fails(2, "saw a decoder without attention", "align", "-m", blind, "abc", "cba")


if __name__ == "__main__":
    unittest.main()
