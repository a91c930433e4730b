"""transcribe_test.py HEED: recordings in, words and their times out: files, standard input, tables, subtitles, and what is refused."""
import ctypes
import json
import math
import random
import re
import struct
import unittest

from cli import IS_SANITIZED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

RECIPE = """\
[data]
synth = "tones"
train_examples = 400
valid_examples = 4
target_tokens = "characters"

[data.source]
kind = "sound"
rate = 8000
window_ms = 32
hop_ms = 20
filters = 16
low_hertz = 600
high_hertz = 1600

[model]
front = { kind = "frames", normalise = true }
embedding = 24
encoder = { kind = "cnn", depth = 1, kernel = 3, width = 24 }
decoder = "ctc"

[training]
steps = 120
objectives = ["ctc"]
batch_sentences = 16
seed = 1
metric = "cer"
validate_every = 60
optimiser = { kind = "adam", learning_rate = 0.01 }
"""

JOINT = RECIPE.replace('decoder = "ctc"', """decoder = { kind = "attend_first", width = 8, embedding = 4 }
decoders = { frames = "ctc" }""").replace('objectives = ["ctc"]', """objectives = [{ kind = "teacher_forcing", weight = 0.7 },
              { kind = "ctc", decoder = "frames", weight = 0.3 }]""").replace("steps = 120", "steps = 3").replace("= 60", "= 3")

LANGUAGE = """\
[data]
synth = "tones"
source = "none"
train_examples = 40
valid_examples = 4
target_tokens = "characters"
vocabulary_of = "joint/model.safetensors"

[model]
encoder = "none"
decoder = { kind = "transformer", width = 8, depth = 1 }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
"""

CEPSTRA = """\
[data]
train = "frames.tsv"
hold_out = 1

[data.source]
kind = "features"
width = WIDTH
rows_per_second = 100
normalise = "mean_and_variance"
over = "corpus"

[model]
front = { kind = "frames", stack = 4, stride = 4, normalise = false }
embedding = 8
encoder = { kind = "cnn", depth = 1, width = 8 }
decoder = "ctc"

[training]
steps = 2
objectives = ["ctc"]
batch_sentences = 4
validate_every = 2
"""

PAIRS = {"1": (697, 1209), "5": (770, 1336), "9": (852, 1477)}
RATE = 8000


def wav(keys, seconds):
    """Dialled digits: (digit, start, seconds), in noise."""
    dice = random.Random(1)
    samples = [dice.gauss(0, 0.05) for _ in range(round(seconds * RATE))]
    for digit, start, length in keys:
        for n in range(round(length * RATE)):
            t = n / RATE
            at = round(start * RATE) + n
            samples[at] += 0.25 * sum(math.sin(2 * math.pi * hertz * t) for hertz in PAIRS[digit])
    data = b"".join(struct.pack("<h", round(32767 * max(-1, min(1, sample)))) for sample in samples)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16,
                       b"data", len(data))
    return head + data


