"""train_test.py HEED: training a tiny model: resuming, signals, settings, what a run leaves behind."""
import gzip
import json
import re
import signal
import subprocess
import time
import tomllib
import unittest
import xml.etree.ElementTree

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


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

    def test_every_recipe_and_every_row_of_the_results_can_be_read(self):
        rows = tomllib.loads((ROOT / "docs/results.toml").read_text(encoding="utf-8"))["row"]
        asked = [(path, []) for path in sorted((ROOT / "recipes").glob("*.toml"))] + [(ROOT / row["recipe"], row.get("set", [])) for row in rows]
        for recipe, settings in asked:
            with self.subTest(recipe=recipe.name, settings=settings):
                own = tomllib.loads(recipe.read_text(encoding="utf-8"))
                more = ['training.init=""'] if own["training"].get("init", "").startswith("runs/") else []
                words = [word for setting in [*settings, *more] for word in ("--set", setting)]
                self.heed("train", str(recipe), "--show", *words, HEED_DATA="data", HEED_MODELS=str(ROOT / "models"))

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
        self.assertIn("another process is training in it; wait, or choose another folder", self.heed("train", "tiny.toml", "-o", run.name, code=2)[1])
        process.send_signal(which)
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, code, err)
        self.assertEqual(out, b"")
        self.assertIn(b"to continue, run the same command again", err)
        step = int(re.search(rb"interrupted after step (\d+); saved as", err).group(1))
        self.assertTrue((run / f"checkpoints/step-{step:08}.safetensors").exists())
        said = self.heed(*words, "--set", f"training.steps={step + 2}")[1]
        self.assertIn(f"resuming after step {step} from", said)
        self.assertIn(f"all {step + 2} steps are done", said)

    def test_ctrl_c_saves_and_goes_on(self):
        self.interrupted(signal.SIGINT, 130)

    def test_a_polite_end_saves_and_goes_on(self):
        self.interrupted(signal.SIGTERM, 143)

    def loading(self, run, setting="data.train_examples=50000000"):
        """A training that takes a minute before its first step, at work on it."""
        process = subprocess.Popen([HEED, "train", "tiny.toml", "-o", run, "--set", setting], cwd=self.folder,
                                   env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        until = time.monotonic() + 100
        while not (self.folder / run / "checkpoints").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        return process

    def test_signals_end_it_at_once_while_data_loads_and_weights_are_drawn(self):
        for setting in ("data.train_examples=50000000", 'model.encoder={kind="gru",width=2000}'):
            for which in (signal.SIGINT, signal.SIGTERM):
                process = self.loading("endless", setting)
                process.send_signal(which)
                began = time.monotonic()
                process.communicate(timeout=30)
                self.assertEqual(process.returncode, -which)
                self.assertLess(time.monotonic() - began, 10)
        self.train("-o", "endless")  # and leaves a folder that can be used

    def test_a_folder_is_claimed_before_data_load(self):
        process = self.loading("claimed")
        try:
            self.fails_with("another process is training in it; wait, or choose another folder", "-o", "claimed", "--set", "data.train_examples=50000000")
            (self.folder / "claimed/lock").unlink()
            self.fails_with("another process is training in it; wait, or choose another folder", "-o", "claimed", "--set", "data.train_examples=50000000")
        finally:
            process.kill()
            process.communicate()
        (self.folder / "file").write_text("")
        out, err = self.train("-o", "file/run", "--set", "data.train_examples=50000000", code=5)
        self.assertIn("cannot make this directory", err)
        self.heed("train", "tiny.toml", "-o", "never", "--set", "data.synth=", "--set", "data.train=none.tsv", "--set", "data.valid=none.tsv",
                  code=3)
        self.assertFalse((self.folder / "never").exists())

    def test_bad_recipes(self):
        for text, place, message in (
            ("[training]\nstesp = 5\n", ":2:1: ", 'training.stesp: unknown setting; did you mean "steps"?'),
            ("[training]\nstesp = 5\n", ":2:1: ", 'did you mean "steps"?'),
            ("[training]\nbatch_size = 5\n", ":2:1: ", "training.batch_size: unknown setting; in heed it is training.batch_sentences"),
            ("[training]\nlearning_rate = 1\n", ":2:1: ", "; in heed it is training.optimiser.learning_rate"),
            ("[model]\nheads = 2\n", ":2:1: ", "; there is model.decoder.attention.heads"),
            ("[training]\nsteps = \"many\"\n", ":2:1: ", 'training.steps: must be a whole number from 1 to 1000000000000'),
            ("[training]\nsteps = 0\n", ":2:1: ", "training.steps: must be a whole number from 1 to 1000000000000"),
            ("[training]\nsteps = 2.5\n", ":2:1: ", "training.steps: must be a whole number"),
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
        self.fails(2, "data: there is nothing to learn from; name a task (`synth`), or the files `train` and `valid`", "train", "bad.toml")
        (self.folder / "bad.toml").write_text('[data]\ntrain = "absent.tsv"\n')
        self.fails(2, 'data: there is no validation data; set valid = "FILE", or hold_out = 500 to take the last rows of train', "train", "bad.toml")
        (self.folder / "bad.toml").write_text('[data]\ntrain = "absent.tsv"\nvalid = "absent.tsv"\n')
        self.fails(3, "absent.tsv: cannot open", "train", "bad.toml")
        self.fails(3, "absent.toml: cannot open", "train", "absent.toml")
        self.fails(3, "this is a directory, not a file; name", "train", ".")

    def test_steps_and_epochs(self):
        text = (self.folder / "tiny.toml").read_text()
        self.written("passes.toml", text.replace("steps = 3\n", "epochs = 1\n"))
        self.written("both.toml", text.replace("steps = 3\n", "steps = 3\nepochs = 1\n"))
        self.fails(2, "both.toml:16:1: training.steps: 3 has no effect while epochs = 1; leave one out (--set training.epochs=0)", "train", "both.toml")
        err = self.train("-o", "five", "--set", "training.steps=5", recipe="passes.toml")[1]
        self.assertIn("steps = 5 of --set replaces epochs = 1 of passes.toml\n", err)
        self.assertIn("all 5 steps are done", err)
        err = self.train("-o", "eight", "--set", "training.epochs=1")[1]
        self.assertIn("epochs = 1 of --set replaces steps = 3 of tiny.toml\n", err)
        self.assertIn("all 8 steps are done", err)

    def test_settings_in_other_words(self):
        for words, hint in ((("--epochs", "3"), "--epochs; that is a setting: --set training.epochs=3"),
                            (("--lr=0.1",), "--lr; that is a setting: --set training.optimiser.learning_rate=0.1"),
                            (("--batch-size", "64"), "--set training.batch_sentences=64 or --set training.batch_tokens=64"),
                            (("--resume",), "--resume; a run continues by itself when the same command is given again"),
                            (("--device", "cpu"), 'did you mean "--backend"?')):
            self.fails(2, f"train: unknown option {words[0].split('=')[0]}", "train", "tiny.toml", *words)
            self.fails(2, hint, "train", "tiny.toml", *words)
        self.fails(2, "--set model.encoder.kind=LSTMM: model.encoder: unknown", "train", "tiny.toml", "--set", "model.encoder.kind=LSTMM")

    def test_names_that_are_nearly_those_of_recipes(self):
        (self.folder / "shelf").mkdir()
        for name in ("days", "days-a", "days-b", "days-c", "days-d", "days-e", "days-f", "month-a"):
            (self.folder / f"shelf/{name}.toml").write_text("")
        shelf = {"HEED_RECIPES": "shelf"}
        self.fails(3, 'called "days-"; there are days-a, days-b, days-c, days-d, days-e, days-f\n', "train", "days-", **shelf)
        self.fails(3, 'called "day"; there are days, days-a, days-b, days-c, days-d, days-e and 1 more\n', "train", "day", **shelf)
        self.fails(3, 'called "month"; did you mean "month-a"?', "train", "month", **shelf)
        self.fails(3, 'called "tiny"; did you mean "tiny.toml"?', "train", "tiny", **shelf)

    def test_a_model_is_no_recipe(self):
        self.fails(2, "model.safetensors: this is no recipe (a TOML file of at most 1 MB)", "train", self.model)

    def test_what_another_run_makes(self):
        text = '# A made-up recipe:\n#   heed train first.toml\n\n[data]\ntrain = "runs/first/train.tsv"\nvalid = "tiny.toml"\n'
        self.written("second.toml", text)
        self.fails(3, "runs/first/train.tsv: cannot open", "train", "second.toml")
        self.fails(3, "; the head of second.toml says how to make runs/first/train.tsv", "train", "second.toml")
        self.fails(3, "; the head of second.toml says how to make runs/first/train.tsv", "train", "second.toml", "--dry-run")
        self.assertNotIn("the head of", self.heed("train", "second.toml", "--set", "data.train=runs/mine.tsv", code=3)[1])
        self.written("second.toml", text[text.index("[data]"):])
        self.assertNotIn("the head of", self.heed("train", "second.toml", code=3)[1])

    def test_everything_wrong_in_a_recipe_is_said_at_once_in_file_order(self):
        (self.folder / "bad.toml").write_text(
            "[training]\nstesp = 5\nclip = -1\nseed = 2021-05-03\n\n[modle]\n\n[data]\nsynth = \"dats\"\n\n[model.encoder]\n"
            "kind = \"transformer\"\nwidth = 4611686018427387904\nposition = { kind = \"learned\", maximun = 9 }\n")
        lines = self.heed("train", "bad.toml", "--set", "training.keep=1", code=2)[1].splitlines()
        expected = (
            ("heed: bad.toml:2:1: training.stesp: ", '; did you mean "steps"?'),
            ("heed: bad.toml:3:1: training.clip: must be a number from 0 to 1000000000000", ""),
            ("heed: bad.toml:4:1: training.seed: a date or time is no setting; write text in quotes, a number, true or false", ""),
            ("heed: bad.toml:6:2: modle: ", '; did you mean "model"?'),
            ("heed: bad.toml:9:1: data.synth: ", '; did you mean "dates"?'),
            ("heed: bad.toml:13:1: model.encoder.width: must be a whole number from 1 to 65536", ""),
            ("heed: bad.toml:14:32: model.encoder.position.maximun: ", '; did you mean "maximum"?'),
            ("heed: --set training.keep=1: training.keep: must be a whole number from 2", ""),
        )
        self.assertEqual(len(lines), len(expected), lines)
        for line, (start, end) in zip(lines, expected):
            self.assertTrue(line.startswith(start) and line.endswith(end), (line, start, end))

    def test_bad_settings(self):
        for path in ("model.encoder.width", "model.embedding", "training.batch_sentences", "training.pool", "training.accumulate",
                     "data.valid_examples", "model.decoder.attention.score.width"):
            self.fails(2, f"{path}: must be a whole number from", "train", "tiny.toml",
                       "--set", "model.decoder.attention.score=additive", "--set", f"{path}=4611686018427387904")
        self.fails(2, "--set training.steps=0: training.steps: must be a whole number", "train", "tiny.toml", "--set", "training.steps=0")
        self.fails(2, 'did you mean "steps"?', "train", "--set", "training.stesp=1", "tiny.toml")
        self.fails(2, "must be PATH=VALUE", "train", "tiny.toml", "--set", "training.steps")
        self.fails(2, "model: ", "train", "tiny.toml", "-o", "never", "--set", "model.encoder={ kind = 'transformer', width = 6 }",
                   "--set", "model.encoder.self.heads=4")

    WILD = ("--set", "training.optimiser.kind=sgd", "--set", "training.optimiser.learning_rate=1e6", "--set",
            "training.optimiser.weight_decay=1e6", "--set", "training.clip=0")

    def test_divergence(self):
        err = self.train("-q", "-o", "far", *self.WILD, "--set", "training.steps=50", code=4)[1]
        self.assertRegex(err, r"heed: train: .* at step \d+, now 5 in a row that are not finite; lower the learning rate, warm up longer or clip harder; the last checkpoint is")

    def test_no_finite_validation(self):
        err = self.train("-o", "none-finite", *self.WILD, "--set", "training.steps=20", "--set", "training.most_skipped=1000", "--set",
                         "training.validate_every=20", code=4)[1]
        self.assertIn("step 20: validation loss not a number, none was finite yet\n", err)
        self.assertIn("heed: train: no validation was finite, so there is no model; lower the learning rate", err)
        self.assertNotIn("nan", err)
        self.assertFalse((self.folder / "none-finite/model.safetensors").exists())

    def test_dry_run(self):
        self.train("--dry-run", "-o", "not/there/yet")
        out, err = self.train("--dry-run", "-o", "dry", "--set", "training.steps=5000", "--set", "training.metric=cer")
        self.assertIn("tiny: 60 training and 8 validation pairs", err)
        parameters = re.search(r"(?m)^parameters +(\d+)$", out).group(1)
        self.assertIn(f"{parameters} parameters", err)
        for line in (r"memory +[\d.]+ MB", r"disk +[\d.]+ kB in dry at most, where [\d.]+ [MG]B are free: .* a checkpoint, .* the model",
                     r"speed +\S+ m?s a step, \d+ target tokens/s \(over \d+ steps\)",
                     r"time +about \S+: 5000 steps and 1667 validations of \S+"):
            self.assertRegex(out, rf"(?m)^{line}$")
        self.assertFalse((self.folder / "dry").exists())
        self.fails(2, 'did you mean "steps"?', "train", "--dry-run", "--set", "training.stesp=1", "tiny.toml")

    def test_a_dry_run_misses_every_file_that_the_run_would_miss(self):
        (self.folder / "pairs.tsv").write_text("a\tb\nc\td\n")
        (self.folder / "names.tsv").write_text("no/such\tb\n")
        pairs = ("data.synth=", "data.train=pairs.tsv", "data.valid=pairs.tsv")
        names = ("data.synth=", "data.train=names.tsv", "data.valid=names.tsv")
        pixels = ("model.front=stages", "model.encoder=identity")
        for settings in (
                ("teacher.model=no/such",), ("training.init=no/such",), ("data.vocabulary_of=no/such",),
                ("data.synth=", "data.train=no/such", "data.valid=pairs.tsv"), ("data.synth=", "data.train=pairs.tsv", "data.valid=no/such"),
                (*pairs, "data.train_target=no/such"), (*pairs, "data.valid_target=no/such"),
                ('training.objectives=[{kind="teacher_forcing"},{kind="alignment",links="no/such"}]',),
                ('model.decoder.attention.score={kind="bilinear",given="no/such"}',),
                (*names, *pixels, 'data.source={kind="picture",side=16}'),
                (*names, *pixels, 'data.source={kind="picture",side=16,archive="no/such.tar"}'),
                (*pairs, *pixels, 'data.source={kind="picture",side=16,folder="no/such"}'),
                (*names, "model.front=frames", 'data.source={kind="features",width=8}'), (*names, "model.front=frames", "data.source=sound"),
                ("data.synth=shapes", "data.source=picture", 'model.front={kind="convolutional",network="no/such"}', pixels[1])):
            with self.subTest(settings=settings):
                words = [word for setting in settings for word in ("--set", setting)]
                missed = self.train("-o", "missing", *words, code=3)[1].splitlines()[-1]
                self.assertIn("no/such", missed)
                self.assertEqual(self.train("--dry-run", "-o", "missing", *words, code=3)[1].splitlines()[-1], missed)
                self.assertFalse((self.folder / "missing").exists())

    def test_fine_tuning(self):
        (self.folder / "tune.toml").write_text('[data]\nsynth = "reverse"\ntrain_examples = 20\nvalid_examples = 4\n'
                                               f'[training]\ninit = "{self.model}"\nsteps = 2\n')
        said = self.train("-o", "tuned", recipe="tune.toml")[1]
        self.assertIn(f"tune: starting from {self.model}, with its vocabularies", said)
        self.assertIn(f"init         {self.model}", self.heed("inspect", "tuned/model.safetensors")[0])
        self.assertIn("resuming after step 2", self.train("-o", "tuned", "--set", "training.steps=3", recipe="tune.toml")[1])
        self.assertRegex(self.train("--show", recipe="tune.toml")[0], r"(?m)^model\.decoder\.width +6 ")
        wider = self.train("-o", "wider", "--set", "model.decoder.width=7", recipe="tune.toml", code=2)[1]
        self.assertRegex(wider, r"heed: training.init: .*: its decoder\S+ has the shape .*, but this recipe's has .* \(model.decoder.width was 6, is 7\)")
        self.fails(3, "absent.safetensors", "train", "tune.toml", "--set", "training.init=absent.safetensors")
        self.fails(2, "bad.toml:4:1: model.decoder.widht: unknown setting of attend_first; did you mean", "train", self.written("bad.toml", (
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
        self.fails(3, "bad.tsv:31: there is 1 column, but must be two", *bad)
        self.fails(3, "bad.tsv:32: the source is empty", *bad, "--set", "data.skip=columns")
        self.fails(3, "bad.tsv:33: byte 0xFF at position 1 is not UTF-8; convert the text to UTF-8", *bad, "--set", 'data.skip=["columns", "empty"]')
        self.fails(3, "bad.tsv:34: the line is longer than 100000 bytes; is it text?", *bad, "--set", 'data.skip=["columns", "empty", "encoding"]')
        err = self.heed(*bad, "--set", 'data.skip=["columns", "empty", "encoding", "long"]')[1]
        self.assertIn("tiny: left out of the training data: 1 with other columns (bad.tsv:31), 1 with an empty side (bad.tsv:32), "
                      "1 not UTF-8 (bad.tsv:33), 1 of too many bytes (bad.tsv:34)\n", err)
        self.fails(2, 'data.skip: unknown "colums"; choose any of encoding, columns, empty, long, unmatched, damaged; did you mean "columns"?',
                   *bad, "--set", "data.skip=colums")
        self.fails(2, 'data: "-" is named 2 times, but standard input can be read only once; name files for the others', "train", "tiny.toml", "-o", "bad", *task, "--set", "data.train=-", "--set", "data.valid=-")
        (self.folder / "cut.tsv.gz").write_bytes(packed[:-8])
        self.fails(3, "cut.tsv.gz:31: the gzip data ends too early", "train", "tiny.toml", "-o", "bad", *task,
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
        self.assertIn("3 training and 3 validation pairs, a source of 9 tokens (words)", self.train("-o", "own", *words)[1])
        out, _ = self.heed("align", "-m", "own/model.safetensors", "--pairs", "own.tsv", "--ends")
        self.assertEqual([len(line.split()) for line in out.splitlines()], [3, 3, 3])
        (self.folder / "own.tsv").write_text("a\tb\nno tab\n")
        self.fails(3, "own.tsv:2: there is 1 column, but must be two", "train", "tiny.toml", "-o", "own2", *words)


if __name__ == "__main__":
    unittest.main()
