"""cli_test.py HEED: the program as people meet it. Every verb, every message with its exit code, by running HEED.

One tiny model is trained once, for a few steps; nothing here asks whether it is any good.
"""
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = ""
# Leaks are looked for in the unit tests; at the end of each of these many processes it would take minutes.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "NO_COLOR": "", "TERM": "xterm", "COLORTERM": ""}
RECIPE = """\
[about]
languages = "reversed"
domain = "letters for tests"

[data]
synth = "reverse"
train_examples = 60
valid_examples = 8

[model]
embedding = 4
encoder = { kind = "gru", width = 4 }
decoder = { kind = "attend_first", width = 6, embedding = 4 }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
log_every = 1
"""


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Cli.folder = pathlib.Path(folder.name)
    (Cli.folder / "tiny.toml").write_text(RECIPE)
    Cli.training = Cli.run_in(Cli.folder, "train", "tiny.toml", "-o", "run")


class Cli(unittest.TestCase):
    folder = pathlib.Path()
    model = "run/model.safetensors"
    training = None  # how the one model was trained

    @staticmethod
    def run_in(folder, *words, stdin=b"", program=None, **more):
        return subprocess.run([program or HEED, *words], cwd=folder, input=stdin, capture_output=True, timeout=120,
                              env={**ENVIRONMENT, **more}, check=False)

    def heed(self, *words, code=0, stdin=b"", **more):
        """Runs it; (standard output, standard error) as text. A failure prints nothing that could pass for a result."""
        done = self.run_in(self.folder, *words, stdin=stdin, **more)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"heed {words}\n{out}{err}")
        return out, err

    def fails(self, code, message, *words, stdin=b"", printed="", **more):
        """It must say exactly one line, `heed: …`, that holds the message."""
        out, err = self.heed(*words, code=code, stdin=stdin, **more)
        self.assertEqual(out, printed)
        self.assertIn(message, err)
        self.assertRegex(err, r"\Aheed: [^\n]*\n\Z")

    def alone(self):
        """The program without a folder of models beside it."""
        program = self.folder / "alone/heed"
        if not program.exists():
            program.parent.mkdir()
            shutil.copy(HEED, program)
        return program

    def translate(self, *words, **more):
        return self.heed("translate", "-m", self.model, *words, **more)


