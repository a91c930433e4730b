"""words_test.py HEED: the words that people bring from elsewhere, options without effect, files in and out, search that a model wants."""
import json
import os
import pty
import select
import subprocess
import time
import unittest

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Words(Cli):
    def translate(self, *words, **more):
        return self.heed("translate", "-m", self.model, *words, **more)

    def test_names_of_peers(self):
        for wrong, right in (("--beam-size", "--beam"), ("--beam_size", "--beam"), ("--src", "--input"), ("--quantize", "--precision int8"),
                             ("--gpu", "--backend"), ("--length-penalty", "--alpha"), ("--nbest", "--n-best"), ("--int8", "--precision int8"),
                             ("--compute_type", "--precision"), ("--mini-batch", "--batch"), ("--num-beams", "--beam"), ("-n", "--n-best"),
                             ("--cpu-threads", "--threads")):
            self.fails(2, f'translate: unknown option {wrong}; did you mean "{right}"?', "translate", "-m", self.model, wrong, "5")
        for wrong in ("--out", "--output", "--output-dir", "--save_dir"):
            self.fails(2, f'train: unknown option {wrong}; did you mean "--run"?', "train", "tiny.toml", wrong, "x")
        for wrong, right in (("eval", "evaluate"), ("decode", "translate"), ("infer", "translate"), ("convert", "quantise"), ("fit", "train")):
            self.fails(2, f'unknown verb "{wrong}"; did you mean "{right}"?', wrong)

    def test_version(self):
        version = self.heed("--version")
        self.assertEqual(self.heed("version"), version)
        self.assertEqual(self.heed("-V"), version)
        self.fails(2, 'unknown option -v; did you mean "--version"?', "-v")

    def test_models_and_recipes_by_name(self):
        folder = self.folder / "shelf"
        folder.mkdir(exist_ok=True)
        (folder / "en-zh.safetensors").write_bytes((self.folder / self.model).read_bytes())
        (folder / "letters.toml").write_bytes((self.folder / "tiny.toml").read_bytes())
        program = self.alone()
        self.fails(3, 'translate: there is neither a file nor a model called "en-z"; did you mean "en-zh"?', "translate", "-m", "en-z", "abc",
                   HEED_MODELS=str(folder))
        self.fails(3, 'there is neither a file nor a model called "nope"; heed models lists en-zh', "translate", "-m", "nope", "abc",
                   HEED_MODELS=str(folder), program=program)
        for name in ("en-zh", "letters"):  # a folder that happens to have the name does not hide what is meant
            (self.folder / name).mkdir()
        self.heed("translate", "-m", "en-zh", "abc", HEED_MODELS=str(folder))
        self.heed("train", "letters", "-q", "-o", "by-name", HEED_RECIPES=str(folder))
        self.assertTrue((self.folder / "by-name/model.safetensors").exists())
        self.fails(3, 'train: there is neither a file nor a recipe called "leters"; did you mean "letters"?', "train", "leters",
                   HEED_RECIPES=str(folder))
        self.fails(3, "nothing.toml: cannot open", "train", "nothing.toml")

    def test_data_beside_a_recipe(self):
        folder = self.folder / "beside"
        folder.mkdir(exist_ok=True)
        (folder / "pairs.tsv").write_text("abc\tcba\n" * 4)
        (folder / "beside.toml").write_text('[data]\ntrain = "$RECIPE/pairs.tsv"\nvalid = "$RECIPE/pairs.tsv"\n[model]\nembedding = 4\n'
                                            'encoder = { kind = "gru", width = 4 }\ndecoder = { kind = "attend_first", width = 4 }\n'
                                            "[training]\nsteps = 1\nsamples = 0\n")
        for recipe in ("beside", "beside/beside.toml"):  # found by its name, and by its path
            self.heed("train", recipe, "-q", "--fresh", "-o", "beside-run", HEED_RECIPES=str(folder))
            self.assertTrue((self.folder / "beside-run/model.safetensors").exists())

    def test_options_without_effect(self):
        for words, message in (
            (["--temperature", "0.5"], "--temperature has no effect without --sample; add that, or leave it out"),
            (["--top-k", "5"], "--top-k has no effect without --sample"),
            (["--top-p", "0.5"], "--top-p has no effect without --sample"),
            (["--diversity", "0.5"], "--diversity has no effect without --diverse"),
            (["--lm-weight", "0.5"], "--lm-weight has no effect without --lm"),
            (["--column", "2"], "--column has no effect without --table"),
            (["--tokens"], "--tokens has no effect without --draw or --svg or --png or --alignment or --json; add one"),
            (["--head", "1"], "--head has no effect without --draw or --svg or --png or --alignment or --json or --replace-unknowns; add one"),
            (["--attention", "self"], "--attention has no effect without --draw or --svg or --png or --json; add one"),
            (["--title", "T", "--json"], "--title has no effect without --draw or --svg or --png; add one"),
            (["--sample", "--beam", "5"], "--beam has no effect with --sample"),
        ):
            self.fails(2, "translate: " + message, "translate", "-m", self.model, *words, "abc")
        self.translate("--sample", "--temperature", "0.5", "abc")
        self.translate("--tokens", "--json", "abc")
        self.fails(2, "align: --values has no effect without --draw or --svg or --png", "align", "-m", self.model, "--values", "abc", "a")
        self.heed("align", "-m", self.model, "--ends", "abc", "a")
        self.fails(2, "evaluate: --seed has no effect without --confidence or --paired", "evaluate", "-r", "x", "--seed", "3", "y")
        self.fails(2, 'evaluate: "two.txt" is one word too many; give references with -r FILE', "evaluate", "one.txt", "two.txt")

    def test_input_and_output(self):
        (self.folder / "in.txt").write_text("a b\nc d\n")
        printed = self.translate(stdin=b"a b\nc d\n")[0]
        self.assertEqual(self.translate("-i", "in.txt")[0], printed)
        self.assertEqual(self.translate("--input", "in.txt", "--output", "out.txt"), ("", ""))
        self.assertEqual((self.folder / "out.txt").read_text(), printed)
        self.fails(2, "a text, --table and --input exclude each other", "translate", "-m", self.model, "-i", "in.txt", "abc")
        # What fails leaves the old file, and no other.
        (self.folder / "bad.txt").write_bytes(b"a b\n\xff\n")
        before = sorted(os.listdir(self.folder))
        self.heed("translate", "-m", self.model, "-i", "bad.txt", "-o", "out.txt", code=3)
        self.assertEqual((self.folder / "out.txt").read_text(), printed)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.fails(3, "missing.txt: cannot open", "translate", "-m", self.model, "-i", "missing.txt")
        self.heed("translate", "-m", self.model, "-o", "no/such/folder.txt", "abc", code=5)

    def test_alignment_with_a_threshold(self):
        soft = json.loads(self.translate("--json", "--alignment", "soft", "a b c d")[0])
        for threshold in (0.05, 0.2, 0.9):
            expected = [[s, t] for s in range(len(soft["source"]) - 1) for t in range(len(soft["target"]))
                        if soft["target"][t] != "</s>" and soft["alignment"][t][s] >= threshold]
            found = json.loads(self.translate("--json", "--alignment", str(threshold), "a b c d")[0])["alignment"]
            self.assertEqual(found, expected, threshold)
        pairs = self.translate("--alignment", "0.05", "a b c d")[0].split(" ||| ")[1].split()
        self.assertEqual([[int(number) for number in pair.split("-")] for pair in pairs],
                         json.loads(self.translate("--json", "--alignment", "0.05", "a b c d")[0])["alignment"])

    def test_tokens_in_alignments(self):
        words = json.loads(self.translate("--json", "--alignment", "soft", "abc def")[0])
        tokens = json.loads(self.translate("--json", "--alignment", "soft", "--tokens", "abc def")[0])
        self.assertEqual(tokens["target"], tokens["tokens"])
        self.assertEqual(len(tokens["alignment"]), len(tokens["tokens"]))
        self.assertGreaterEqual(len(tokens["source"]), len(words["source"]))

    def test_rules(self):
        long = self.translate("--min-length", "12", "--max-length", "12", "--json", "abc")[0]
        self.assertEqual(len([token for token in json.loads(long)["tokens"] if token != "</s>"]), 12)
        for words in ([], ["--beam", "4"], ["--sample"]):
            out = json.loads(self.translate(*words, "--no-repeat-ngram", "1", "--max-length", "15", "--json", "abc")[0])
            said = [token for token in out["tokens"] if token != "</s>"]
            self.assertEqual(len(said), len(set(said)))

    def test_diverse_texts_are_distinct(self):
        out = self.translate("--diverse", "2", "--beam", "6", "--n-best", "6", "--diversity", "0", "abc")[0]
        texts = [line.split(" ||| ")[1] for line in out.splitlines()]
        self.assertEqual(len(texts), len(set(texts)))

    def test_unknown_words_are_not_printed(self):
        (self.folder / "words.tsv").write_text("".join(f"a{i} x y z\tb{i} w c{i}\n" for i in range(60)))
        (self.folder / "words.toml").write_text(
            '[data]\ntrain = "words.tsv"\nvalid = "words.tsv"\nsource_tokens = "words"\nmin_count = 2\n[model]\nembedding = 4\n'
            'encoder = { kind = "gru", width = 4 }\ndecoder = { kind = "attend_first", width = 6, embedding = 4 }\n'
            '[training]\nsteps = 60\noptimiser.learning_rate = 0.05\nbatch_sentences = 8\nvalidate_every = 60\nsamples = 0\n')
        self.heed("train", "words.toml", "-q", "-o", "words")
        model = ("translate", "-m", "words/model.safetensors")
        self.assertIn("<unk>", self.heed(*model, "--allow-unk", "a1 x y z")[0])
        for words in ([], ["--beam", "3"], ["--sample", "--n-best", "8"]):
            self.assertNotIn("<unk>", self.heed(*model, *words, "a1 x y z")[0])
        self.heed(*model, "--replace-unknowns", "a1 x y z")

    def test_verbose_says_what_is_loaded(self):
        out, err = self.translate("--verbose", "abc")
        self.assertEqual(out, self.translate("abc")[0])
        for part in ("heed ", "threads", "model.safetensors: ", " parameters, products in f32", "search: greedy", "loaded in "):
            self.assertIn(part, err)

    def test_the_prompt_comes_before_the_first_line(self):
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(HEED, [HEED, "translate", "-m", self.model], ENVIRONMENT)
        text, end = "", time.monotonic() + 60
        while "> " not in text and time.monotonic() < end:
            if select.select([terminal], [], [], 0.5)[0]:
                text += os.read(terminal, 4096).decode()
        os.write(terminal, b"\x04")
        os.close(terminal)
        os.waitpid(process, 0)
        self.assertIn("Ctrl-D ends", text)
        self.assertTrue(text.endswith("> "), text)