class Transcribe(Cli):
    @classmethod
    def setUpClass(cls):
        for name, recipe in (("tones", RECIPE), ("joint", JOINT)):
            (cls.folder / f"{name}.toml").write_text(recipe)
            done = cls.run_in(cls.folder, "train", f"{name}.toml", "-o", name)
            assert done.returncode == 0, done.stderr
        keys = [("1", 0.2, 0.1), ("5", 0.5, 0.1), ("9", 0.8, 0.1)]
        (cls.folder / "call.wav").write_bytes(wav(keys, 1.1))
        long = [("1", 0.2, 0.1), ("5", 0.5, 0.1), ("9", 2.2, 0.1), ("1", 2.5, 0.1)]
        (cls.folder / "long.wav").write_bytes(wav(long, 3))
        (cls.folder / "cut.wav").write_bytes((cls.folder / "call.wav").read_bytes()[:500])
        (cls.folder / "text.wav").write_text("no recording\n")

    def transcribe(self, *words, **more):
        return self.heed("transcribe", "-m", "tones/model.safetensors", "-q", *words, **more)

    def refused(self, code, message, *words, **more):
        self.fails(code, message, "transcribe", "-m", "tones/model.safetensors", *words, **more)

    def test_one_line_a_recording(self):
        self.assertEqual(self.transcribe("call.wav", "call.wav")[0], "159\n159\n")
        self.assertEqual(self.transcribe(stdin=b"call.wav\n")[0], "159\n")
        self.assertEqual(self.transcribe("-", stdin=(self.folder / "call.wav").read_bytes())[0], "159\n")
        self.assertEqual(self.transcribe("--beam", "4", "call.wav")[0], "159\n")
        best = self.transcribe("--n-best", "2", "call.wav")[0].splitlines()
        self.assertEqual([line.split(" ||| ")[0] for line in best], ["0", "0"])

    def test_says_when_each_word_was_said(self):
        one = json.loads(self.transcribe("--json", "call.wav")[0])
        self.assertEqual((one["file"], one["text"]), ("call.wav", "159"))
        self.assertAlmostEqual(one["seconds"], 1.1, delta=0.05)
        self.assertEqual([token["text"] for token in one["tokens"]], ["1", "5", "9"])
        for token, start in zip(one["tokens"], (0.2, 0.5, 0.8)):
            self.assertAlmostEqual(token["start"], start, delta=0.06)
            self.assertGreater(token["end"], token["start"])
        self.assertEqual(len(one["words"]), 1)
        self.assertEqual((one["words"][0]["start"], one["words"][0]["end"]),
                         (one["tokens"][0]["start"], one["tokens"][-1]["end"]))
        timed = self.transcribe("--times", "--tokens", "call.wav")[0].split()
        self.assertEqual([word.split("@")[0] for word in timed], ["1", "5", "9"])
        self.assertEqual(float(timed[1].split("@")[1]), one["tokens"][1]["start"])

    def test_subtitles(self):
        srt = self.transcribe("--srt", "call.wav", "call.wav")[0]
        cues = re.findall(r"(\d+)\n(\d\d:\d\d:\d\d,\d{3}) --> (\d\d:\d\d:\d\d,\d{3})\n(.*)\n\n", srt)
        self.assertEqual([(cue[0], cue[3]) for cue in cues], [("1", "159"), ("2", "159")])
        self.assertTrue("00:00:00,100" < cues[0][1] < "00:00:00,300" < cues[0][2] < "00:00:01,100", srt)
        vtt = self.transcribe("--vtt", "call.wav")[0]
        self.assertTrue(vtt.startswith("WEBVTT\n\n00:00:00."), vtt)
        self.refused(2, "--json, --srt, --vtt and --times exclude each other; give one of them", "--srt", "--vtt", "call.wav")

    def test_long_recordings_are_cut_at_silence_and_joined(self):
        whole = json.loads(self.transcribe("--json", "long.wav")[0])
        self.assertEqual(whole["text"], "1591")
        cut = json.loads(self.transcribe("--json", "--max-seconds", "2.1", "long.wav")[0])
        self.assertEqual(cut["text"], "15 91", "cut in the long pause")
        self.assertEqual([word["text"] for word in cut["words"]], ["15", "91"])
        self.assertAlmostEqual(cut["tokens"][2]["start"], 2.2, delta=0.06)
        self.assertAlmostEqual(cut["seconds"], whole["seconds"], delta=0.05)

    def test_of_a_very_long_recording_only_the_times_are_kept(self):
        data, times = wav([("1", 0.2, 0.1), ("5", 0.5, 0.1), ("9", 2.2, 0.1), ("1", 2.5, 0.1)], 3)[44:], 120
        head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data) * times, b"WAVE", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16,
                           b"data", len(data) * times)
        (self.folder / "hour.wav").write_bytes(head + data * times)
        out, err = self.transcribe("--json", "--png", "hour.png", "hour.wav")
        self.assertIn("too many for a matrix of all weights", err)
        self.assertFalse((self.folder / "hour.png").exists())
        one = json.loads(out)
        starts = [token["start"] for token in one["tokens"]]
        self.assertEqual(starts, sorted(starts))
        self.assertGreater(len(starts), 3 * times)
        self.assertGreater(starts[-1], 3 * (times - 1))

    def test_a_small_file_of_much_sound_is_heard_part_by_part(self):
        encode(self.folder / "silence.flac", bytes(2 * 48_000), 0x170002, rate=48_000, times=600)
        self.assertLess((self.folder / "silence.flac").stat().st_size, 100_000)
        model = ["transcribe", "-m", "tones/model.safetensors", "-q", "--max-length", "1"]
        _, _, peak = self.peak_of(*model, "silence.flac")
        self.assertLess(peak, 600 if IS_SANITIZED else 100, "600 seconds of samples alone are 115 MB")
        out, err, _ = self.peak_of(*model, "--memory-limit", "4", "call.wav", "silence.flac", code=1)
        self.assertEqual(out, "159\n\n")
        self.assertRegex(err, r"heed: recording 2: silence\.flac: memory: .* beyond the limit of 4 MB; .*; cut it, or search shorter parts")

    def test_a_model_may_be_late(self):
        usual, earlier = (json.loads(self.transcribe("--json", "--late-ms", late, "call.wav")[0])["tokens"] for late in ("0", "100"))
        for one, other in zip(usual, earlier):
            self.assertAlmostEqual(one["start"] - other["start"], 0.1, delta=0.0011)

    def test_times_are_settled_only_where_they_are_shown(self):
        for when in (["--word-starts", "level"], ["--word-ends", "level"], ["--late-ms", "4"]):
            self.fails(2, f"transcribe: {when[0]} has no effect without --draw", "transcribe", "-m", "tones/model.safetensors", *when, "call.wav")

    def test_tables_and_tasks(self):
        pairs, _ = self.heed("synth", "tones", "-n", "20", "--split", "valid")
        (self.folder / "some.tsv").write_text(pairs)
        out, _ = self.transcribe("--table", "some.tsv")
        right = sum(a == b.split("\t")[1] for a, b in zip(out.splitlines(), pairs.splitlines()))
        self.assertGreaterEqual(right, 10)
        starts, _ = self.heed("synth", "tones", "-n", "20", "--split", "valid", "--times")
        (self.folder / "starts.txt").write_text(starts)
        heard, _ = self.transcribe("--times", "--tokens", "--table", "some.tsv")
        (self.folder / "heard.txt").write_text(heard)
        score = json.loads(self.heed("evaluate", "-m", "start_times", "--json", "-r", "starts.txt", "heard.txt")[0])[0]
        self.assertGreater(score["score"], 60)
        self.fails(2, "--times is for sources with times, and those of dates", "synth", "dates", "--times")
        self.refused(2, "recordings, --table and --input exclude each other", "--table", "some.tsv", "call.wav")

    def test_drawn_under_the_spectrogram(self):
        out, _ = self.transcribe("--draw", "--tokens", "--svg", "heard.svg", "--png", "heard.png", "call.wav")
        self.assertIn("'0 s", out)
        self.assertTrue(any(line.startswith("5 ") for line in out.splitlines()), out)
        svg = (self.folder / "heard.svg").read_text()
        self.assertIn("data:image/png;base64,", svg)
        self.assertIn(">0.5 s</text>", svg)
        self.assertTrue((self.folder / "heard.png").read_bytes().startswith(b"\x89PNG"))
        drawn = sorted((self.folder / "tones/samples").glob("*.svg"))
        self.assertIn("data:image/png;base64,", drawn[0].read_text())
        links, _ = self.heed("align", "-m", "tones/model.safetensors", "call.wav", "159")
        self.assertEqual(len(links.split()), 3)

    def test_progress_names_the_speed(self):
        _, err = self.heed("transcribe", "-m", "tones/model.safetensors", "call.wav")
        self.assertRegex(err, r"1\.\d s in [0-9.]+ s: [0-9.]+ × real time")

    def test_a_model_of_features_made_elsewhere_hears_recordings(self):
        dice = random.Random(2)
        for width in (13, 12):
            rows = ["; ".join(" ".join(f"{dice.gauss(5, 2):.3f}" for _ in range(width)) for _ in range(40)) for _ in range(5)]
            (self.folder / "frames.tsv").write_text("".join(f"{row}\tone\n" for row in rows))
            (self.folder / f"cepstra{width}.toml").write_text(CEPSTRA.replace("WIDTH", str(width)))
            self.heed("train", f"cepstra{width}.toml", "-o", f"cepstra{width}", "-q")
        hears = ("transcribe", "-m", "cepstra13/model.safetensors", "--features", "sphinx", "-q", "--json", "call.wav")
        one = json.loads(self.heed(*hears)[0])
        self.assertEqual(one["file"], "call.wav")
        self.assertAlmostEqual(one["seconds"], 1.1, delta=0.05)
        self.assertRegex((self.folder / "cepstra13/model.safetensors").read_bytes(), rb'statistics\\": ?\\"-?\d')  # what the corpus taught it
        self.fails(2, "makes 13 numbers a row, but", "transcribe", "-m", "cepstra12/model.safetensors", "--features", "sphinx", "call.wav")

    def test_what_is_refused(self):
        self.refused(3, "cut.wav: there are 500 bytes of a WAV file of", "cut.wav")
        self.refused(3, "text.wav: this file of 13 bytes is none of the sound files known here; convert it to WAV, FLAC, Ogg (Vorbis, Opus), AIFF, AU or NIST SPHERE", "text.wav")
        self.refused(3, "missing.wav", "missing.wav")
        self.refused(3, "give the path of a recording in each line, or, to hear standard input itself, name it: heed transcribe -",
                     stdin=(self.folder / "call.wav").read_bytes())
        self.refused(2, "--features: tones/model.safetensors reads sound", "--features", "sphinx", "call.wav")

    def test_a_faulty_recording_does_not_keep_the_others_from_being_heard(self):
        for form, says in (((), "159\n\n159\n"), (("--srt",), None), (("--json",), None)):
            done = self.run_in(self.folder, "transcribe", "-m", "tones/model.safetensors", "-q", *form, "call.wav", "text.wav", "call.wav")
            out, err = done.stdout.decode(), done.stderr.decode()
            self.assertEqual(done.returncode, 3)
            self.assertRegex(err, r"\Aheed: recording 2: text\.wav: this file of 13 bytes is none of [^\n]*\n\Z")
            if says is not None:
                self.assertEqual(out, says)
        self.assertEqual([(one["file"], one["text"]) for one in map(json.loads, out.splitlines())],
                         [("call.wav", "159"), ("text.wav", ""), ("call.wav", "159")])
        done = self.run_in(self.folder, "transcribe", "-m", "tones/model.safetensors", "-q", stdin=b"text.wav\ncall.wav\n")
        self.assertEqual((done.returncode, done.stdout.decode()), (3, "\n159\n"))

    def test_other_verbs_say_which_is_meant(self):
        for verb in ("translate", "caption"):
            self.fails(2, "use heed transcribe", verb, "-m", "tones/model.safetensors", stdin=b"")

    def test_without_a_name_each_verb_takes_a_model_of_its_kind(self):
        shelf = self.folder / "shelf"
        shelf.mkdir()
        (shelf / "a.safetensors").write_bytes((self.folder / "tones/model.safetensors").read_bytes())
        (shelf / "b.safetensors").write_bytes((self.folder / self.model).read_bytes())
        more = {"HEED_MODELS": str(shelf)}
        self.assertEqual(self.heed("transcribe", "-q", "call.wav", **more)[0], "159\n")
        for words in (("align", "abc", "cba"), ("score",), ("translate", "abc")):
            named = [words[0], "-m", self.model, *words[1:]]
            self.assertEqual(self.heed(*words, stdin=b"abc\tcba\n", **more)[0], self.heed(*named, stdin=b"abc\tcba\n")[0], words)

    def test_any_model_of_an_ensemble_may_have_ctc(self):
        alone = JOINT.replace('decoders = { frames = "ctc" }', "").replace(""",
              { kind = "ctc", decoder = "frames", weight = 0.3 }""", "")
        (self.folder / "looks.toml").write_text(alone.replace("[data]\n", '[data]\nvocabulary_of = "joint/model.safetensors"\n', 1))
        self.heed("train", "looks.toml", "-o", "looks", "-q")
        both = ("transcribe", "-m", "looks/model.safetensors", "-m", "joint/model.safetensors", "-q", "--max-length", "6", "--json")
        scores = [json.loads(self.heed(*both, "--ctc-weight", weight, "call.wav")[0])["score"] for weight in ("0", "0.6")]
        self.assertNotEqual(*scores)
        # The weights that are shown are the first model's.
        self.fails(2, "--weights-of is for a model with a ctc decoder beside the main one", *both, "--weights-of", "ctc", "call.wav")
        self.fails(2, "--ctc-weight is for a model with a ctc decoder beside the main one", *both[:3], *both[5:], "--ctc-weight", "0.6", "call.wav")

    def test_both_decoders_and_a_language_model(self):
        joint = ("transcribe", "-m", "joint/model.safetensors", "-q", "--max-length", "6", "--beam", "3")

        def score(*words):
            return json.loads(self.heed(*joint, "--json", *words, "call.wav")[0])["score"]
        self.assertNotEqual(score(), score("--ctc-weight", "0"))
        spikes = json.loads(self.heed(*joint, "--json", "call.wav")[0])
        looked = json.loads(self.heed(*joint, "--json", "--weights-of", "main", "call.wav")[0])
        self.assertEqual(spikes["text"], looked["text"])
        if spikes["text"]:
            self.assertNotEqual(spikes["tokens"], looked["tokens"])
        (self.folder / "language.toml").write_text(LANGUAGE)
        self.heed("train", "language.toml", "-o", "language", "-q")
        self.assertNotEqual(score(), score("--lm", "language/model.safetensors"))
        self.assertEqual(score(), score("--lm", "language/model.safetensors", "--lm-weight", "0"))
        found = json.loads(self.heed(*joint, "--json", "--lm", "language/model.safetensors", "call.wav")[0])
        self.assertLess(found["weighted_sum"], found["log_probability"])
        self.assertNotIn("weighted_sum", json.loads(self.heed(*joint, "--json", "--ctc-weight", "0", "call.wav")[0]))
        self.fails(2, "reads a source, so it is no language model", *joint, "--lm", "joint/model.safetensors", "call.wav")
        for beam in ("1", "3"):
            alone, fused = (json.loads(self.heed("transcribe", "-m", "tones/model.safetensors", "-q", "--beam", beam, "--json", "--lm",
                                                 "language/model.safetensors", "--lm-weight", weight, "call.wav")[0]) for weight in ("0", "0.5"))
            self.assertLess(fused["score"], alone["score"])  # the language model's log-probabilities are below zero


