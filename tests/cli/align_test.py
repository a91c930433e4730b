"""align_test.py HEED: forced decoding of given pairs."""
import unittest
import xml.etree.ElementTree

from cli import IS_SANITIZED, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


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

    def test_files(self):
        (self.folder / "f.tsv").write_text("abc\tcba\nde\ted\n")
        printed, _ = self.heed("align", "-m", self.model, "-i", "f.tsv")
        self.assertEqual(self.heed("align", "-m", self.model, "--pairs", "f.tsv")[0], printed)
        self.assertEqual(self.heed("align", "-m", self.model, "--input", "f.tsv", "-o", "links.txt")[0], "")
        self.assertEqual((self.folder / "links.txt").read_text(), printed)
        (self.folder / "f.tsv").write_text("abc\tcba\nde\n")
        self.fails(3, "f.tsv:2: there is 1 column", "align", "-m", self.model, "-i", "f.tsv", "-o", "links.txt")
        self.assertEqual((self.folder / "links.txt").read_text(), printed)  # as it was
        self.assertEqual(sorted(path.name for path in self.folder.glob("links.txt*")), ["links.txt"])

    def test_wrong_pairs(self):
        self.fails(2, "align: there is a source without a target", "align", "-m", self.model, "abc")
        self.fails(2, "align: the source is empty", "align", "-m", self.model, "", "cba")
        self.fails(2, "align: a text and --input exclude each other", "align", "-m", self.model, "--pairs", "x", "abc", "cba")
        self.fails(3, "standard input:1: there is 1 column, but must be two", "align", "-m", self.model, "--pairs", "-", stdin=b"abc\n")
        soft = self.heed("align", "-m", self.model, "--alignment", "soft", "a b", "b a")[0].split()
        weights = [[float(one) for one in row.split(",")] for row in soft]
        expected = sorted((s, t) for t in range(len(weights) - 1) for s in range(len(weights[0]) - 1) if weights[t][s] >= 0.2)
        found = self.heed("align", "-m", self.model, "--format", "0.2", "a b", "b a")[0].split()
        self.assertEqual(sorted(tuple(int(one) for one in pair.split("-")) for pair in found), expected)
        self.fails(2, "align: --alignment: must be hard, soft or a number", "align", "-m", self.model, "--alignment", "2", "a b", "b a")
        self.fails(3, "standard input:1: byte 0xFF", "align", "-m", self.model, "--pairs", "-", stdin=b"a\t\xff\n")

    def test_memory_is_linear_in_a_pair(self):
        long = b"ab" * 2000 + b"\t" + b"ba" * 1000 + b"\nabc\tcba\n"
        out, err, peak = self.peak_of("align", "-m", self.model, stdin=long)
        self.assertLess(peak, 600 if IS_SANITIZED else 100, "a matrix of 4000 by 2000 weights took 190 MB")
        self.assertEqual(len(out.splitlines()[0].split()), 2000)
        self.assertEqual(out.splitlines()[1] + "\n", self.heed("align", "-m", self.model, "abc", "cba")[0])
        self.assertEqual(err, "")
        out, err, _ = self.peak_of("align", "-m", self.model, "--format", "soft", stdin=long)
        self.assertEqual(err, "warning: line 1: 4001 source tokens are too many for a matrix of all weights; use --format hard\n")
        self.assertEqual(out.splitlines()[0], "")


if __name__ == "__main__":
    unittest.main()
