"""errors_test.py HEED: the error messages and exit codes of every verb.

The first class tests every verb and every option that --help lists; the others test each verb's own messages.
"""
import gzip
import hashlib
import json
import os
import re
import struct
import subprocess
import unittest

from cli import ENVIRONMENT, HEED, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

BAD = b"a\xff"  # no UTF-8
BAD_TEXT = "byte 0xFF at position 1 is not UTF-8; convert the text to UTF-8"


class EveryVerb(Cli):
    """Reads the tables of --help, so that new verbs and options are tested as well."""

    def verbs(self):
        return re.findall(r"^  ([a-z]+) ", self.heed("--help")[0].split("Verbs:")[1], re.M)

    def options(self, verb):
        """(names, whether it takes a value) of every option."""
        found = re.findall(r"^  (-[^\s,]+(?:, ?-[^\s,]+)*)( [A-Z][A-Z=]*)?", self.heed(verb, "--help")[0], re.M)
        self.assertTrue(found)
        return [(re.split(", ?", names), bool(value)) for names, value in found if "--help" not in names]

    def test_options_that_there_are_not(self):
        for verb in self.verbs():
            self.fails(2, f"{verb}: unknown option --no-such-thing", verb, "--no-such-thing")
            self.fails(2, f"{verb}: unknown option -Z; see heed {verb} --help", verb, "-Z")

    def test_a_misspelt_option_is_recognised(self):
        for verb in self.verbs():
            for names, _ in self.options(verb):
                name = max(names, key=len)
                if len(name) >= 7:
                    wrong = name[:-2] + name[-1] + name[-2] if name[-1] != name[-2] else name[:-1]
                    self.fails(2, f'{verb}: unknown option {wrong}; did you mean "--', verb, wrong)

    def test_values_that_are_missing(self):
        for verb in self.verbs():
            for names, takes_value in self.options(verb):
                for name in names if takes_value else []:
                    out, err = self.heed(verb, name, code=2)
                    self.assertEqual(out, "")
                    self.assertRegex(err, rf"\Aheed: {verb}: -\S+ needs a value behind it; see heed {verb} --help\n\Z", (verb, name))

    def test_a_flag_takes_no_value(self):
        for verb in self.verbs():
            for names, takes_value in self.options(verb):
                if not takes_value:
                    out, err = self.heed(verb, f"{max(names, key=len)}=maybe", code=2)
                    self.assertEqual(out, "")
                    self.assertRegex(err, r"\Aheed: [^\n]+\n\Z")

    def test_words_too_many(self):
        for verb in self.verbs():
            if verb in ("caption", "transcribe"):  # a model comes with heed, and nine pictures or recordings are not too many
                continue
            _, err = self.heed(verb, *["one"] * 9, code=2)
            self.assertRegex(err, rf"\Aheed: {verb}: [^\n]+\n\Z")

    def test_threads(self):
        for verb in ("translate", "doctor"):
            self.fails(2, '--threads: must be a whole number from 0 to 1024', verb, "--threads", "many")
        self.fails(2, 'HEED_THREADS: must be a whole number from 1 to', "translate", "-m", self.model, "abc", HEED_THREADS="two")
        self.fails(2, 'HEED_THREADS: must be a whole number from 1 to', "doctor", HEED_THREADS="0")

    def test_memory_has_a_limit(self):
        self.fails(2, '--memory-limit: must be a whole number from 0 to', "translate", "-m", self.model, "abc", "--memory-limit", "much")
        many = ["translate", "-m", self.model, "--beam", "1000", "a" * 400]
        self.fails(1, "memory: ", *many, "--memory-limit", "1")
        self.heed("translate", "-m", self.model, "abc", "--memory-limit", "1")

    def test_a_disk_that_is_full(self):
        for words in (["translate", "-m", self.model, "abc"], ["align", "-m", self.model, "abc", "cba"], ["inspect", self.model],
                      ["inspect", "--parts"], ["models"], ["doctor"], ["completion", "bash"], ["manual"], ["train", "tiny.toml", "--show"],
                      ["--help"], ["translate", "--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([HEED, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, check=False,
                                      env={**ENVIRONMENT, "HEED_MODELS": str(self.folder / "run")})
            self.assertEqual(done.returncode, 5, (words, done.stderr))
            self.assertRegex(done.stderr.decode(), r"\Aheed: [^\n]*(No space left on device|cannot write)[^\n]*\n\Z", words)


class Descriptors(Cli):
    """What the program was started with may be closed or full."""

    def shell(self, command):
        return subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, check=False,
                              env={**ENVIRONMENT, "HEED": HEED, "MODEL": str(self.model)})

    def test_an_error_that_cannot_be_printed_keeps_its_code(self):
        for where in ("/dev/full", "&-"):
            self.assertEqual(self.shell(f'"$HEED" nosuchverb 2>{where}').returncode, 2, where)
            self.assertEqual(self.shell(f'"$HEED" inspect nosuchfile 2>{where}').returncode, 3, where)

    def test_nothing_is_written_into_a_result_because_a_descriptor_is_closed(self):
        self.shell('"$HEED" translate -m "$MODEL" --svg open.svg abc')
        done = self.shell('"$HEED" translate -m "$MODEL" --svg closed.svg abc >&- 2>&-')
        self.assertEqual(done.returncode, 5)
        self.assertEqual((self.folder / "closed.svg").read_bytes(), (self.folder / "open.svg").read_bytes())
        done = self.shell('"$HEED" train tiny.toml -o mute <&- >&- 2>&-')
        self.assertEqual(done.returncode, 0)
        for line in (self.folder / "mute/metrics.jsonl").read_text().splitlines():
            self.assertIn("step", json.loads(line))

    def test_a_closed_input_is_not_the_model(self):
        done = self.shell('"$HEED" translate -m "$MODEL" <&-')
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertIn(b"standard input: cannot read", done.stderr)