# What is said in the recordings beside the bundled model, and when each word begins (recipes/fsdd_strings.py).
SAID = {
    "7.wav": [("seven", 0)],
    "2345.wav": [("two", 0.239), ("three", 0.626), ("four", 1.033), ("five", 1.453)],
    "5728063.wav": [("five", 0.081), ("seven", 0.781), ("two", 1.385), ("eight", 1.924), ("zero", 2.390), ("six", 3.174), ("three", 4.006)],
}


class SoundInfo(ctypes.Structure):
    """libsndfile's SF_INFO."""
    _fields_ = [("frames", ctypes.c_int64), *((name, ctypes.c_int) for name in ("rate", "channels", "format", "sections", "seekable"))]


def encode(path, samples, form, rate=RATE, times=1):
    """Writes a recording of one channel as libsndfile does, in one of its forms; the samples as many times as wanted."""
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    info = SoundInfo(rate=rate, channels=1, format=form)
    file = ctypes.c_void_p(library.sf_open(str(path).encode(), 0x20, ctypes.byref(info)))  # to write
    if not file:
        raise OSError(f"libsndfile cannot write {path}")
    library.sf_write_short.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    for _ in range(times):
        library.sf_write_short(file, samples, len(samples) // 2)
    library.sf_close(file)


class Digits(Cli):
    """The recogniser of spoken digits that comes with heed."""

    def transcribe(self, *words, **more):
        return self.heed("transcribe", "-q", *words, **more)[0]

    def path(self, name):
        return str(ROOT / "models/digits" / name)

    def test_it_is_listed(self):
        models = {one["name"]: one for one in map(json.loads, self.heed("models", "--json")[0].splitlines())}
        digits = models["digits"]
        self.assertLessEqual(digits["bytes"], 3_000_000)
        self.assertEqual(digits["languages"], "en")
        self.assertIn("spoken digits", digits["domain"])
        self.assertIn("CC-BY-SA 4.0", digits["licence"])
        self.assertRegex(digits["score"], r"\d % of digits")
        self.assertRegex(self.heed("models")[0], r"(?m)^digits +en +spoken digits")
        self.assertTrue((ROOT / "models/digits.attribution.txt").read_text().startswith("models/digits.safetensors was trained on"))

    def test_every_recording_beside_it_is_known(self):
        self.assertEqual(sorted(path.name for path in (ROOT / "models/digits").iterdir()), sorted(SAID))
        self.assertLess(sum(path.stat().st_size for path in (ROOT / "models/digits").iterdir()), 200_000)

    def test_it_hears_them_without_being_named(self):
        words = self.transcribe(*map(self.path, SAID)).splitlines()
        self.assertEqual(words, [" ".join(word for word, _ in said) for said in SAID.values()])
        self.assertEqual(self.transcribe("-m", "digits", "--beam", "4", *map(self.path, SAID)).splitlines(), words)

    def test_it_says_when_a_voice_is_unlike_what_it_heard(self):
        """Voices of a synthesiser (tools/fixtures/voices.py), and those of the recordings beside the model."""
        voices = ROOT / "tests/fixtures/voices"
        rows = [line.split("\t") for line in (voices / "voices.tsv").read_text().splitlines()]
        said, heard = self.heed("transcribe", "-q", *(str(voices / name) for name, *_ in rows))
        self.assertEqual(len(said.splitlines()), len(rows))
        self.assertEqual(re.findall(r"(?m)^warning: recording (\d+): its voice, or what else it holds, is unlike what the model learned from", heard),
                         [str(number + 1) for number in range(len(rows))])
        parts = self.heed("transcribe", "-q", "--max-seconds", "1", str(voices / rows[0][0]))[1]
        self.assertEqual(parts.count("is unlike"), 1)
        self.assertEqual(self.heed("transcribe", "-q", *map(self.path, SAID))[1], "")

    def test_every_kind_of_file(self):
        name, said = list(SAID.items())[-1]
        samples = (ROOT / "models/digits" / name).read_bytes()[44:]
        for ending, form in {"flac": 0x170002, "ogg": 0x200060, "opus": 0x200064, "aiff": 0x020002, "au": 0x030002}.items():
            encode(self.folder / f"said.{ending}", samples, form)
            self.assertEqual(self.transcribe(f"said.{ending}"), " ".join(word for word, _ in said) + "\n", ending)
        self.assertEqual(self.transcribe("-", stdin=(self.folder / "said.flac").read_bytes()), " ".join(word for word, _ in said) + "\n")

    def test_pictures_and_recordings_that_were_mixed_up(self):
        self.fails(3, "7.wav: this is a recording, which heed transcribe hears", "caption", self.path("7.wav"))
        self.fails(3, "heard-digits.png: this is a picture, not a recording; heed caption", "transcribe", "-q",
                   str(ROOT / "docs/pictures/heard-digits.png"))

    def test_it_says_when(self):
        for name, said in SAID.items():
            one = json.loads(self.transcribe("--json", self.path(name)))
            self.assertEqual([word["text"] for word in one["words"]], [word for word, _ in said])
            for word, after in zip(one["words"], [*one["words"][1:], {"start": one["seconds"] + 0.1}]):
                self.assertLess(word["start"], word["end"])
                self.assertLess(word["start"], after["start"])
            for word, (_, start) in zip(one["words"], said):
                self.assertAlmostEqual(word["start"], start, delta=0.1)

    def test_subtitles(self):
        name, said = list(SAID.items())[-1]
        text = " ".join(word for word, _ in said)
        srt, vtt = self.transcribe("--srt", self.path(name)), self.transcribe("--vtt", self.path(name))
        self.assertEqual(" ".join(re.findall(r"\d{3}\n(.+)\n\n", srt)), text)
        self.assertRegex(srt, r"\A1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n")
        self.assertEqual(" ".join(re.findall(r"\d{3}\n(.+)\n\n", vtt)), text)
        self.assertTrue(vtt.startswith("WEBVTT\n\n00:00:00."), vtt)

    def test_a_long_recording_is_cut_between_words(self):
        """The strings in turn make more than half a minute, which is cut and joined."""
        name, said = list(SAID.items())[-1]
        data = (ROOT / "models/digits" / name).read_bytes()[44:]
        times = 40 * 2 * RATE // len(data) + 1
        body = data * times
        head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(body), b"WAVE", b"fmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16, b"data", len(body))
        (self.folder / "long.wav").write_bytes(head + body)
        one = json.loads(self.transcribe("--json", "long.wav"))
        self.assertEqual(one["text"].split(), [word for word, _ in said] * times)
        self.assertAlmostEqual(one["words"][-1]["start"], (times - 1) * len(data) / (2 * RATE) + said[-1][1], delta=0.1)


if __name__ == "__main__":
    unittest.main()