class Usage(Cli):
    def test_without_a_word_it_helps_and_fails(self):
        out, err = self.heed(code=2)
        self.assertEqual(out, "")
        for verb in ("train", "translate", "align", "inspect", "synth"):
            self.assertIn(f"  {verb}", err)

    def test_help(self):
        whole, err = self.heed("--help")
        self.assertEqual(err, "")
        self.assertEqual(self.heed("help"), (whole, ""))
        verbs = re.findall(r"^  ([a-z]+) ", whole.split("Verbs:")[1], re.M)
        self.assertGreaterEqual(len(verbs), 5)
        for verb in verbs:
            text, err = self.heed(verb, "--help")
            self.assertIn("Examples:\n  heed " + verb, text)
            self.assertEqual(err, "")
            self.assertEqual(self.heed("help", verb)[0], text)

    def test_version_is_the_projects(self):
        version = re.search(r"^project\(heed VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        self.assertEqual(self.heed("--version"), (f"heed {version}\n", ""))

    def test_unknown_verbs(self):
        self.fails(2, 'saw "trnslate", needs a verb: train, translate', "trnslate", "-m", "x")
        self.fails(2, 'did you mean "translate"?', "trnslate")
        self.fails(2, 'saw "zzzzzz", needs a verb', "zzzzzz")
        self.fails(2, 'saw "", needs a verb', "")
        self.fails(2, "saw --bogus, needs an option it has; see heed --help", "--bogus")

    def test_unknown_options(self):
        self.fails(2, 'translate: saw --beem, needs an option it has; did you mean "--beam"?', "translate", "-m", "x", "--beem", "5")
        self.fails(2, 'did you mean "--beam"?', "translate", "--beem=5")
        self.fails(2, 'train: saw --fersh, needs an option it has; did you mean "--fresh"?', "train", "tiny.toml", "--fersh")
        self.fails(2, "inspect: saw -z, needs an option it has; see heed inspect --help", "inspect", "-z")

    def test_what_is_missing_or_too_much(self):
        self.fails(2, "translate: saw no --model, and no model comes with this heed; needs one: -m FILE", "translate", "abc",
                   HEED_MODELS="", program=self.alone())
        self.fails(2, "train: saw no recipe, needs one", "train")
        self.fails(2, "inspect: saw no model, needs a model file, or --parts", "inspect")
        self.fails(2, "translate: --beam: saw no value, needs one", "translate", "-m", self.model, "--beam")
        self.fails(2, "translate: --beam: saw it more than once", "translate", "-m", self.model, "--beam", "2", "--beam", "3", "a")
        self.fails(2, 'translate: saw "May" beyond what it needs; put quotes', "translate", "-m", self.model, "3", "May")

    def test_wrong_values(self):
        for words, message in (
            (["--beam", "0"], '--beam: saw "0", needs a whole number from 1 to 1024'),
            (["--beam", "many"], '--beam: saw "many", needs a whole number'),
            (["--beam", "2.5"], '--beam: saw "2.5", needs a whole number'),
            (["--alpha", "nan"], '--alpha: saw "nan", needs a number of at least 0'),
            (["--coverage", "-1"], '--coverage: saw "-1", needs a number of at least 0'),
            (["--temperature", "0"], '--temperature: saw "0", needs a number of at least 1e-06'),
            (["--top-p", "1.5"], '--top-p: saw "1.5", needs a number from 1e-06 to 1'),
            (["--top-k", "-1"], '--top-k: saw "-1", needs a whole number from 0'),
            (["--seed", "-1"], '--seed: saw "-1", needs a whole number of at least 0'),
            (["--max-length", "0"], '--max-length: saw "0", needs a whole number from 1'),
            (["--max-source", "0"], '--max-source: saw "0", needs a whole number from 1'),
            (["--diverse", "0"], '--diverse: saw "0", needs a whole number from 1'),
            (["--diverse", "3", "--beam", "4"], "diverse: saw 3 groups of a beam of 4, needs groups of equal size"),
            (["--sample", "--diverse", "2"], "saw more than one of --sample, --diverse, --constrain, needs one"),
            (["--constrain", "a", "--sample"], "saw more than one of --sample, --diverse, --constrain, needs one"),
            (["--constrain", "☃"], 'constrain: saw "☃", needs words that the model knows'),
            (["--constrain", ""], "constrain: saw an empty phrase, needs words"),
            (["--prefix", "☃"], 'prefix: saw "☃", needs words that the model knows'),
            (["--alignment", "medium"], '--alignment: saw "medium", needs one of hard, soft'),
            (["--ensemble", "median"], '--ensemble: saw "median", needs one of probability, log_probability'),
            (["--normalise", "lenght"], 'needs one of none, wu, length; did you mean "length"?'),
            (["--precision", "fp8"], '--precision: saw "fp8", needs one of f32, bf16, int8'),
            (["--colour", "red"], '--colour: saw "red", needs one of auto, always, never'),
            (["--threads", "-1"], '--threads: saw "-1", needs a whole number from 0 to 1024'),
            (["--head", "-2"], '--head: saw "-2", needs a whole number from -1'),
            (["--backend", "gpu"], 'saw "gpu", needs one of: '),
        ):
            self.fails(2, message, "translate", "-m", self.model, *words, "abc")
        self.fails(2, 'task: saw "date", needs one of reverse, dates, numbers; did you mean "dates"?', "synth", "date")
        self.fails(2, 'did you mean "test"?', "synth", "dates", "--split", "tets")

    def test_results_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HEED, "synth", "dates"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"heed: ", done.stderr)