class Echoes(Cli):
    """Nothing that comes from outside moves the cursor or colours the terminal."""

    def renamed(self, text):
        """The model with this as its task, and the digest that fits."""
        whole = (self.folder / self.model).read_bytes()
        size = struct.unpack("<Q", whole[:8])[0]
        header = json.loads(whole[8:8 + size])
        header["__metadata__"] |= {"about.task": text, "sha256": "0" * 64}
        written = json.dumps(header, separators=(",", ":")).encode()
        changed = struct.pack("<Q", len(written)) + written + whole[8 + size:]
        changed = changed.replace(b"0" * 64, hashlib.sha256(changed).hexdigest().encode(), 1)
        path = self.folder / "escapes.safetensors"
        path.write_bytes(changed)
        return path

    def test_control_characters_are_spelled_out(self):
        evil = "\x1b[31m\x07\u202e"
        (self.folder / "evil.toml").write_text((self.folder / "tiny.toml").read_text() + '\n["a\\u001b[31m"]\nb = 1\n')
        for words, code in ((["inspect", self.renamed(evil)], 0), ([evil], 2), (["translate", "--" + evil], 2), (["train", evil], 3),
                            (["train", "evil.toml"], 2), (["train", "tiny.toml", "--set", f"model.{evil}=1"], 2)):
            done = subprocess.run([HEED, *words], cwd=self.folder, env=ENVIRONMENT, capture_output=True, check=False)
            said = (done.stdout + done.stderr).decode()
            self.assertEqual(done.returncode, code, said)
            for letter in evil[0] + evil[-2:]:
                self.assertNotIn(letter, said, words)