class WantedSearch(Cli):
    """A model file says how it wants to be searched."""

    @classmethod
    def setUpClass(cls):
        recipe = (cls.folder / "tiny.toml").read_text()
        (cls.folder / "beams.toml").write_text(recipe + 'metric = "chrf"\n\n[search]\nbeam = 3\nlength_norm = "length"\nalpha = 1.0\n')
        cls.run_in(cls.folder, "train", "beams.toml", "-o", "beams")

    def detail(self, *words):
        return self.heed("translate", "-m", "beams/model.safetensors", "--verbose", *words, "abc")[1]

    def test_it_is_used_unless_options_say_otherwise(self):
        self.assertIn("search: beam 3, length_norm length, alpha 1.0\n", self.detail())
        self.assertIn("search: greedy, length_norm length, alpha 1.0\n", self.detail("--beam", "1"))
        self.assertIn("search: beam 5, length_norm length\n", self.detail("--beam", "5", "--alpha", "0.6"))
        self.assertIn("strategy diverse", self.detail("--diverse", "2"))  # the beam becomes a multiple
        self.assertIn("strategy sample", self.detail("--sample"))
        plain = self.heed("translate", "-m", "beams/model.safetensors", "--n-best", "3", "abc")[0]
        same = self.heed("translate", "-m", "beams/model.safetensors", "--n-best", "3", "--beam", "3", "--length-norm", "length", "--alpha", "1",
                         "abc")[0]
        self.assertEqual(plain, same)

    def test_the_score_goes_with_it(self):
        shelf = self.folder / "scored"
        shelf.mkdir(exist_ok=True)
        (shelf / "beams.safetensors").write_bytes((self.folder / "beams/model.safetensors").read_bytes())
        self.assertRegex(self.heed("models", HEED_MODELS=str(shelf))[0], r"beams .* chrf [0-9.]+ \(beam 3, length_norm length, alpha 1\.0\)")

    def test_inspect(self):
        text = self.heed("inspect", "beams/model.safetensors")[0]
        self.assertRegex(text, r"attention +decoder\.attention: \w+ score, softmax, everywhere")
        self.assertIn('search       {"beam":3,"length_norm":"length","alpha":1.0}', text)
        shown = json.loads(self.heed("inspect", "beams/model.safetensors", "--json")[0])
        self.assertEqual(shown["search"], {"beam": 3, "length_norm": "length", "alpha": 1.0})
        self.assertEqual(sum(size_of(one["shape"]) for one in shown["parameters"]), shown["count"])
        lines = self.heed("inspect", "beams/model.safetensors", "--vocabulary", "target")[0].splitlines()
        self.assertEqual(len(lines), shown["target"]["vocabulary"])
        self.assertEqual(lines[:3], ["0\t</s>", "1\t<unk>", "2\t<s>"])