class Train(Cli):
    def train(self, *words, code=0, recipe="tiny.toml"):
        return self.heed("train", recipe, *words, code=code)

    def test_says_what_it_does_and_prints_no_result(self):
        self.assertEqual(self.training.returncode, 0, self.training.stderr.decode())
        self.assertEqual(self.training.stdout, b"")
        said = self.training.stderr.decode()
        self.assertIn("tiny: 60 training and 8 validation pairs", said)
        self.assertEqual(said.count("all 3 steps are done"), 1)
        self.assertIn("the model is run/model.safetensors", said)
        self.assertNotIn("\r", said)
        lines = [json.loads(line) for line in (self.folder / "run/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(lines[0]["step"], 1)

    def test_quiet(self):
        self.assertEqual(self.train("-q", "-o", "quiet"), ("", ""))

    def test_the_folder_is_named_after_the_recipe(self):
        self.train("-q")
        self.assertTrue((self.folder / "runs/tiny/model.safetensors").exists())

    def test_resumes_and_says_so_or_begins_anew(self):
        self.train("-q", "-o", "again")
        said = self.train("-o", "again", "--set", "training.steps=5")[1]
        self.assertIn("resuming after step 3 from again/checkpoints/step-00000003.safetensors", said)
        self.assertIn("steps was 3, is 5", said)
        said = self.train("-o", "again", "--fresh")[1]
        self.assertIn("the earlier run is now again.1", said)
        self.assertNotIn("resuming", said)
        self.assertTrue((self.folder / "again.1/model.safetensors").exists())
        self.assertIn("no earlier run", self.train("-o", "never-run", "--fresh")[1])

    def test_refuses_to_resume_another_model(self):
        self.fails_with("width was 6, is 7", "-o", "run", "--set", "model.decoder.width=7")

    def fails_with(self, message, *words):
        out, err = self.train(*words, code=2)
        self.assertEqual(out, "")
        self.assertIn(message, err.splitlines()[-1])

    def interrupted(self, which, code):
        run = self.folder / f"run{code}"
        words = ["train", "tiny.toml", "-o", run.name, "--set", "training.validate_every=0"]
        process = subprocess.Popen([HEED, *words, "--set", "training.steps=100000000"], cwd=self.folder, env=ENVIRONMENT,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + 100
        while not ((run / "metrics.jsonl").exists() and (run / "metrics.jsonl").stat().st_size) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertIn("saw another process training in it", self.heed("train", "tiny.toml", "-o", run.name, code=2)[1])
        process.send_signal(which)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, code, err)
        self.assertEqual(out, b"")
        self.assertIn(b"to go on, run the same command again", err)
        step = int(re.search(rb"interrupted after step (\d+); saved as", err).group(1))
        self.assertTrue((run / f"checkpoints/step-{step:08}.safetensors").exists())
        said = self.heed(*words, "--set", f"training.steps={step + 2}")[1]
        self.assertIn(f"resuming after step {step} from", said)
        self.assertIn(f"all {step + 2} steps are done", said)

    def test_ctrl_c_saves_and_goes_on(self):
        self.interrupted(signal.SIGINT, 130)

    def test_a_polite_end_saves_and_goes_on(self):
        self.interrupted(signal.SIGTERM, 143)

    def test_bad_recipes(self):
        for text, place, message in (
            ("[training]\nstesp = 5\n", ":2:1: ", 'training.stesp: saw a setting unknown here, needs one of steps,'),
            ("[training]\nstesp = 5\n", ":2:1: ", 'did you mean "steps"?'),
            ("[training]\nlearning_rate = 1\n", ":2:1: ", "; there is training.optimiser.learning_rate"),
            ("[model]\nheads = 2\n", ":2:1: ", "; there is model.decoder.attention.heads"),
            ("[training]\nsteps = \"many\"\n", ":2:1: ", 'training.steps: saw "many", needs a whole number of at least 1'),
            ("[training]\nsteps = 0\n", ":2:1: ", "training.steps: saw 0, needs a whole number of at least 1"),
            ("[training]\nsteps = 2.5\n", ":2:1: ", "training.steps: saw 2.5, needs a whole number"),
            ("[model.decoder]\nattention = { score = \"aditive\" }\n", ":2:15: ", 'did you mean "additive"?'),
            ("[modle]\n", ":1:2: ", 'did you mean "model"?'),
            ("[data\n", ":1:", ""),
            ("[data]\nsynth = dates\n", ":2:", ""),
            ("[data]\nsynth = \"dats\"\n", ":2:1: ", 'did you mean "dates"?'),
        ):
            (self.folder / "bad.toml").write_text(text)
            self.fails(2, message, "train", "bad.toml")
            self.fails(2, "bad.toml" + place, "train", "bad.toml")
        (self.folder / "bad.toml").write_text("")
        self.fails(2, "data: saw neither `synth` nor both `train` and `valid`", "train", "bad.toml")
        (self.folder / "bad.toml").write_text('[data]\ntrain = "absent.tsv"\nvalid = "absent.tsv"\n')
        self.fails(3, "absent.tsv: cannot open", "train", "bad.toml")
        self.fails(3, "absent.toml: cannot open", "train", "absent.toml")
        self.fails(3, "saw a directory, needs a file", "train", ".")

    def test_bad_settings(self):
        self.fails(2, "--set training.steps=0: training.steps: saw 0", "train", "tiny.toml", "--set", "training.steps=0")
        self.fails(2, 'did you mean "steps"?', "train", "--set", "training.stesp=1", "tiny.toml")
        self.fails(2, "needs PATH=VALUE", "train", "tiny.toml", "--set", "training.steps")
        self.fails(2, "model: ", "train", "tiny.toml", "-o", "never", "--set", "model.encoder={ kind = 'transformer', width = 6 }",
                   "--set", "model.encoder.self.heads=4")

    def test_divergence(self):
        err = self.train("-q", "-o", "far", "--set", "training.optimiser.learning_rate=1e30", "--set", "training.clip=0",
                         "--set", "training.steps=50", code=4)[1]
        self.assertRegex(err, r"heed: train: saw .* at step \d+, now 5 in a row that are not finite; lower the learning rate")

    def test_dry_run(self):
        self.train("--dry-run", "-o", "not/there/yet")
        out, err = self.train("--dry-run", "-o", "dry", "--set", "training.steps=5000", "--set", "training.metric=cer")
        self.assertIn("tiny: 60 training and 8 validation pairs", err)
        parameters = re.search(r"(?m)^parameters +(\d+)$", out).group(1)
        self.assertIn(f"{parameters} parameters", err)
        for line in (r"memory +[\d.]+ MB", r"disk +[\d.]+ kB in dry at most, where [\d.]+ [MG]B are free: .* a checkpoint, .* the model",
                     r"speed +\S+ ms a step, \d+ target tokens/s \(over \d+ steps\)",
                     r"time +about \S+: 5000 steps and 1667 validations of \S+"):
            self.assertRegex(out, rf"(?m)^{line}$")
        self.assertFalse((self.folder / "dry").exists())
        self.fails(2, 'did you mean "steps"?', "train", "--dry-run", "--set", "training.stesp=1", "tiny.toml")

    def test_fine_tuning(self):
        (self.folder / "tune.toml").write_text('[data]\nsynth = "reverse"\ntrain_examples = 20\nvalid_examples = 4\n'
                                               f'[training]\ninit = "{self.model}"\nsteps = 2\n')
        said = self.train("-o", "tuned", recipe="tune.toml")[1]
        self.assertIn(f"tune: starting from {self.model}, with its vocabularies", said)
        self.assertIn(f"init         {self.model}", self.heed("inspect", "tuned/model.safetensors")[0])
        self.assertIn("resuming after step 2", self.train("-o", "tuned", "--set", "training.steps=3", recipe="tune.toml")[1])
        self.assertRegex(self.train("--show", recipe="tune.toml")[0], r"(?m)^model\.decoder\.width +6 ")
        wider = self.train("-o", "wider", "--set", "model.decoder.width=7", recipe="tune.toml", code=2)[1]
        self.assertRegex(wider, r"heed: training.init: .*: saw decoder\S+ of shape .*, needs .* \(model.decoder.width was 6, is 7\)")
        self.fails(3, "absent.safetensors", "train", "tune.toml", "--set", "training.init=absent.safetensors")
        self.fails(2, "bad.toml:4:1: model.decoder.widht: saw a setting", "train", self.written("bad.toml", (
            f'[training]\ninit = "{self.model}"\n[model.decoder]\nwidht = 3\n')))

    def test_text_from_everywhere(self):
        pairs = "".join(f"{word}\t{word[::-1]}\n" for word in ("ab", "abc", "cab", "bac", "abca", "bcaa") * 5)
        (self.folder / "own.tsv").write_text(pairs)
        (self.folder / "bad.tsv").write_bytes(pairs.encode() + b"a\n\tb\na\xff\tb\n" + b"x" * 1000000 + b"\ty\n")
        task = ["--set", "data.synth=", "--set", "data.valid=own.tsv"]
        own = [*task, "--set", "data.train=own.tsv"]
        self.assertIn("tiny: 30 training and 30 validation pairs,", self.train("-o", "own-file", *own)[1])
        packed = gzip.compress(pairs.encode())
        for run, stdin in (("own-pipe", pairs.encode()), ("own-packed", packed)):
            self.heed("train", "tiny.toml", "-q", "-o", run, *task, "--set", "data.train=-", stdin=stdin)
            self.assertEqual((self.folder / run / "model.safetensors").read_bytes(),
                             (self.folder / "own-file/model.safetensors").read_bytes())
        self.assertIn("and 30 validation pairs, ", self.train("-o", "two", *own)[1])
        self.assertIn("and 6 validation pairs, ", self.train("-o", "grouped", *own, "--set", "data.group_references=true")[1])
        bad = ["train", "tiny.toml", "-o", "bad", *task, "--set", "data.train=bad.tsv"]
        self.fails(3, "bad.tsv:31: saw 1 columns, needs two", *bad)
        self.fails(3, "bad.tsv:32: saw no source, needs words on both sides", *bad, "--set", "data.skip=columns")
        self.fails(3, "bad.tsv:33: saw byte 0xFF at position 1, needs UTF-8", *bad, "--set", 'data.skip=["columns", "empty"]')
        self.fails(3, "bad.tsv:34: saw a line of more than 100000 bytes", *bad, "--set", 'data.skip=["columns", "empty", "encoding"]')
        err = self.heed(*bad, "--set", 'data.skip=["columns", "empty", "encoding", "long"]')[1]
        self.assertIn("tiny: left out of the training data: 1 with other columns (bad.tsv:31), 1 with an empty side (bad.tsv:32), "
                      "1 not UTF-8 (bad.tsv:33), 1 of too many bytes (bad.tsv:34)\n", err)
        self.fails(2, 'data.skip: saw "colums", needs any of encoding, columns, empty, long, unmatched; did you mean "columns"?',
                   *bad, "--set", "data.skip=colums")
        self.fails(2, 'data: saw "-" 2 times', "train", "tiny.toml", "-o", "bad", *task, "--set", "data.train=-", "--set", "data.valid=-")
        (self.folder / "cut.tsv.gz").write_bytes(packed[:-8])
        self.fails(3, "cut.tsv.gz:31: saw gzip data that ends too early", "train", "tiny.toml", "-o", "bad", *task,
                   "--set", "data.train=cut.tsv.gz")

    def written(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def test_what_a_run_leaves(self):
        self.train("-q", "-o", "left", "--set", "training.samples=2")
        run = self.folder / "left"
        text = (run / "samples/step-00000003.txt").read_text()
        self.assertEqual(re.sub(r"(?m) .*", "", text), "source\nreference\noutput\n\nsource\nreference\noutput\n")
        for drawing in run.glob("samples/*.svg"):
            self.assertTrue(xml.etree.ElementTree.parse(drawing).getroot().tag.endswith("svg"))
        self.assertEqual(len(list(run.glob("events.out.tfevents.*"))), 1)

    def test_stops_early_and_says_why(self):
        said = self.train("-o", "early", "--set", "training.steps=99", "--set", "training.patience=2", "--set", "training.min_gain=50")[1]
        self.assertRegex(said, r"stopping early after step 9: loss has not gained for 2 validations \(the best was \S+ at step 3\)")

    def test_a_full_disk_loses_nothing(self):
        small = self.folder / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True, check=False)
        if mounted.returncode:
            self.skipTest("only root may mount a file system that is small")
        try:
            more = ["--set", "training.steps=12", "--set", "training.save_every=2"]
            self.train("-q", "-o", "whole-disk", *more)
            self.train("-q", "-o", "small/run", "--set", "training.steps=4", "--set", "training.save_every=2")
            with open(small / "filler", "wb", buffering=0) as filler:
                try:
                    while filler.write(b"x" * 4096):
                        pass
                except OSError:
                    pass
            out, err = self.train("-q", "-o", "small/run", *more, code=5)
            self.assertEqual(out, "")
            warnings = [line for line in err.splitlines() if "is not saved: " in line]
            self.assertRegex(warnings[0], r"^warning: .*small/run/\S+: cannot \S+ it .* the last checkpoint is small/run/checkpoints/step-00000004")
            self.assertRegex(err.splitlines()[-1], r"^heed: small/run/\S+: cannot \S+ it .*: needs \d+ bytes, \d+ free; make room")
            (small / "filler").unlink()
            self.assertIn("resuming after step 4", self.train("-o", "small/run", *more)[1])
            for name in ("model.safetensors", "checkpoints/step-00000012.safetensors"):
                self.assertEqual((small / "run" / name).read_bytes(), (self.folder / "whole-disk" / name).read_bytes())
        finally:
            subprocess.run(["umount", small], check=True)

    def test_a_folder_that_cannot_be(self):
        self.assertIn("tiny.toml: cannot make this directory", self.train("-o", "tiny.toml", code=5)[1])

    def test_show(self):
        out, err = self.train("--show", "--set", "model.decoder.attention.score=cosine")
        self.assertEqual(err, "")
        self.assertRegex(out, r"(?m)^training\.steps +3 ")
        self.assertRegex(out, r'(?m)^model\.decoder\.attention\.score +"cosine" ')

    def test_own_corpus(self):
        (self.folder / "own.tsv").write_bytes("a b\tb a\r\nc d\td c\r\né 日\t日 é\r\n".encode())
        words = ["--set", "data.synth=", "--set", "data.train=own.tsv", "--set", "data.valid=own.tsv",
                 "--set", "data.source_tokens=words", "--set", "data.target_tokens=words"]
        self.assertIn("3 training and 3 validation pairs, 9 source", self.train("-o", "own", *words)[1])
        out, _ = self.heed("align", "-m", "own/model.safetensors", "--pairs", "own.tsv")
        self.assertEqual([len(line.split()) for line in out.splitlines()], [3, 3, 3])
        (self.folder / "own.tsv").write_text("a\tb\nno tab\n")
        self.fails(3, "own.tsv:2: saw 1 columns, needs two", "train", "tiny.toml", "-o", "own2", *words)


class BadModels(Cli):
    def test_files_that_are_no_model(self):
        good = (self.folder / self.model).read_bytes()
        middle = bytearray(good)
        middle[len(good) // 2] ^= 1
        for name, bytes_, message in (
            ("short", good[: len(good) // 2], ""),
            ("one-less", good[:-1], ""),
            ("flipped", bytes(middle), ""),
            ("empty", b"", ""),
            ("text", b"not a model, just text\n" * 9, ""),
        ):
            (self.folder / name).write_bytes(bytes_)
            for words in (["inspect", name], ["translate", "-m", name, "abc"], ["align", "-m", name, "a", "b"]):
                with self.subTest(words=words):
                    self.fails(3, f"{name}: {message}", *words)

    def test_no_file_and_a_folder(self):
        self.fails(3, "absent: cannot open (No such file or directory); check the path", "translate", "-m", "absent", "abc")
        self.fails(3, "run: saw a directory, needs a file; name a file in it", "translate", "-m", "run", "abc")
        self.fails(3, "run: saw a directory, needs a file", "inspect", "run")


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
        first, _ = self.translate(stdin=b"abc\n")
        self.fails(3, "standard input:2: saw byte 0xFF at position 1, needs UTF-8; convert the text", "translate", "-m", self.model,
                   stdin=b"abc\na\xff\ndef\n", printed=first)
        self.fails(2, "text: saw byte 0xFF at position 1, needs UTF-8", "translate", "-m", self.model, b"a\xff")

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
        self.assertRegex(hard, re.escape(text.rstrip("\n")) + r" \|\|\| \d+-\d+( \d+-\d+)*\n")
        soft, _ = self.translate("--alignment", "soft", "abc")
        rows = soft.split(" ||| ")[1].split()
        self.assertEqual({len(row.split(",")) for row in rows}, {4})
        listed, _ = self.translate("--n-best", "2", "--alignment", "hard", "abc")
        self.assertRegex(listed.splitlines()[1], r"^0 \|\|\| .* \|\|\| [-0-9 ]+ \|\|\| F0= -[0-9.]+ \|\|\| -[0-9.]+$")

    def test_an_ensemble(self):
        alone, _ = self.translate("--json", "abc")
        twice, _ = self.translate("-m", self.model, "--json", "abc")
        self.assertEqual(json.loads(alone)["tokens"], json.loads(twice)["tokens"])
        self.assertAlmostEqual(json.loads(alone)["score"], json.loads(twice)["score"], places=4)
        self.heed("train", "tiny.toml", "-q", "-o", "words", "--set", "data.source_tokens=words")
        self.fails(2, "with unequal source vocabularies, needs models that share both", "translate", "-m", self.model,
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
        self.assertEqual(err, "warning: line 2: saw a sentence of more than 4 tokens; it is translated in 2 parts\n")

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
        self.assertIn("\x1b[48;5;", self.draw("--draw", "--color", "always"))
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
            self.fails(2, "this model's decoder does not attend; leave out --alignment", "translate", "-m", blind, *words, "abc")
        self.assertNotIn("alignment", json.loads(self.heed("translate", "-m", blind, "--json", "abc")[0]))
        self.fails(2, "this model's decoder does not attend", "align", "-m", blind, "abc", "cba")


class Align(Cli):
    def test_hard_and_soft(self):
        hard, err = self.heed("align", "-m", self.model, "abc", "cb")
        self.assertEqual(err, "")
        links = [tuple(map(int, link.split("-"))) for link in hard.split()]
        self.assertEqual(links, sorted(links))
        self.assertEqual(sorted(target for _, target in links), [0, 1, 2])  # the end of sentence too
        soft, _ = self.heed("align", "-m", self.model, "--format", "soft", "abc", "cb")
        rows = [[float(weight) for weight in row.split(",")] for row in soft.split()]
        self.assertEqual([len(row) for row in rows], [4, 4, 4])
        for target, row in enumerate(rows):
            self.assertAlmostEqual(sum(row), 1, places=4)
            self.assertIn((row.index(max(row)), target), links)

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
        self.fails(2, "align: saw both a text and --pairs", "align", "-m", self.model, "--pairs", "x", "abc", "cba")
        self.fails(3, "standard input:1: saw 1 columns, needs two", "align", "-m", self.model, "--pairs", "-", stdin=b"abc\n")
        self.fails(3, "standard input:1: saw byte 0xFF", "align", "-m", self.model, "--pairs", "-", stdin=b"a\t\xff\n")


class Evaluate(Cli):
    """Against what sacreBLEU said of the same text (tests/fixtures/metrics.json)."""

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

    def test_several_are_aligned(self):
        lines = self.evaluate("-r", "ref1.txt", "out.txt").splitlines()
        self.assertEqual([line.split("|")[0].strip() for line in lines], ["BLEU", "chrF2", "TER"])
        self.assertEqual(len({line.index(" = ") for line in lines}), 1)
        self.assertEqual(self.evaluate("--metric", "chrf++,ter", "-r", "ref1.txt", "out.txt").split("|")[0].strip(), "chrF2++")

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
        self.fails(3, 'standard input:2: saw "0:0", needs links such as 0-2', "evaluate", "--links", "gold", stdin=b"0-0\n0:0\n")
        self.fails(3, 'told.first:1: saw "', "evaluate", "--links", "told.first", stdin=b"0-0\n")
        self.fails(2, "--metric: saw bleu, which compares text; give --reference", "evaluate", "--links", "gold", "-m", "bleu")
        self.fails(2, "--metric: saw aer, which compares alignments; give --links", "evaluate", "-r", "ref1.txt", "-m", "aer")

    def test_every_metric(self):
        parts = self.heed("inspect", "--parts")[0]
        names = re.findall(r"^  (\S+)", parts[parts.index("\nmetric\n") + 8 :], re.M)
        self.assertGreaterEqual(len(names), 13)
        for name in names:
            words = ["--links", "gold"] if name == "aer" else ["-r", "gold"]
            (self.folder / "gold").write_text("0-0 1p1 2-2\n0-0\n")
            self.assertIn("|bs:10|seed:12345", self.evaluate("-m", name, *words, "--confidence", "--samples", "10", stdin=b"0-0 1-1\n1-0\n"))

    def test_windows_lines(self):
        (self.folder / "dos").write_bytes(b"\xef\xbb\xbfa b\r\nc d\r\n")
        self.assertEqual(self.evaluate("-m", "exact_match", "-r", "dos", stdin=b"a b\nc d"), "exact_match|nrefs:1|case:mixed = 100.0\n")

    def test_what_is_wrong(self):
        for code, message, words in (
            (2, "evaluate: saw neither references nor links, needs --reference FILE, or --links FILE", ["out.txt"]),
            (2, "evaluate: saw both references and links", ["-r", "a", "--links", "b", "out.txt"]),
            (2, 'metric: saw "belu", needs one of', ["-m", "belu", "-r", "ref1.txt", "out.txt"]),
            (2, '--tokenize: saw "13b", needs one of 13a, zh, char, none, intl', ["--tokenize", "13b", "-r", "ref1.txt", "out.txt"]),
            (2, '--smooth: saw "add", needs one of', ["--smooth", "add", "-r", "ref1.txt", "out.txt"]),
            (2, "saw - more than once", ["-r", "-", "-"]),
            (2, "--sentence-level: saw more than that to do", ["--sentence-level", "-r", "ref1.txt", "out.txt"]),
            (3, "nowhere: ", ["-r", "nowhere", "out.txt"]),
            (3, "told.first:40: saw the last line here, needs 20 lines as out.txt has", ["-r", "told.first", "out.txt"]),
            (3, "told.first:40: saw the last line here, needs 20 lines", ["-r", "ref1.txt", "out.txt", "--paired", "told.first"]),
            (3, "/dev/null: saw no line, needs at least one", ["-r", "ref1.txt", "/dev/null"]),
        ):
            self.fails(code, message, "evaluate", *words)
        self.fails(3, "standard input:2: saw byte 0xFF at position 1, needs UTF-8", "evaluate", "-r", "ref1.txt", stdin=b"a\nb\xff\n")
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
        self.assertEqual([word for word, _ in words["words"]], ["c", "b", "a", "</s>"])
        self.assertAlmostEqual(sum(log_p for _, log_p in words["words"]), words["log_probability"], places=9)

    def test_it_is_what_translate_says(self):
        found = json.loads(self.translate("--json", "--beam", "8", "--length-norm", "none", "abc")[0])
        if found["tokens"][-1] == "</s>" and "<unk>" not in found["tokens"]:
            out = self.score("-", stdin=f"abc\t{found['text']}\n".encode())
            self.assertAlmostEqual(float(out.split("\t")[0]), found["log_probability"], places=3)

    def test_wrong_pairs(self):
        words = ["score", "-m", self.model]
        self.assertEqual(self.score(stdin=b"abc\tcba\n"), self.score("-", stdin=b"abc\tcba\n"))
        self.fails(2, "score: saw one side without the other", *words, "--source", "x")
        self.fails(2, "score: saw both PAIRS and other files", *words, "x", "--source", "x", "--target", "y")
        self.fails(3, "standard input:1: saw 1 columns, needs two", *words, "-", stdin=b"abc\n")
        self.fails(3, "score: saw pair 2 with an empty source", *words, "-", stdin=b"a\tb\n\tb\n")
        self.fails(3, "absent: cannot open", *words, "absent")
        self.fails(2, "score: saw no --model, and no model comes with this heed", "score", "-", HEED_MODELS="", program=self.alone())


class Shelf(Cli):
    def shelf(self):
        folder = self.folder / "shelf"
        folder.mkdir(exist_ok=True)
        (folder / "tiny.safetensors").write_bytes((self.folder / self.model).read_bytes())
        return str(folder)

    def test_models_are_listed_and_found_by_name(self):
        shelf = self.shelf()
        out, err = self.heed("models", HEED_MODELS=shelf)
        self.assertEqual(err, "")
        self.assertRegex(out.splitlines()[0], r"^name +languages +domain +MB score$")
        self.assertRegex(out, r"(?m)^tiny +reversed +letters for tests +0\.0 ")
        one = json.loads(self.heed("models", "--json", HEED_MODELS=shelf)[0].splitlines()[0])
        self.assertEqual((one["name"], one["languages"], one["recipe"]), ("tiny", "reversed", "tiny"))
        said, _ = self.translate("abc")
        self.assertEqual(self.heed("translate", "-m", "tiny", "abc", HEED_MODELS=shelf)[0], said)
        self.assertEqual(self.heed("translate", "abc", HEED_MODELS=shelf)[0], said)

    def test_a_broken_one_is_named(self):
        folder = self.folder / "broken"
        folder.mkdir()
        (folder / "bad.safetensors").write_bytes(b"no model")
        out, err = self.heed("models", code=3, HEED_MODELS=str(folder))
        self.assertIn("warning: " + str(folder / "bad.safetensors"), err)

    def test_doctor(self):
        out, err = self.heed("doctor", HEED_MODELS=self.shelf())
        self.assertEqual(err, "")
        for key in ("system", "cpu", "memory", "vectors", "backends", "threads", "models"):
            self.assertRegex(out, rf"(?m)^{key} +\S")
        self.assertRegex(out, r"(?m)^ok +cpu equals reference$")
        self.assertNotIn("FAILS", out)
        seen = json.loads(self.heed("doctor", "--json", "--threads", "1", HEED_MODELS=self.shelf())[0])
        self.assertEqual(seen["threads"], 1)
        self.assertTrue(all(check["holds"] for check in seen["self_test"]))
        self.assertIn(f"{self.folder}/shelf/tiny.safetensors", seen["models"])


class Pages(Cli):
    """Completions and man pages say what --help says."""

    def options(self, verb):
        columns = re.findall(r"^  (-[^\s,]+(?:, -[^\s,]+)*)", self.heed(verb, "--help")[0], re.M)
        self.assertTrue(columns)
        return {name for column in columns for name in column.split(", ")}

    def verbs(self):
        return re.findall(r"^  ([a-z]+) ", self.heed("--help")[0].split("Verbs:")[1], re.M)

    def test_bash_completes(self):
        script, err = self.heed("completion", "bash")
        self.assertEqual(err, "")

        def complete(*words):
            code = script + f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n_heed\n" \
                            'printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=self.folder).stdout.split()
        self.assertLessEqual(set(self.verbs()), set(complete("heed", "")))
        self.assertEqual(complete("heed", "tran"), ["translate"])
        self.assertEqual(complete("heed", "translate", "--length-norm", ""), ["none", "wu", "length"])
        self.assertIn("tiny.toml", complete("heed", "train", "ti"))
        self.assertIn("fish", complete("heed", "completion", "f"))
        self.assertNotIn("bash", complete("heed", "completion", "f"))
        for verb in self.verbs():
            self.assertLessEqual(self.options(verb), set(complete("heed", verb, "-")), verb)

    def test_other_shells_name_every_option(self):
        zsh, fish = self.heed("completion", "zsh")[0], self.heed("completion", "fish")[0]
        for verb in self.verbs():
            for option in self.options(verb):
                self.assertIn(f"*{option}[", zsh)
                self.assertRegex(fish, (r" -l " if option.startswith("--") else r" -s ") + re.escape(option.lstrip("-")) + " ")
        self.fails(2, 'shell: saw "tcsh", needs one of bash, zsh, fish', "completion", "tcsh")
        self.fails(2, "completion: saw no shell, needs one", "completion")

    def test_man_pages(self):
        self.heed("manual", "--into", "man")
        self.assertEqual({page.name for page in (self.folder / "man").iterdir()},
                         {"heed.1", *(f"heed-{verb}.1" for verb in self.verbs())})
        for verb in self.verbs():
            page = (self.folder / f"man/heed-{verb}.1").read_text()
            self.assertEqual(page, self.heed("manual", verb)[0])
            for option in self.options(verb):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)
        self.assertIn(".SH EXIT STATUS", self.heed("manual")[0])
        self.fails(2, 'did you mean "translate"?', "manual", "translat")


class Inspect(Cli):
    def test_a_model(self):
        out, err = self.heed("inspect", self.model)
        self.assertEqual(err, "")
        self.assertRegex(out, r"(?m)^recipe +tiny$")
        self.assertRegex(out, r"(?m)^parameters +\d+$")
        config = json.loads(out[out.index("\n{") : out.index("\n}") + 2])
        self.assertEqual(config["decoder"]["width"], 6)

    def test_a_checkpoint_too(self):
        self.assertIn("parameters", self.heed("inspect", "run/checkpoints/step-00000003.safetensors")[0])

    def test_parts(self):
        out, _ = self.heed("inspect", "--parts")
        for kind in ("score", "normaliser", "focus", "encoder", "decoder"):
            self.assertRegex(out, rf"(?m)^{kind}$")
        self.assertRegex(out, r"(?m)^  additive \(mlp\) \(concat\) +vᵀ")


class Synth(Cli):
    def test_examples(self):
        out, err = self.heed("synth", "dates", "-n", "5")
        self.assertEqual(err, "")
        self.assertEqual(len(out.splitlines()), 5)
        for line in out.splitlines():
            self.assertRegex(line, r"^[^\t]+\t\d{4}-\d\d-\d\d$")
        self.assertEqual(self.heed("synth", "dates", "-n", "5")[0], out)
        self.assertNotEqual(self.heed("synth", "dates", "-n", "5", "--seed", "2")[0], out)
        self.assertNotEqual(self.heed("synth", "dates", "-n", "5", "--split", "test")[0], out)
        self.assertEqual(self.heed("synth", "dates", "-n", "0"), ("", ""))
        self.fails(2, '-n: saw "-1", needs a whole number of at least 0', "synth", "dates", "-n", "-1")


class Demo(Cli):
    def test_runs(self):
        folder = self.folder / "demo"
        done = subprocess.run([ROOT / "tools/demo", HEED], env={**ENVIRONMENT, "HEED_DEMO": str(folder)}, capture_output=True,
                              encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  Tom is my best friend.                   汤姆是我最好的朋友。\n", done.stdout)
        self.assertRegex(done.stdout, "钢 +██\n琴 +██\n")  # looks at the piano
        self.assertEqual((folder / "attention.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    HEED = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
