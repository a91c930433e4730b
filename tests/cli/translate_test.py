"""translate_test.py HEED: lines in, lines out: search, forms of output, streaming."""
import gzip
import json
import os
import pty
import re
import subprocess
import unittest

from cli import ENVIRONMENT, HEED, IS_SANITIZED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Translate(Cli):
    def test_one_line_in_one_line_out(self):
        lines = ["abc", "", "hgfe dcba", "", "é日本"]
        out, err = self.translate(stdin="\n".join(lines).encode())  # no newline at the end
        self.assertEqual(err, "")
        got = out.split("\n")
        self.assertEqual(len(got), len(lines) + 1)
        self.assertEqual((got[1], got[3], got[5]), ("", "", ""))
        self.assertEqual(self.translate(lines[2])[0], got[2] + "\n")
        self.assertEqual(self.translate("--batch", "1", stdin="\n".join(lines).encode())[0], out)
        self.assertEqual(self.translate("--threads", "1", stdin="\n".join(lines).encode())[0], out)
        for precision in ("f32", "bf16", "int8"):
            self.assertEqual(len(self.translate("--precision", precision, stdin="\n".join(lines).encode())[0].split("\n")), len(lines) + 1)
        self.assertEqual(self.translate(stdin=b""), ("", ""))
        self.assertEqual(self.translate(""), ("\n", ""))

    def test_carriage_returns_and_a_byte_order_mark_are_not_text(self):
        plain, _ = self.translate(stdin=b"abc\nfed\n")
        self.assertEqual(self.translate(stdin=b"abc\r\nfed\r\n")[0], plain)
        self.assertEqual(self.translate(stdin=b"\xef\xbb\xbfabc\nfed\n")[0], plain)

    def test_text_that_looks_like_something_else(self):
        for text in ("[a,b]", "train", "a=b", "{}"):
            self.assertEqual(self.translate(text)[0], self.translate(stdin=text.encode())[0])
        self.assertEqual(self.translate("--", "-abc")[0], self.translate(stdin=b"-abc")[0])

    def test_bytes_that_are_not_utf8(self):
        first, last = self.translate(stdin=b"abc\ndef\n")[0].splitlines()
        out, err = self.translate(stdin=b"abc\na\xff\ndef\n\xfe\n", code=3)  # the others are answered
        self.assertEqual(out, f"{first}\n\n{last}\n\n")
        self.assertEqual(err, "heed: standard input:2: byte 0xFF at position 1 is not UTF-8; convert the text to UTF-8\n"
                              "heed: standard input:4: byte 0xFE at position 0 is not UTF-8; convert the text to UTF-8\n")
        self.fails(2, "text: byte 0xFF at position 1 is not UTF-8; convert the text to UTF-8", "translate", "-m", self.model, b"a\xff")

    def test_good_lines_before_damage_are_answered(self):
        lines = b"abc\nfed\n" * 50
        good, _ = self.translate(stdin=lines)
        out, err = self.translate(stdin=gzip.compress(lines + b"x" * 99, mtime=0)[:-12], code=3)
        self.assertEqual(out, good)
        self.assertIn("the gzip data", err)

    def answered_beside_a_terminal(self, *words):
        """(exit code, standard output, what a terminal shows that is standard error.)"""
        leader, follower = pty.openpty()
        with subprocess.Popen([HEED, "translate", "-m", self.model, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=follower, env=ENVIRONMENT) as process:
            os.close(follower)
            shown = b""
            while True:
                try:
                    some = os.read(leader, 65536)
                except OSError:  # the other end is closed
                    break
                if not some:
                    break
                shown += some
            out = process.stdout.read()
            code = process.wait(timeout=60)
        os.close(leader)
        return code, out.decode(), shown.decode()

    def test_a_file_that_cannot_be_counted_is_answered_as_far_as_it_goes(self):
        lines = b"abc\nfed\n" * 50
        good, _ = self.translate(stdin=lines)
        (self.folder / "cut.gz").write_bytes(gzip.compress(lines + b"x" * 99, mtime=0)[:-12])
        code, out, shown = self.answered_beside_a_terminal("-i", "cut.gz")
        self.assertEqual((code, out), (3, good))
        self.assertIn("the gzip data", shown)

    def test_faulty_lines_are_done_as_well(self):
        (self.folder / "faulty.txt").write_bytes(b"abc\n\xff\nfed\n")
        code, out, shown = self.answered_beside_a_terminal("-i", "faulty.txt")
        self.assertEqual((code, len(out.splitlines())), (3, 3))
        self.assertIn("3/3 100%", shown)

    def test_a_line_that_is_too_long_does_not_keep_others_from_being_answered(self):
        good, _ = self.translate(stdin=b"abc\nfed\n")
        first, last = good.splitlines()
        out, err = self.translate("--max-line-bytes", "8", stdin=b"abc\n" + b"a" * 100000 + b"\nfed\n", code=3)
        self.assertEqual(out, f"{first}\n\n{last}\n")
        self.assertEqual(err, "heed: standard input:2: the line is longer than 8 bytes; cut it, or raise --max-line-bytes\n")
        out, _ = self.translate("--max-line-bytes", "8", "--json", stdin=b"a" * 9 + b"\nfed\n", code=3)
        self.assertEqual([json.loads(line)["text"] for line in out.splitlines()], ["", last])

    def test_memory_is_linear_in_a_line(self):
        most = 3000 if IS_SANITIZED else 300
        last, _ = self.translate("--max-length", "9", "fed")
        for line in (b" " * 1_000_000 + b"x", b"x" + b" " * 1_000_000, b" " * 1_000_000):
            out, _, peak = self.peak_of("translate", "-m", self.model, "--max-length", "9", stdin=line + b"\nfed\n")
            self.assertEqual(out.splitlines(keepends=True)[1:], [last])
            self.assertLess(peak, most)
        long = b"abcd efgh " * 12_000
        for words in (["--json"], ["--alignment", "hard"], ["--alignment", "soft"], ["--svg", "long.svg"]):
            out, err, peak = self.peak_of("translate", "-m", self.model, "--max-length", "9", *words, stdin=long + b"\nfed\n")
            self.assertLess(peak, most)
            self.assertEqual(len(out.splitlines()), 2)
            warned = re.search(r"line 1: 1\d{5} source tokens are too many for a matrix of all weights; use --alignment hard\n", err)
            self.assertEqual(warned is not None, words[-1] in ("soft", "long.svg"), err)
        bundled = ["translate", "-m", str(ROOT / "models/en-zh.safetensors"), "-q", "--max-length", "2"]
        for text in (b"a", b"."):
            out, _, peak = self.peak_of(*bundled, stdin=text * 100_000)
            self.assertLess(peak, 1000 if IS_SANITIZED else 130, "twenty parts of a thousand tokens at a time took 540 MB")
            self.assertGreater(len(out), 100)
        whole = json.loads(self.peak_of("translate", "-m", self.model, "--max-length", "9", "--json", stdin=long)[0])
        self.assertEqual("".join(whole["source"]).count("abcd"), 12_000)
        for source, target in whole["alignment"]:
            self.assertLess(source, len(whole["source"]))
            self.assertLess(target, len(whole["target"]))

    def test_one_line_out_whatever_a_model_writes(self):
        self.heed("train", "tiny.toml", "-q", "-o", "bytes", "--set", "data.target_tokens=bytes")
        def lines(*words):
            return self.heed("translate", "-m", "bytes/model.safetensors", "--sample", *words, stdin=b"abc\n" * 200)[0].split("\n")
        shown = lines()
        self.assertEqual(len(shown), 201)
        self.assertTrue(any("␊" in line for line in shown))
        self.assertFalse(any(ord(letter) < 32 and letter != "\t" for line in shown for letter in line))
        self.assertGreater(len(lines("--raw")), 201)

    def test_n_best(self):
        out, _ = self.translate("--n-best", "3", stdin=b"abc\ncba\n")
        rows = [line.split(" ||| ") for line in out.splitlines()]
        self.assertEqual([row[0] for row in rows], ["0"] * 3 + ["1"] * 3)
        for row in rows:
            self.assertRegex(row[2], r"^F0= -[0-9.]+$")
        scores = [float(row[3]) for row in rows[:3]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(self.translate("--beam", "3", stdin=b"abc\n")[0].rstrip("\n"), rows[0][1])

    def test_answers_before_the_input_ends(self):
        process = subprocess.Popen([HEED, "translate", "-m", self.model], cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for text in (b"abc\n", b"fed\n"):
            process.stdin.write(text)
            process.stdin.flush()
            self.assertEqual(process.stdout.readline().decode(), self.translate(text.decode().strip())[0])
        rest, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, rest, err), (0, b"", b""))

    def test_json(self):
        out, err = self.translate("--json", "--n-best", "2", stdin=b"abc\n\nfed\n")
        self.assertEqual(err, "")
        first, empty, last = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(empty["text"], "")
        for one, text in ((first, "abc"), (last, "fed")):
            self.assertEqual(one["text"] + "\n", self.translate("--beam", "2", text)[0])
            self.assertEqual(one["source"], [*text, "</s>"])
            self.assertEqual(len(one["n_best"]), 2)
            self.assertEqual({key: one[key] for key in one["n_best"][0]}, one["n_best"][0])
            for source, target in one["alignment"]:
                self.assertLess(source, len(one["source"]))
                self.assertLess(target, len(one["target"]))
        soft = json.loads(self.translate("--json", "--alignment", "soft", "abc")[0])
        self.assertAlmostEqual(sum(soft["alignment"][0]), 1, places=4)

    def test_alignment(self):
        text, _ = self.translate("abc")
        hard, _ = self.translate("--alignment", "hard", "abc")
        self.assertRegex(hard, re.escape(text.rstrip("\n")) + r" \|\|\| (\d+-\d+)?( \d+-\d+)*\n")
        ends, _ = self.translate("--alignment", "hard", "--ends", "abc")
        self.assertGreaterEqual(len(ends.split(" ||| ")[1].split()), len(hard.split(" ||| ")[1].split()))
        soft, _ = self.translate("--alignment", "soft", "abc")
        rows = soft.split(" ||| ")[1].split()
        self.assertEqual({len(row.split(",")) for row in rows}, {4})
        listed, _ = self.translate("--n-best", "2", "--alignment", "hard", "abc")
        self.assertRegex(listed.splitlines()[1], r"^0 \|\|\| .* \|\|\| [-0-9 ]* \|\|\| F0= -[0-9.]+ \|\|\| -[0-9.]+$")

    def test_an_ensemble(self):
        alone, _ = self.translate("--json", "abc")
        twice, _ = self.translate("-m", self.model, "--json", "abc")
        self.assertEqual(json.loads(alone)["tokens"], json.loads(twice)["tokens"])
        self.assertAlmostEqual(json.loads(alone)["score"], json.loads(twice)["score"], places=4)
        self.heed("train", "tiny.toml", "-q", "-o", "words", "--set", "data.source_tokens=words")
        self.fails(2, "have different source vocabularies; use models that", "translate", "-m", self.model,
                   "-m", "words/model.safetensors", "abc")

    def test_samples(self):
        def draw(*words):
            lines = self.translate("--sample", "--n-best", "4", *words, stdin=b"abc\nabc\n")[0].splitlines()
            return [line.split(" ||| ")[1] for line in lines]
        texts = draw()
        self.assertEqual(texts, draw("--batch", "1"))
        self.assertEqual(texts, draw("--threads", "1"))
        self.assertNotEqual(texts, draw("--seed", "2"))
        self.assertNotEqual(texts[:4], texts[4:])  # lines differ
        self.assertEqual(self.translate("--sample", "--top-k", "1", "abc")[0], self.translate("abc")[0])

    def test_what_must_be_said(self):
        self.assertTrue(self.translate("--prefix", "gh", "abc")[0].startswith("gh"))
        for _ in range(3):
            said, _ = self.translate("--constrain", "ace", "--constrain", "h", "bd")
            self.assertIn("ace", said)
            self.assertIn("h", said)
        self.assertEqual(len(self.translate("--max-length", "2", "--prefix", "ab", "abcdef")[0].rstrip("\n")), 2)
        # Groups that find the same texts are widened until there are as many as asked; what is missing is said.
        for line in ("abc", "a"):
            out, err = self.translate("--diverse", "5", "--diversity", "0", "--n-best", "5", line)
            texts = [one.split(" ||| ")[1] for one in out.splitlines()]
            self.assertEqual(len(set(texts)), len(texts))
            self.assertEqual(err, "" if len(texts) == 5 else f"warning: line 1: there are {len(texts)} of the 5 texts that were asked for; the groups found no others\n")
            self.assertGreater(len(texts), 1)
        # Of one token there are 27 outputs: a letter, or nothing.
        out, err = self.translate("--diverse", "30", "--n-best", "30", "--max-length", "1", "--length-norm", "none", "abc")
        self.assertIn(len(out.splitlines()), range(20, 28))
        self.assertEqual(err, f"warning: line 1: there are {len(out.splitlines())} of the 30 texts that were asked for; the groups found no others\n")
        groups = self.translate("--diverse", "3", "--diversity", "1000", "--n-best", "3", "abc")[0].splitlines()
        self.assertEqual(len({line.split(" ||| ")[1][:1] for line in groups}), 3)

    def test_paragraphs(self):
        one, _ = self.translate("Abc.")
        two, _ = self.translate("Dcba!")
        self.assertEqual(self.translate("Abc. Dcba!")[0], one.rstrip("\n") + " " + two)
        whole = json.loads(self.translate("--whole", "--json", "Abc. Dcba!")[0])
        self.assertIn(" ", whole["source"])
        drawn = json.loads(self.translate("--json", "Abc. Dcba!")[0])
        self.assertEqual("".join(drawn["source"]), "Abc.Dcba!</s>")
        out, err = self.translate("--max-source", "4", stdin=b"ab\nabcd efgh\n")
        self.assertEqual(len(out.splitlines()), 2)
        self.assertEqual(err, "warning: line 2: a sentence has more than 4 tokens; it is translated in 2 parts\n")

    def test_a_terminal_is_told_what_to_do(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([HEED, "translate", "-m", self.model], cwd=self.folder, env=ENVIRONMENT, stdin=theirs,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.write(ours, b"abc\n")
        answer = process.stdout.readline()  # before the input has ended
        os.write(ours, b"\x04")
        rest, err = process.communicate(timeout=60)
        os.close(ours)
        os.close(theirs)
        self.assertEqual((process.returncode, rest), (0, b""))
        self.assertEqual(answer.decode(), self.translate("abc")[0])
        self.assertIn(b"Ctrl-D ends", err)


if __name__ == "__main__":
    unittest.main()