class NoFiles(Cli):
    """What has a file's name and is none: nothing waits for it."""

    def test_named_pipes_and_devices(self):
        os.mkfifo(self.folder / "pipe.safetensors")
        for words in (("inspect", "pipe.safetensors"), ("translate", "-m", "pipe.safetensors", "abc"), ("train", "pipe.safetensors")):
            self.fails(3, "pipe.safetensors: this is a named pipe, not a file; name a regular file", *words)
            self.fails(3, "/dev/zero: this is a device, not a file; name a regular file", *("/dev/zero" if "pipe" in word else word for word in words))
        shelf = self.folder / "shelf"
        shelf.mkdir()
        os.mkfifo(shelf / "one.safetensors")
        self.assertIn("this is a named pipe", self.heed("models", code=3, HEED_MODELS=str(shelf))[1])
        self.fails(3, "this is a named pipe", "translate", "-m", "one", "abc", HEED_MODELS=str(shelf))

    def test_a_link_to_itself(self):
        (self.folder / "loop.safetensors").symlink_to("loop.safetensors")
        for words in (("inspect", "./loop.safetensors"), ("translate", "-m", "./loop.safetensors", "abc"), ("train", "./loop.safetensors")):
            self.fails(3, "./loop.safetensors: cannot open (Too many levels of symbolic links)", *words)

    def test_a_named_pipe_among_checkpoints(self):
        self.heed("train", "tiny.toml", "-q", "-o", "pipes")
        os.mkfifo(self.folder / "pipes/checkpoints/step-00000009.safetensors")
        _, err = self.heed("train", "tiny.toml", "-o", "pipes", "--set", "training.steps=4")
        self.assertIn("this is a named pipe", err)
        self.assertIn("resuming after step 3", err)


