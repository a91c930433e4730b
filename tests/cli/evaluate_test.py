"""evaluate_test.py HEED: every metric as the program prints it, compared with sacreBLEU and others."""
import json
import os
import pty
import re
import subprocess
import unittest

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Evaluate(Cli):
    """Compares with sacreBLEU's results for the same text (tests/fixtures/metrics.json)."""

    @classmethod
    def setUpClass(cls):
        cls.fixture = json.loads((ROOT / "tests/fixtures/metrics.json").read_text())
        texts = cls.fixture["texts"]
        for name, lines in (("out.txt", texts["hypotheses"]), ("ref1.txt", texts["references"][0]), ("ref2.txt", texts["references"][1]),
                            ("ref3.txt", texts["references"][2]), *(("told." + name, lines) for name, lines in cls.fixture["systems"].items())):
            (cls.folder / name).write_bytes("".join(line + "\n" for line in lines).encode())

    def case(self, metric, settings, references=1):
        return next(case for case in self.fixture["corpus"]
                    if (case["metric"], case["settings"], case["references"]) == (metric, settings, references))

    def evaluate(self, *words, **more):
        return self.heed("evaluate", *words, **more)[0]

    def test_lines_are_sacrebleus(self):
        bleu = self.case("bleu", {"tokenize": "zh", "lowercase": False}, 3)
        references = ["-r", "ref1.txt", "-r", "ref2.txt", "-r", "ref3.txt"]
        self.assertEqual(self.evaluate("--metric", "bleu", "--tokenize", "zh", *references, "out.txt"), bleu["short"] + "\n")
        self.assertEqual(self.evaluate("--metric", "bleu", "--tokenize", "zh", *references, "-w", "2", "out.txt"), bleu["line"] + "\n")
        piped = self.evaluate("--metric", "bleu", "--tokenize", "zh", *references, stdin=(self.folder / "out.txt").read_bytes())
        self.assertEqual(piped, bleu["short"] + "\n")
        lowered = self.case("bleu", {"tokenize": "13a", "lowercase": True})["short"]
        self.assertEqual(self.evaluate("-m", "bleu", "--lowercase", "-r", "ref1.txt", "out.txt"), lowered + "\n")
        floor = self.case("bleu", {"smooth_method": "floor", "smooth_value": 0.25, "tokenize": "none", "effective_order": True})["short"]
        words = ["--smooth", "floor", "--smooth-value", "0.25", "--tokenise", "none", "--effective-order"]
        self.assertEqual(self.evaluate("-m", "bleu", *words, "-r", "ref1.txt", "out.txt"), floor + "\n")
        flags = ["--ter-normalized", "--ter-no-punct", "--ter-asian-support", "--ter-case-sensitive"]
        ter = self.case("ter", dict.fromkeys(("normalized", "no_punct", "asian_support", "case_sensitive"), True))["short"]
        self.assertEqual(self.evaluate("-m", "ter", *flags, "-r", "ref1.txt", "out.txt"), ter + "\n")

    def test_who_types_is_told_what(self):
        (self.folder / "one.links").write_text("0-0\n")
        for words, hint in ((["--links", "one.links"], "type the links of a sentence a line"), (["-r", "one.links"], "type the output, a sentence a line")):
            ours, theirs = pty.openpty()
            os.write(ours, b"0-0\n\x04")
            done = subprocess.run([HEED, "evaluate", *words], cwd=self.folder, stdin=theirs, capture_output=True, env=ENVIRONMENT, timeout=60, check=False)
            os.close(ours)
            os.close(theirs)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"evaluate: {hint}; Ctrl-D ends", done.stderr.decode())

    def test_settings_without_effect(self):
        for words, message in (
            (["--smooth-value", "1"], "--smooth-value has no effect without --smooth floor or --smooth add-k; add one, or leave it out"),
            (["--ter-no-punct", "-m", "bleu"], "--ter-no-punct has no effect on bleu; it is for ter"),
            (["--f1-label", "x", "-m", "bleu,chrf"], "--f1-label has no effect on bleu, chrf; it is for f1"),
            (["--lowercase", "-m", "ter,rouge1"], "--lowercase has no effect on ter, rouge1; it is for exact_match, wer, cer, per, ser, bleu, chrf, chrf++"),
            (["--tokenize", "zh", "-m", "chrf"], "--tokenize has no effect on chrf; it is for bleu"),
        ):
            self.fails(2, "evaluate: " + message, "evaluate", *words, "-r", "ref1.txt", "out.txt")
        self.evaluate("--tokenize", "zh", "-m", "bleu,chrf", "-r", "ref1.txt", "out.txt")

    def test_several_are_aligned(self):
        lines = self.evaluate("-r", "ref1.txt", "out.txt").splitlines()
        self.assertEqual([line.split("|")[0].strip() for line in lines], ["BLEU", "chrF2", "TER"])
        self.assertEqual(len({line.index(" = ") for line in lines}), 1)
        self.assertEqual(self.evaluate("--metric", "chrf++,ter", "-r", "ref1.txt", "out.txt").split("|")[0].strip(), "chrF2++")

    def test_captions(self):
        corpora = json.loads((ROOT / "tests/fixtures/captions.json").read_text())["corpora"]
        case = next(case for case in corpora if len(case["outputs"]) == 12 and case["caption_no_punct"])
        for name, lines in (("caption.out", case["outputs"]), ("caption.ref", [some[0] for some in case["references"]])):
            (self.folder / name).write_text("".join(line + "\n" for line in lines))
        for metric, title in (("coco_bleu4", "BLEU-4"), ("coco_rougeL", "COCO-ROUGE-L"), ("cider_d", "CIDEr-D")):
            words = ["-m", metric, "--caption-no-punct", "-w", "4", "-r", "caption.ref", "caption.out"]
            line, = self.evaluate(*words).splitlines()
            expected = case["scores"][metric]
            self.assertTrue(line.startswith(f"{title}|nrefs:1|case:lc|tok:none|punct:no = {100 * expected['corpus']:.4f}"), line)
            single = self.evaluate(*words, "--sentence-level").splitlines()
            self.assertEqual([one.split(" = ")[1].split()[0] for one in single], [f"{100 * value:.4f}" for value in expected["captions"]])

    def test_json(self):
        bleu, chrf = json.loads(self.evaluate("-m", "bleu", "-m", "chrf", "--json", "-r", "ref1.txt", "out.txt"))
        case = self.case("bleu", {"tokenize": "13a", "lowercase": False})
        self.assertEqual(f"BLEU|{bleu['signature']} = {bleu['score']} {bleu['verbose_score']}", case["short"])
        self.assertEqual((bleu["name"], bleu["tok"], bleu["nrefs"]), ("BLEU", "13a", "1"))
        self.assertEqual(chrf["name"], "chrF2")

    def test_confidence(self):
        for case in self.fixture["confidence"]:
            name = case["metric"] + ("++" if case["settings"] else "")
            self.assertEqual(self.evaluate("-m", name, "--confidence", "-r", "told.reference", "told.first"), case["short"] + "\n")

    def test_paired(self):
        for case in self.fixture["paired"]:
            kind = {"bs": "bootstrap", "ar": "randomisation"}[case["test"]]
            words = ["-m", case["metric"], "-r", "told.reference", "told.first", "--paired", "told.second", "--paired-test", kind]
            first, second = self.evaluate(*words).splitlines()
            self.assertIn(case["signature"], first)
            self.assertTrue(first.endswith(" told.first"), first)
            self.assertTrue(second.endswith(f" told.second (p = {case['p']:.4f})"), second)
            first, second = json.loads(self.evaluate(*words, "--json"))
            self.assertEqual((first["p_value"], second["p_value"]), (None, case["p"]))
            self.assertEqual(second["system"], "told.second")

    def test_sentences(self):
        lines = self.evaluate("-m", "ter", "--sentence-level", "-r", "ref1.txt", "out.txt").splitlines()
        self.assertEqual(len(lines), len(self.fixture["texts"]["hypotheses"]))
        self.assertEqual(len(json.loads(self.evaluate("-m", "wer", "--sentence-level", "--json", "-r", "ref1.txt", "out.txt"))), len(lines))

    def test_links(self):
        (self.folder / "gold").write_text("0-0 1p1 2-2\n0-0\n")
        self.assertEqual(self.evaluate("--links", "gold", stdin=b"0-0 1-1 5-5\n0-0\n"), "AER|nrefs:1 = 28.6\n")
        self.fails(3, 'standard input:2: "0:0" must be links such as 0-2 (source-target, counted from 0), or 0p2 where it is only possible', "evaluate", "--links", "gold", stdin=b"0-0\n0:0\n")
        self.fails(3, 'told.first:1: "', "evaluate", "--links", "told.first", stdin=b"0-0\n")
        self.fails(2, "--metric: bleu compares text; give --reference", "evaluate", "--links", "gold", "-m", "bleu")
        self.fails(2, "--metric: aer compares alignments; give --links", "evaluate", "-r", "ref1.txt", "-m", "aer")

    def test_every_metric(self):
        parts = self.heed("inspect", "--parts")[0]
        names = re.findall(r"^  (\S+)", re.search(r"(?m)^metric\n((?:  .*\n)+)", parts)[1], re.M)
        self.assertGreaterEqual(len(names), 13)
        for name in names:
            words = ["--links", "gold"] if name == "aer" else ["-r", "gold"]
            gold, lines = ("a@0 b@1\nc@2\n", b"a@0\nc@3\n") if name == "start_times" else ("0-0 1p1 2-2\n0-0\n", b"0-0 1-1\n1-0\n")
            (self.folder / "gold").write_text(gold)
            self.assertIn("|bs:10|seed:12345", self.evaluate("-m", name, *words, "--confidence", "--samples", "10", stdin=lines))

    def test_speech(self):
        (self.folder / "wanted").write_text("one two four\nfive\n")
        heard = b"one too three four\nfive\n"
        self.assertEqual(self.evaluate("-m", "wer,ser", "--aligned", "-r", "wanted", stdin=heard),
                         "line 1\nREF: one *** two   four\nHYP: one too three four\n         I   S\n\n"
                         "WER|nrefs:1|case:mixed|tok:words = 50.0 (N = 4, S = 1, D = 0, I = 1; 1 of 2 lines wrong)\n"
                         "          SER|nrefs:1|case:mixed = 50.0\n")
        self.assertEqual(self.evaluate("-m", "ser,wer", "--aligned", "-r", "wanted", stdin=heard).splitlines()[0], "line 1")
        (self.folder / "starts").write_text("one@0.10 two@0.5\nfive@1\n")
        self.assertEqual(self.evaluate("-m", "start_times", "--within", "60", "-r", "starts", stdin=b"one@0.15 two@0.6\nfive@1\n"),
                         "Starts|nrefs:1|within:60ms = 66.7 (N = 3, 3 right; offset +50.0 ms, size 50.0 ms)\n")
        self.fails(3, '"one" must be a word and the second at which it begins, such as one@1.25', "evaluate", "-m", "start_times", "-r", "starts", stdin=b"one\nfive@1\n")

    def test_aligned(self):
        (self.folder / "spoken").write_text("one two\nfive\n")
        wer, ser = json.loads(self.evaluate("-m", "wer,ser", "--aligned", "--json", "-r", "spoken", stdin=b"one too\nfive\n"))
        same, other = ({"edit": edit, "reference": left, "output": right} for edit, left, right in
                       (("same", "one", "one"), ("substitution", "two", "too")))
        self.assertEqual(wer["wrong_lines"], [{"line": 1, "units": [same, other]}])
        self.assertNotIn("wrong_lines", ser)
        self.assertEqual(json.loads(self.evaluate("-m", "wer", "--aligned", "--json", "-r", "spoken", stdin=b"one two\nfive\n"))[0]["wrong_lines"], [])
        right = ("--aligned", "-r", "spoken", "spoken")
        self.assertNotIn("line 1", self.evaluate("-m", "wer", *right))
        for metric in ("ser", "bleu"):  # also where nothing differs
            self.fails(2, f"--aligned: {metric} does not compare by units; choose one of wer, cer, per", "evaluate", "-m", metric, *right)
        self.fails(2, "--aligned does not go with --sentence-level; run them separately", "evaluate", "-m", "wer", "--sentence-level", *right)
        self.fails(2, "--aligned does not go with --paired; run them separately", "evaluate", "-m", "wer", "--paired", "spoken", *right)
        self.fails(2, "--boxes stands alone", "evaluate", "--boxes", "spoken", "--aligned", "spoken")

    def test_windows_lines(self):
        (self.folder / "dos").write_bytes(b"\xef\xbb\xbfa b\r\nc d\r\n")
        self.assertEqual(self.evaluate("-m", "exact_match", "-r", "dos", stdin=b"a b\nc d"), "exact_match|nrefs:1|case:mixed = 100.0\n")

    def test_what_is_wrong(self):
        for code, message, words in (
            (2, "evaluate: there is nothing to compare with; give --reference FILE, --links FILE or --boxes FILE", ["out.txt"]),
            (2, "evaluate: references and links exclude each other", ["-r", "a", "--links", "b", "out.txt"]),
            (2, 'metric: unknown "belu"; choose one of', ["-m", "belu", "-r", "ref1.txt", "out.txt"]),
            (2, '--tokenize: unknown "13b"; choose one of 13a, zh, char, none, intl', ["--tokenize", "13b", "-r", "ref1.txt", "out.txt"]),
            (2, '--smooth: unknown "add"; choose one of', ["--smooth", "add", "-r", "ref1.txt", "out.txt"]),
            (2, "standard input can be read only once; give - once", ["-r", "-", "-"]),
            (2, "evaluate: --sentence-level is for one metric and no test; run the others separately", ["--sentence-level", "-r", "ref1.txt", "out.txt"]),
            (3, "nowhere: ", ["-r", "nowhere", "out.txt"]),
            (3, "told.first:40: the file ends here, but out.txt has 20 lines; pair them line by line", ["-r", "told.first", "out.txt"]),
            (3, "told.first:40: the file ends here, but", ["-r", "ref1.txt", "out.txt", "--paired", "told.first"]),
            (3, "/dev/null: it has no lines; is it the right file?", ["-r", "ref1.txt", "/dev/null"]),
        ):
            self.fails(code, message, "evaluate", *words)
        self.fails(3, "standard input:2: byte 0xFF at position 1 is not UTF-8; convert the text to UTF-8", "evaluate", "-r", "ref1.txt", stdin=b"a\nb\xff\n")


if __name__ == "__main__":
    unittest.main()
