"""score_test.py HEED: log-probabilities of given pairs."""
import json
import unittest

from cli import Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Score(Cli):
    def score(self, *words, **more):
        return self.heed("score", "-m", self.model, *words, **more)[0]

    def test_pairs(self):
        (self.folder / "s.tsv").write_text("abc\tcba\nde\ted\nfgh\t\n")
        (self.folder / "s.src").write_text("abc\nde\nfgh\n")
        (self.folder / "s.trg").write_text("cba\ned\n\n")
        out = self.score("s.tsv")
        rows = [[float(value) for value in line.split("\t")] for line in out.splitlines()]
        self.assertEqual([len(row) for row in rows], [2, 2, 2])
        for (log_p, perplexity), tokens in zip(rows, (4, 3, 1)):
            self.assertLess(log_p, 0)
            self.assertAlmostEqual(perplexity, 2.718281828 ** (-log_p / tokens), places=3)
        self.assertEqual(self.score("--source", "s.src", "--target", "s.trg"), out)
        alone = self.score("--batch", "1", "-", stdin=b"abc\tcba\nde\ted\nfgh\t\n")
        for one, other in zip(alone.split(), out.split(), strict=True):  # another shape may round otherwise
            self.assertAlmostEqual(float(one) / float(other), 1, places=6)
        total = json.loads(self.score("--summary", "--json", "s.tsv"))
        self.assertEqual((total["pairs"], total["tokens"]), (3, 8))
        self.assertAlmostEqual(total["log_probability"], sum(row[0] for row in rows), places=4)
        self.assertIn("perplexity ", self.score("--summary", "s.tsv"))
        words = json.loads(self.score("--words", "--json", "s.tsv").splitlines()[0])
        shown = self.score("--words", "s.tsv").splitlines()[0].split("\t")[2:]
        self.assertEqual(shown, [f"{word}:{log_p:.6f}" for word, log_p in words["words"]])
        self.assertEqual([word for word, _ in words["words"]], ["c", "b", "a", "</s>"])
        self.assertAlmostEqual(sum(log_p for _, log_p in words["words"]), words["log_probability"], places=9)

    def test_files(self):
        (self.folder / "f.tsv").write_text("abc\tcba\nde\ted\n")
        printed = self.score("f.tsv")
        self.assertEqual(self.score("-i", "f.tsv"), printed)
        self.assertEqual(self.score("-i", "f.tsv", "--output", "scores.txt"), "")
        self.assertEqual((self.folder / "scores.txt").read_text(), printed)
        (self.folder / "f.tsv").write_text("abc\tcba\nde\n")
        self.fails(3, "f.tsv:2: there is 1 column", "score", "-m", self.model, "-i", "f.tsv", "-o", "scores.txt")
        self.assertEqual((self.folder / "scores.txt").read_text(), printed)  # as it was
        self.fails(2, "score: pairs can come from one place only", "score", "-m", self.model, "f.tsv", "-i", "f.tsv")

    def test_it_is_what_translate_says(self):
        found = json.loads(self.translate("--json", "--beam", "8", "--length-norm", "none", "abc")[0])
        if found["tokens"][-1] == "</s>" and "<unk>" not in found["tokens"]:
            out = self.score("-", stdin=f"abc\t{found['text']}\n".encode())
            self.assertAlmostEqual(float(out.split("\t")[0]), found["log_probability"], places=3)

    def test_wrong_pairs(self):
        words = ["score", "-m", self.model]
        self.assertEqual(self.score(stdin=b"abc\tcba\n"), self.score("-", stdin=b"abc\tcba\n"))
        self.fails(2, "score: --source is without --target", *words, "--source", "x")
        self.fails(2, "score: pairs can come from one place only", *words, "x", "--source", "x", "--target", "y")
        self.fails(3, "standard input:1: there is 1 column, but must be two", *words, "-", stdin=b"abc\n")
        self.fails(3, "score: pair 2 has an empty source; give text on both sides", *words, "-", stdin=b"a\tb\n\tb\n")
        self.fails(3, "absent: cannot open", *words, "absent")
        self.fails(2, "score: no model is named, and none comes with this heed; name one: -m FILE", "score", "-", HEED_MODELS="", program=self.alone())

    def test_slots_that_are_drawn(self):
        self.heed("train", "tiny.toml", "-o", "drawn", "-q", "--set", 'model.decoder.attention.normaliser={kind="hard",decode="sample"}',
                  "--set", 'training.objectives=["teacher_forcing","reinforce"]')
        words = ("-m", "drawn/model.safetensors")
        pairs = b"abc\tcba\nde\ted\nabcdef\tfedcba\n"

        def scores(*more):
            return [float(line.split()[0]) for line in self.heed("score", *words, *more, stdin=pairs)[0].splitlines()]
        together = scores()
        for one, other in zip(scores("--batch", "1"), together, strict=True):
            self.assertAlmostEqual(one, other, places=4)
        self.assertNotEqual(scores("--seed", "2"), together)
        self.heed("translate", *words, "--seed", "2", "abc")
        self.fails(2, "score: --seed has no effect, because this model draws nothing; leave it out", "score", "-m", self.model, "--seed", "2", "s.tsv")
        self.fails(2, "translate: --seed has no effect without --sample; add that, or leave it out", "translate", "-m", self.model, "--seed", "2", "abc")


if __name__ == "__main__":
    unittest.main()
