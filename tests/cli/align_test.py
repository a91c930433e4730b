"""align_test.py HEED: forced decoding of given pairs."""
import unittest
import xml.etree.ElementTree

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Align(Cli):
    def test_hard_and_soft(self):
        hard, err = self.heed("align", "-m", self.model, "abc", "cb")
        self.assertEqual(err, "")
        links = [tuple(map(int, link.split("-"))) for link in hard.split()]
        self.assertEqual(links, sorted(links))
        self.assertEqual(sorted(target for _, target in links), [0, 1])
        with_ends, _ = self.heed("align", "-m", self.model, "--ends", "abc", "cb")
        self.assertEqual(sorted(int(link.split("-")[1]) for link in with_ends.split()), [0, 1, 2])
        soft, _ = self.heed("align", "-m", self.model, "--format", "soft", "abc", "cb")
        rows = [[float(weight) for weight in row.split(",")] for row in soft.split()]
        self.assertEqual([len(row) for row in rows], [4, 4, 4])
        for target, row in enumerate(rows):
            self.assertAlmostEqual(sum(row), 1, places=4)
            self.assertIn(f"{row.index(max(row))}-{target}", with_ends.split())

    def test_pairs(self):
        (self.folder / "pairs.tsv").write_text("abc\tcba\n\t\nde\ted\n")
        out, _ = self.heed("align", "-m", self.model, "--pairs", "pairs.tsv")
        lines = out.split("\n")
        self.assertEqual((len(lines), lines[1], lines[3]), (4, "", ""))
        self.assertEqual(self.heed("align", "-m", self.model, "abc", "cba")[0], lines[0] + "\n")
        for words in (["--pairs", "-"], []):
            self.assertEqual(self.heed("align", "-m", self.model, *words, stdin=b"abc\tcba\n\t\nde\ted\n")[0], out)
        self.heed("align", "-m", self.model, "--pairs", "pairs.tsv", "--draw", "--svg", "pairs.svg")
        xml.etree.ElementTree.parse(self.folder / "pairs-2.svg")

    def test_wrong_pairs(self):
        self.fails(2, "align: saw a source without a target", "align", "-m", self.model, "abc")
        self.fails(2, "align: saw a target without a source", "align", "-m", self.model, "", "cba")
        self.fails(2, "align: saw both a text and --pairs", "align", "-m", self.model, "--pairs", "x", "abc", "cba")
        self.fails(3, "standard input:1: saw 1 column, needs two", "align", "-m", self.model, "--pairs", "-", stdin=b"abc\n")
        self.fails(3, "standard input:1: saw byte 0xFF", "align", "-m", self.model, "--pairs", "-", stdin=b"a\t\xff\n")


if __name__ == "__main__":
    unittest.main()