class EveryModel(Cli):
    """Every verb that reads a model refuses the same files with the same message."""

    def verbs(self):
        for name in ("translate", "align", "score"):
            text = {"translate": ["abc"], "align": ["abc", "cba"], "score": ["-"]}[name]
            yield lambda model, name=name, text=text: [name, "-m", model, *text]
        yield lambda model: ["inspect", model]

    def refused(self, name, bytes_, message):
        (self.folder / name).write_bytes(bytes_)
        for words in self.verbs():
            self.fails(3, f"{name}:{message}", *words(name), stdin=b"abc\tcba\n")

    def test_damaged_files(self):
        good = (self.folder / self.model).read_bytes()
        header = int.from_bytes(good[:8], "little")
        self.refused("half", good[: len(good) // 2], " it has")
        self.refused("no-end", good[: 8 + header + 99], " it has 99 bytes of tensors, not the")
        self.refused("no-header", good[:40], " its header would have")
        self.refused("seven", good[:7], " it has 7 bytes, too few for a model; it was cut short or is not a safetensors file")
        self.refused("nothing", b"", " it has 0 bytes, too few for a model; it was cut short or is not a safetensors file")
        self.refused("one-less", good[:-1], " ")
        self.refused("one-more", good + b"\0", " it has")
        self.refused("text", b"not a model, just text\n" * 9, " this is not a model file")
        self.refused("pickle", b"\x80\x02}q\x00." + bytes(90), " this is not a model file")
        for name, at in (("length", 0), ("json", 9), ("hash", good.index(b'"sha256":"') + 20), ("weight", 8 + header + 5),
                         ("last", len(good) - 1)):
            for bits in (1, 0xFF):
                changed = bytearray(good)
                changed[at] ^= bits
                self.refused(name, bytes(changed), "")
        changed = bytearray(good)
        changed[8 + header + 5] ^= 0x10
        self.refused("weights", bytes(changed), " its contents do not match their sha256; the file is corrupt, get it again")

    def test_files_without_an_end(self):
        """A device is refused by name: nothing of it is read."""
        for words in self.verbs():
            self.fails(3, "/dev/zero: this is a device, not a file; name", *words("/dev/zero"), stdin=b"abc\tcba\n")
        self.fails(3, "/dev/zero: this is a device, not a file; name", "train", "/dev/zero")
        self.fails(3, "/dev/zero: this is a device, not a file; name", "train", "tiny.toml", "-o", "endless", "--set",
                   "training.init=/dev/zero")

    def test_a_line_without_an_end(self):
        out, err = self.heed("translate", "-m", self.model, "-i", "/dev/zero", code=3)
        self.assertEqual(out, "\n")
        self.assertIn("/dev/zero:1: the line is longer than 1048576 bytes", err)
        self.assertIn("/dev/zero:1: the line has more than 1073741824 bytes and no end; give a file of text", err)

    def test_no_file_a_folder_no_rights(self):
        for words in self.verbs():
            self.fails(3, 'there is neither a file nor a model called "absent"', *words("absent"))
            self.fails(3, "./absent: cannot open (No such file or directory); check the path and its permissions", *words("./absent"))
            self.fails(3, "run is a folder; did you mean \"run/model.safetensors\"?", *words("run"))
            self.fails(3, "cannot open (Not a directory)", *words("tiny.toml/model.safetensors"))

    def test_unknown_backends(self):
        for words in ([*words(self.model), "--backend", "abacus"] for words in self.verbs() if words("")[0] != "inspect"):
            self.fails(2, 'unknown "abacus"; choose one of ', *words, stdin=b"abc\tcba\n")
        self.fails(2, 'unknown "abacus"; choose one of ', "train", "tiny.toml", "-q", "-o", "abacus", "--backend", "abacus")


class Translate(Cli):
    def test_text_that_is_no_utf8(self):
        for words in ([BAD], ["--prefix", BAD, "abc"], ["--constrain", BAD, "abc"]):
            self.fails(2, BAD_TEXT, "translate", "-m", self.model, *words)

    def test_wrong_values(self):
        for words, message in (
            (["--n-best", "0"], 'n-best: must be a whole number from 1 to'),
            (["--batch", "0"], 'batch: must be a whole number from 1 to'),
            (["--beam", "99999999999999999999"], 'must be a whole number from 1 to'),
            (["--max-length-factor", "-1"], 'max-length-factor: must be a number from 0 to 1000000'),
            (["--diversity", "x"], 'diversity: must be a number from 0 to 1000000'),
            (["--block", "7", "--draw"], "--block: there is no block 7; choose 0 to 0, or -1 for the mean of all"),
            (["--head", "7", "--draw"], "--head: there is no head 7; choose 0 to 0, or -1 for the mean of all"),
            (["--block", "x"], 'block: must be a whole number from -1'),
        ):
            self.fails(2, message, "translate", "-m", self.model, *words, "abc")

    def test_drawings_that_cannot_be_written(self):
        said, _ = self.translate("abc")
        for option in ("--svg", "--png"):
            self.fails(5, "no/such/map: there is no folder no/such; make it, or choose another", "translate", "-m", self.model, option,
                       "no/such/map", "abc")
            self.fails(5, "run: there is something other than a file; choose another name", "translate", "-m", self.model, option, "run",
                       "abc", printed=said)


class Align(Cli):
    def test_usage(self):
        self.fails(2, 'format: must be hard, soft or a number above 0 and at most 1, not "soggy"', "align", "-m", self.model, "--format", "soggy", "a", "b")
        for words in ([BAD, "b"], ["a", BAD]):
            self.fails(2, BAD_TEXT, "align", "-m", self.model, *words)

    def test_pairs(self):
        words = ["align", "-m", self.model, "--pairs"]
        self.fails(3, "absent: cannot open (No such file or directory)", *words, "absent")
        self.fails(3, "run: this is a directory, not a file; name", *words, "run")
        (self.folder / "a.tsv").write_bytes(b"a\tb\na\tb\tc\n")
        self.fails(3, "a.tsv:2: there are 3 columns, but must be two: source, tab, target; keep only those (cut -f1,2)", *words, "a.tsv")
        (self.folder / "a.tsv").write_bytes(b"a\tb\n" + BAD + b"\tb\n")
        self.fails(3, "a.tsv:2: " + BAD_TEXT, *words, "a.tsv")
        whole = gzip.compress(b"a\tb\n" * 99)
        (self.folder / "a.tsv.gz").write_bytes(whole[:-9])
        self.fails(3, ": the gzip data ", *words, "a.tsv.gz")
        changed = bytearray(whole)
        changed[-5] ^= 1
        (self.folder / "a.tsv.gz").write_bytes(bytes(changed))
        self.fails(3, ": the gzip data ", *words, "a.tsv.gz")


class Score(Cli):
    def test_wrong_values(self):
        self.fails(2, 'batch: must be a whole number from 1', "score", "-m", self.model, "--batch", "0", "-")
        self.fails(2, "score: --target is without --source", "score", "-m", self.model, "--target", "x")

    def test_files(self):
        words = ["score", "-m", self.model]
        self.fails(3, "run: this is a directory, not a file; name", *words, "run")
        self.fails(3, "standard input:1: byte 0xFF", *words, "-", stdin=b"a\t\xff\n")
        (self.folder / "three").write_text("a\nb\nc\n")
        (self.folder / "two").write_text("a\nb\n")
        self.fails(3, "three:3: a line has no partner (three and two have 3 and 2 lines); complete the files", *words, "--source", "three", "--target", "two")
        self.fails(3, "absent: cannot open", *words, "--source", "three", "--target", "absent")
        (self.folder / "bad").write_bytes(b"a\nb\n" + BAD + b"\n")
        self.fails(3, "bad:3: " + BAD_TEXT, *words, "--source", "three", "--target", "bad")


class Evaluate(Cli):
    def test_wrong_values(self):
        for words, message in (
            (["--width", "16"], 'width: must be a whole number from 0 to 15'),
            (["--samples", "-1"], 'samples: must be a whole number from 0 to 1000000'),
            (["--seed", "x"], 'seed: must be a whole number from 0 to 18446744073709551615'),
            (["--smooth-value", "-1"], 'smooth-value: must be a number from 0 to 1000000'),
            (["--paired-test", "coin"], 'paired-test: unknown "coin"; choose one of bootstrap, randomisation'),
            (["--metric", "chrff"], 'metric: unknown "chrff"; choose one of'),
        ):
            self.fails(2, message, "evaluate", *words, "-r", "x", "y")

    def test_files(self):
        (self.folder / "e.out").write_text("a\nb\n")
        (self.folder / "e.bad").write_bytes(b"a\n" + BAD + b"\n")
        for words, message in (
            (["-r", "run", "e.out"], "run: this is a directory, not a file; name"),
            (["-r", "e.out", "run"], "run: this is a directory, not a file; name"),
            (["-r", "e.out", "absent"], "absent: cannot open (No such file or directory)"),
            (["-r", "e.out", "--paired", "absent", "e.out"], "absent: cannot open"),
            (["-r", "e.bad", "e.out"], "e.bad:2: " + BAD_TEXT),
            (["-r", "e.out", "e.bad"], "e.bad:2: " + BAD_TEXT),
            (["--links", "absent", "e.out"], "e.out:1: \"a\" must be links such as 0-2 (source-target, counted from 0), or 0p2 where it is only possible"),
        ):
            self.fails(3, message, "evaluate", *words)
        self.fails(3, "standard input: it has no lines; is it the right file?", "evaluate", "-r", "e.out", stdin=b"")


class Train(Cli):
    def recipe(self, text):
        (self.folder / "e.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        return ["train", "e.toml", "-q", "-o", "e-run"]

    def test_recipes(self):
        for text, message in (
            ("[training]\nsteps = 2021-05-03\n", "e.toml:2:1: training.steps: a date or time is no setting; write text in quotes, a number, true or false"),
            ("[training]\nsteps = 5\nsteps = 6\n", "e.toml:3:"),
            ("[data]\nsynth = \"dates\n", "e.toml:2:"),
            (b"[data]\nsynth = \"\xff\"\n", "e.toml:2:"),
            ("training = 5\n", "e.toml:1:1: training: "),
            ("[training]\noptimiser = { kind = \"adamm\" }\n", 'did you mean "adam"?'),
            ("[model]\nencoder = 3\n", "e.toml:2:1: model.encoder: "),
            ("[data]\nsynth = \"dates\"\ntrain = \"x\"\nvalid = \"y\"\n", 'data: the task "dates" and files exclude each other; leave out `synth` (--set data.synth=) or the files'),
            ("[data]\nsynth = \"reverse\"\n[training]\npatience = 3\nvalidate_every = 0\n", "train: patience 3 counts validations, and there are none; give validation data and validate_every, or set patience to 0"),
            ("[data]\nsynth = \"reverse\"\n[training]\nmetric = \"aer\"\n", 'training.metric: unknown "aer"; choose one of loss, perplexity'),
            ("[data]\nsynth = \"reverse\"\n[training]\nmetric = \"blue\"\n", 'did you mean "bleu"?'),
        ):
            self.fails(2, message, *self.recipe(text))

    def test_settings(self):
        for words, message in (
            (["--set", "=3"], 'set: "=3" must be PATH=VALUE, such as training.steps=500'),
            (["--set", "training.steps=many"], 'training.steps: must be a whole number'),
            (["--set", "nothing.at.all=1"], "nothing"),
        ):
            self.fails(2, message, "train", "tiny.toml", *words)

    def test_data(self):
        (self.folder / "e.tsv").write_text("a b\tb a\n")
        data = '[data]\ntrain = "{}"\nvalid = "e.tsv"\n'
        self.fails(3, "run: this is a directory, not a file; name", *self.recipe(data.format("run")))
        (self.folder / "e-bad.tsv").write_bytes(b"a\tb\n" + BAD + b"\tb\n")
        self.fails(3, "e-bad.tsv:2: " + BAD_TEXT, *self.recipe(data.format("e-bad.tsv")))
        (self.folder / "e-empty.tsv").write_text("")
        self.fails(3, "data: there are 0 training and 1 validation pairs, but there must be some of both", *self.recipe(data.format("e-empty.tsv")))
        self.fails(2, "data: there are 0 training and 0 validation pairs, but there must be some of both; left out: 68 below min_source",
                   "train", "tiny.toml", "-q", "-o", "none", "--set", "data.min_source=16777216")

    def test_recipes_without_an_end(self):
        (self.folder / "huge.toml").write_text("# no recipe\n" * 100_000)
        self.fails(2, "huge.toml: a recipe has at most 1048576 bytes, and this file has 1200000; is it a recipe?", "train", "huge.toml")

    def test_positions_for_every_pair(self):
        """Found before the first step, not when the longest pair comes up."""
        learned = '{kind="transformer",depth=1,width=4,position={kind="learned",maximum=1}}'
        for side, text in (("encoder", "has a source of"), ("decoder", "has a target of")):
            self.fails(2, text, "train", "tiny.toml", "-q", "-o", "short", "--set", f"model.{side}={learned}")
            self.fails(2, "and the model has positions for", "train", "tiny.toml", "-q", "-o", "short", "--set", f"model.{side}={learned}")

    def test_runs_that_cannot_go_on(self):
        words = ["train", "tiny.toml", "-q", "-o", "e-again"]
        self.heed(*words)
        self.fails(2, "can continue only with the same; change it back, or start over in another folder (or with --fresh)", *words, "--set", "model.embedding=5")
        for checkpoint in (self.folder / "e-again/checkpoints").iterdir():
            checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
        _, err = self.heed(*words, code=3)
        self.assertRegex(err.splitlines()[-1], r"heed: \S+: there are \d+ checkpoints, and none is whole .*; start over in another folder \(or with --fresh\)")
        self.heed(*words, "--fresh")
        self.fails(5, "tiny.toml/x: cannot make this directory", "train", "tiny.toml", "-q", "-o", "tiny.toml/x")


class Others(Cli):
    def test_synth(self):
        self.fails(2, "synth: the task is missing; see heed synth --help", "synth")
        self.fails(2, 'seed: must be a whole number from 0 to 18446744073709551615', "synth", "dates", "--seed", "-1")
        self.heed("synth", "dates", "-n", "1", "--seed", str(2**64 - 1))
        self.fails(2, 'seed: must be a whole number from 0 to 18446744073709551615', "synth", "dates", "--seed", str(2**64))
        self.fails(2, 'must be a whole number of at least 0', "synth", "dates", "-n", "1e3")
        self.fails(2, 'split: unknown "dev"; choose one of train, valid, test', "synth", "dates", "--split", "dev")

    def test_manual(self):
        self.fails(2, 'verb: unknown "zzz"; choose one of train, translate', "manual", "zzz")
        self.fails(2, BAD_TEXT, "manual", BAD)
        self.fails(5, "tiny.toml: cannot make this directory", "manual", "--into", "tiny.toml")

    def test_inspect(self):
        self.fails(3, "tiny.toml: this is not a model file", "inspect", "tiny.toml")

    def test_models(self):
        folder = self.folder / "e-shelf"
        folder.mkdir()
        (folder / "bad.safetensors").write_bytes(b"no model")
        out, err = self.heed("models", "--json", code=3, HEED_MODELS=str(folder))
        self.assertIn('"fault"', out)
        self.assertRegex(err, r"\Awarning: \S+bad.safetensors: this[^\n]+\n\Z")
        self.fails(3, "bad.safetensors: this", "translate", "-m", "bad", "abc", HEED_MODELS=str(folder))


if __name__ == "__main__":
    unittest.main()
