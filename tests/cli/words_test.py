"""words_test.py HEED: the words that people bring from elsewhere, options without effect, files in and out, search that a model wants."""
import fcntl
import gzip
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
import unittest

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Words(Cli):
    def translate(self, *words, **more):
        return self.heed("translate", "-m", self.model, *words, **more)

    def test_names_of_peers(self):
        for wrong, right in (("--beam-size", "--beam"), ("--beam_size", "--beam"), ("--src", "--input"), ("--quantize", "--precision int8"),
                             ("--length-penalty", "--alpha"), ("--nbest", "--n-best"), ("--int8", "--precision int8"),
                             ("--compute_type", "--precision"), ("--mini-batch", "--batch"), ("--num-beams", "--beam"), ("-n", "--n-best"),
                             ("--cpu-threads", "--threads")):
            self.fails(2, f'translate: unknown option {wrong}; did you mean "{right}"?', "translate", "-m", self.model, wrong, "5")
        for wrong, right in (("--gpu", "--backend cuda"), ("--cuda", "--backend cuda"), ("--device", "--backend"), ("--device_index", "--backend cuda:1")):
            self.fails(2, f'translate: unknown option {wrong}; did you mean "{right}"?', "translate", "-m", self.model, wrong, "0")
            self.fails(2, f"evaluate: unknown option {wrong}; this verb computes on the CPU only; leave it out", "evaluate", wrong, "0")
        for wrong, advice in (("--num-gpus", "heed computes on one device; leave it out"), ("--disable_unk", "that is so unless --allow-unk is given; leave it out"),
                              ("--word_scores", "heed score --words and heed translate --json print them"), ("--report-score", "--json prints it"),
                              ("--vocabs", "a model file has its vocabularies; leave it out"),
                              ("--repetition_penalty", "there is none; --no-repeat-ngram N keeps sequences from repeating")):
            self.fails(2, f"translate: unknown option {wrong}; {advice}\n", "translate", "-m", self.model, wrong, "5")
        for wrong, right in (("-beam_size", "--beam"), ("-model", "--model"), ("-src", "--input"), ("--target", "--prefix"), ("-t", "--threads"),
                             ("--block_ngram_repeat", "--no-repeat-ngram"), ("--random_sampling_topk", "--top-k"), ("-verbose", "--verbose")):
            self.fails(2, f'translate: unknown option {wrong}; did you mean "{right}"?', "translate", wrong, "5")
        self.fails(2, 'translate: unknown option -gpu; did you mean "--backend cuda"?', "translate", "-gpu", "0")
        self.fails(2, 'evaluate: unknown option -tok; did you mean "--tokenize"?', "evaluate", "-tok", "zh")
        self.fails(2, 'evaluate: unknown option -lc; did you mean "--lowercase"?', "evaluate", "-lc")
        self.fails(2, 'evaluate: unknown option --chrf-word-order; did you mean "--metric chrf++"?', "evaluate", "--chrf-word-order", "2")
        self.fails(2, "evaluate: unknown option --hyp; give the file of the output without an option", "evaluate", "--hyp", "x")
        self.fails(2, "translate: --normalize: must be a name such as wu, not \"0.6\"; its strength is --alpha 0.6", "translate", "--normalize", "0.6")
        for wrong, why in (("cuda", "there is no libheed_cuda.so beside the program; choose one of cpu, reference"),
                           ("cuda:1", "there is no libheed_cuda.so beside the program; choose one of cpu, reference"),
                           ("cuda:x", "there is no libheed_cuda.so beside the program; choose one of cpu, reference"),
                           ("cpu:1", "there is one cpu; leave :1 out"), ("cpu:", '"cpu:" has no number behind the colon; write cpu'),
                           ("cpuu", 'unknown "cpuu"; choose one of cpu, reference; did you mean "cpu"?'),
                           ("../cpu", 'unknown "../cpu"; choose one of cpu, reference')):
            self.fails(2, f"translate: --backend: {why}", "translate", "--backend", wrong)
        self.fails(2, 'translate: --precision: unknown "fp16"; choose one of f32, bf16, int8; did you mean "bf16"?', "translate", "--precision", "fp16")
        self.fails(2, 'translate: --strategy: unknown "greedy"; choose one of beam, sample, diverse, constrained; greedy is --beam 1', "translate", "--strategy", "greedy")
        self.fails(2, 'unknown verb "draw"; did you mean "translate --draw"?', "draw")
        self.translate("-b2", "abc")
        for wrong in ("--out", "--output", "--output-dir", "--save_dir"):
            self.fails(2, f'train: unknown option {wrong}; did you mean "--run"?', "train", "tiny.toml", wrong, "x")
        for wrong, right in (("eval", "evaluate"), ("decode", "translate"), ("infer", "translate"), ("convert", "quantise"), ("fit", "train"), ("server", "serve")):
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
        for words, message in (
            (["--seed", "3"], "--seed has no effect without --sample; add that, or leave it out"),
            (["--rounds", "3"], "--rounds is for decoders that fill all positions at once, and attend_first does not; leave it out"),
            (["--length-beam", "3"], "--length-beam is for decoders that fill all positions at once, and attend_first does not"),
            (["--ctc-weight", "0.5"], "--ctc-weight is for a model with a ctc decoder beside the main one, and this one has none; leave it out"),
            (["--weights-of", "ctc"], "--weights-of is for a model with a ctc decoder beside the main one"),
            (["--word-starts", "level"], "--word-starts is for recordings, and this model reads none; leave it out"),
            (["--late-ms", "4"], "--late-ms is for recordings"),
            (["--ensemble", "log_probability"], "--ensemble is for several models or decoders, and there is one; leave it out"),
            (["--length-norm", "none", "--alpha", "0.3"], "--alpha has no effect with --length-norm none; leave out one of them"),
            (["--strategy", "sample", "--diversity", "2"], "--diversity has no effect without --diverse; add that, or leave it out"),
            (["--strategy", "diverse", "--top-k", "2"], "--top-k has no effect without --sample; add that, or leave it out"),
            (["--draw", "--map", "heat"], "--map is for drawings over a picture, and this model reads text; leave it out"),
            (["--draw", "--opacity", "0.3"], "--opacity is for drawings over a picture"),
            (["--svg", "x.svg", "--upsample", "gaussian"], "--upsample is for drawings over a picture"),
            (["--color", "always"], "--color has no effect without --draw; add that, or leave it out"),
            (["--svg", "x.svg", "--background", "dark"], "--background has no effect without --draw"),
        ):
            self.fails(2, "translate: " + message, "translate", "-m", self.model, *words, "abc")
        self.fails(2, "align: --map is for drawings over a picture", "align", "-m", self.model, "--draw", "--map", "heat", "abc", "a")
        self.fails(2, "inspect: --vocabulary prints lines, not JSON; leave out --json", "inspect", self.model, "--vocabulary", "source", "--json")
        self.assertFalse((self.folder / "x.svg").exists())
        self.translate("--sample", "--temperature", "0.5", "abc")
        self.translate("--strategy", "sample", "--temperature", "0.5", "--seed", "3", "abc")
        self.translate("-m", self.model, "--ensemble", "log_probability", "abc")
        self.translate("--replace-unknowns", "abc")  # lets <unk> into the output
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
        (self.folder / "bad.txt").write_bytes(gzip.compress(b"a b\n" * 99)[:-12])
        before = sorted(os.listdir(self.folder))
        self.heed("translate", "-m", self.model, "-i", "bad.txt", "-o", "out.txt", code=3)
        self.assertEqual((self.folder / "out.txt").read_text(), printed)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.fails(2, 'translate: "in.txt" is a file; to translate its lines, write -i in.txt (or give the text on standard input)', "translate", "-m", self.model, "in.txt")
        self.fails(3, "missing.txt: cannot open", "translate", "-m", self.model, "-i", "missing.txt")
        self.heed("translate", "-m", self.model, "-o", "no/such/folder.txt", "abc", code=5)

    def test_an_interrupt_removes_the_unfinished_file(self):
        folder = self.folder / "interrupted"
        folder.mkdir()
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([HEED, "translate", "-m", self.folder / self.model, "-o", "out.txt"], cwd=folder, env=ENVIRONMENT,
                                  stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                end = time.monotonic() + 60
                while not os.listdir(folder) and time.monotonic() < end:
                    time.sleep(0.02)
                self.assertEqual(len(os.listdir(folder)), 1)
                time.sleep(0.1)
                process.send_signal(number)
                self.assertEqual(process.wait(60), -number)
            self.assertEqual(os.listdir(folder), [])

    def test_two_signals_leave_no_unfinished_file(self):
        folder = self.folder / "twice"
        folder.mkdir()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            for _ in range(4):
                with subprocess.Popen([HEED, "translate", "-m", self.folder / self.model, "-o", "out.txt"], cwd=folder, env=ENVIRONMENT,
                                      stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    end = time.monotonic() + 60
                    while not os.listdir(folder) and time.monotonic() < end:
                        time.sleep(0.001)
                    os.kill(process.pid, number)
                    os.kill(process.pid, number)
                    os.kill(process.pid, signal.SIGTERM)
                    self.assertIn(process.wait(60), (-number, -signal.SIGTERM))
                self.assertEqual(os.listdir(folder), [])

    def test_a_signal_leaves_no_half_line(self):
        """One that comes while a line is in a full pipe takes effect when the reader has the line."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([HEED, "translate", "-m", self.folder / self.model, "--json", "--max-length", "5"], env=ENVIRONMENT,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdin.write((b"ab" * 20_000 + b"\n") * 3)
                process.stdin.close()
                waiting, end = 0, time.monotonic() + 60
                while waiting < 60_000 and time.monotonic() < end:
                    waiting = int.from_bytes(fcntl.ioctl(process.stdout, termios.FIONREAD, bytes(4)), sys.byteorder)
                    time.sleep(0.01)
                process.send_signal(number)
                time.sleep(0.1)
                lines = process.stdout.read()
                self.assertEqual(process.wait(60), -number)
            self.assertTrue(lines.endswith(b"}\n"), lines[-40:])
            self.assertEqual(len(json.loads(lines.splitlines()[0])["source"]), 40_001)

    def test_no_command_writes_over_what_it_reads(self):
        for name in ("own.safetensors", "lines.txt"):
            (self.folder / name).write_bytes((self.folder / self.model).read_bytes() if name.startswith("own") else b"abc\tcba\n")
        (self.folder / "linked.safetensors").symlink_to("own.safetensors")
        before = (self.folder / "own.safetensors").read_bytes()
        for words in (("quantise", "own.safetensors", "own.safetensors"), ("quantise", "linked.safetensors", "own.safetensors"),
                      ("translate", "-m", "own.safetensors", "-o", "linked.safetensors", "abc"),
                      ("translate", "-m", "own.safetensors", "-i", "lines.txt", "-o", "./lines.txt"),
                      ("align", "-m", "own.safetensors", "-o", "own.safetensors", "abc", "cba"),
                      ("score", "-m", "own.safetensors", "lines.txt", "-o", "lines.txt")):
            self.fails(2, "is read by this command, which would write over it; choose another name", *words)
        self.assertEqual((self.folder / "own.safetensors").read_bytes(), before)
        self.assertEqual((self.folder / "lines.txt").read_bytes(), b"abc\tcba\n")
        printed, _ = self.heed("quantise", "own.safetensors", "small.safetensors")
        sizes = [str((self.folder / name).stat().st_size) for name in ("own.safetensors", "small.safetensors")]
        self.assertEqual(printed, f"bytes  {sizes[0]} -> {sizes[1]}\n")

    def test_models_and_folders_that_are_nearly_right(self):
        self.fails(3, 'translate: run is a folder; did you mean "run/model.safetensors"?', "translate", "-m", "run", "abc")
        self.fails(3, 'translate: ./run is a folder; did you mean "./run/model.safetensors"?', "translate", "-m", "./run", "abc")
        self.fails(3, 'translate: run/model is no file; did you mean "run/model.safetensors"?', "translate", "-m", "run/model", "abc")
        (self.folder / "text.safetensors").write_text("this is no model")
        self.fails(3, "text.safetensors: this is not a model file", "translate", "-m", "text.safetensors", "abc")
        self.fails(5, "no/such/folder.txt: the folder no/such does not exist; make it, or choose another name", "translate", "-m", self.model,
                   "-o", "no/such/folder.txt", "abc")

    def terminal(self, *words, typed=b"", wanted="", **more):
        """What the program says on a terminal, until it says `wanted` and has ended after what is typed then."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execve(HEED, [HEED, *words], {**ENVIRONMENT, **more})
        text, end, is_typed = b"", time.monotonic() + 20, False
        try:
            while time.monotonic() < end:
                if not is_typed and wanted.encode() in text:
                    os.write(terminal, typed)
                    is_typed = True
                if select.select([terminal], [], [], 0.2)[0]:
                    text += os.read(terminal, 4096)
        except OSError:  # the program has ended
            pass
        os.close(terminal)
        os.waitpid(process, 0)
        return text.decode()

    def test_who_must_type_is_told(self):
        (self.folder / "typed.ref").write_text("a b\n")
        pairs = "type source, Tab, target and press Enter; Ctrl-D ends"
        for words, typed, hint in ((["align", "-m", self.model], b"a b\tb a\n\x04", pairs), (["score", "-m", self.model], b"a b\tb a\n\x04", pairs),
                                   (["evaluate", "-r", "typed.ref"], b"a b\n\x04", "type the output, a sentence a line; Ctrl-D ends")):
            self.assertIn(f"{words[0]}: {hint}\r\n", self.terminal(*words, typed=typed, wanted="Ctrl-D ends"))
        self.assertRegex(self.terminal("translate", "-m", self.model, typed=b"\x04", wanted="> "), "> \r\n$")

    def test_a_file_shows_how_far_it_is(self):
        (self.folder / "many.txt").write_text("a b c d\n" * 40)
        said = self.terminal("translate", "-m", self.model, "-i", "many.txt", "-o", "many.out", wanted="40/40")
        self.assertIn("translate 40/40 100%", said)
        self.assertEqual(len((self.folder / "many.out").read_text().splitlines()), 40)
        self.assertEqual(self.translate("-i", "many.txt", "-o", "many.out"), ("", ""))

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

    def test_what_it_makes_idle_is_not_blamed_on_options(self):
        recipe = (self.folder / "beams.toml").read_text()
        (self.folder / "plain.toml").write_text(recipe.replace('length_norm = "length"\nalpha = 1.0\n', 'length_norm = "none"\n'))
        self.heed("train", "plain.toml", "-o", "plain", "-q")
        plain = ("translate", "-m", "plain/model.safetensors", "--alpha", "0.3")
        self.fails(2, "translate: --alpha has no effect, because the model's file says that there is no length normalisation; add --length-norm wu, or leave it out",
                   *plain, "abc")
        self.heed(*plain, "--length-norm", "wu", "abc")

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
        lines = ["a b c d", "c d e f"]
        answers = cls.run_in(cls.folder, "translate", "-m", cls.model, stdin="\n".join(lines).encode()).stdout.decode().splitlines()
        (cls.folder / "pairs.tsv").write_text("".join(f"{line}\t{answer}\n" for line, answer in zip(lines, answers)))
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
        out, _ = self.heed("quantise", self.model, "same.safetensors", "--precision", "f32", "--pairs", "pairs.tsv", "--metric", "rouge-1")
        self.assertRegex(out, r"^rouge1  ")
        (self.folder / "nothing.tsv").write_text("a b\t@@ @\nc d\t@ @@\n")
        out, err = self.heed("quantise", self.model, "never.safetensors", "--pairs", "nothing.tsv", "--metric", "bleu", "--most-loss", "0", code=1)
        self.assertIn("quantise: bleu is 0 for both models and shows nothing; try --tokenize zh or another --metric", err)
        self.assertFalse((self.folder / "never.safetensors").exists())
        out, _ = self.heed("quantise", self.model, "char.safetensors", "--pairs", "pairs.tsv", "--metric", "bleu", "--tokenize", "char")
        self.assertRegex(out, r"\Ableu  \S+ -> ")
        self.fails(2, "quantise: --tokenize has no effect without --pairs", "quantise", self.model, "x.safetensors", "--tokenize", "char")
        self.fails(2, "quantise: --tokenize has no effect on chrf; it is for bleu", "quantise", self.model, "x.safetensors", "--pairs", "pairs.tsv",
                   "--tokenize", "char")

    def test_the_stored_precision_is_said(self):
        for name, precision in ((self.model, "f32"), ("int8.safetensors", "int8")):
            self.assertRegex(self.heed("inspect", name)[0], rf"(?m)^stored in +{precision}$")
            self.assertEqual(json.loads(self.heed("inspect", name, "--json")[0])["stored"], precision)
        self.fails(2, "quantise: int8.safetensors is stored in int8 already, and bf16 would make it larger; quantise the original instead",
                   "quantise", "int8.safetensors", "larger.safetensors", "--precision", "bf16")
        self.assertFalse((self.folder / "larger.safetensors").exists())
        self.fails(2, "quantise: the output is missing", "quantise", self.model)
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