def size_of(shape):
    size = 1
    for length in shape:
        size *= length
    return size


class Quantise(Cli):
    @classmethod
    def setUpClass(cls):
        (cls.folder / "pairs.tsv").write_text("a b\tb a\nc d\td c\n")
        cls.run_in(cls.folder, "quantise", cls.model, "int8.safetensors")

    def test_smaller_files_say_nearly_the_same(self):
        whole = (self.folder / self.model).stat().st_size
        for precision in ("bf16", "int8"):
            out, _ = self.heed("quantise", self.model, f"{precision}.safetensors", "--precision", precision, "--pairs", "pairs.tsv",
                               "--most-loss", "100")
            self.assertRegex(out, r"\Achrf  \S+ -> \S+ \(2 pairs\)\nbytes  %d -> \d+\n\Z" % whole)
            texts = [self.heed("align", "-m", model, "--format", "soft", "a b", "b a")[0] for model in (self.model, f"{precision}.safetensors")]
            numbers = [[float(number) for number in text.strip().replace(" ", ",").split(",")] for text in texts]
            self.assertEqual(len(numbers[0]), len(numbers[1]))
            for one, other in zip(*numbers):
                self.assertAlmostEqual(one, other, delta=0.03)
        self.assertNotEqual((self.folder / "int8.safetensors").read_bytes(), (self.folder / "bf16.safetensors").read_bytes())

    def test_what_is_worse_is_not_written(self):
        out, _ = self.heed("quantise", self.model, "same.safetensors", "--precision", "f32", "--pairs", "pairs.tsv", "--most-loss", "0")
        self.assertRegex(out, r"\Achrf  (\S+) -> \1 ")
        self.heed("quantise", self.model, "never.safetensors", "--pairs", "pairs.tsv", "--metric", "aer", code=2)
        # Lines that the two models answer differently, with the answers of the whole model as references: it scores best.
        lines = [" ".join(chr(97 + (i * k + k) % 26) for k in range(1, 9)) for i in range(400)]
        answers = [self.heed("translate", "-m", model, stdin="\n".join(lines).encode())[0].splitlines()
                   for model in (self.model, "int8.safetensors")]
        wrong = [(line, own) for line, own, other in zip(lines, *answers) if own != other and own.strip()]
        if not wrong:
            self.skipTest("both models answer all lines alike")
        (self.folder / "own.tsv").write_text("".join(f"{line}\t{text}\n" for line, text in wrong))
        done = self.run_in(self.folder, "quantise", self.model, "never.safetensors", "--pairs", "own.tsv", "--most-loss", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"more than --most-loss 0 allows; nothing is written", done.stderr)
        self.assertFalse((self.folder / "never.safetensors").exists())

    def test_checkpoints_are_refused(self):
        checkpoint = next((self.folder / "run/checkpoints").iterdir())
        self.fails(2, "this is a checkpoint, whose optimiser needs all bits", "quantise", str(checkpoint), "small.safetensors")


if __name__ == "__main__":
    unittest.main()
