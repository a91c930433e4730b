"""import_speech_test.py HEED: Whisper folders write down in heed what they write down in transformers.

The folders and what the originals say are made by tools/fixtures/imported.py, the sounds by tools/fixtures/made_sounds.py.
"""
import json
import pathlib
import shutil
import sys
import unittest
import wave

from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)

sys.path.append(str(ROOT / "tools" / "fixtures"))
from made_sounds import RATE, made_sound  # noqa: E402

FIXTURES = ROOT / "tests" / "fixtures" / "imported"
FOLDERS = [FIXTURES / "whisper", FIXTURES / "whisper-whole"]


def options_of(settings):
    """Of generate(), in heed."""
    words = []
    for key, value in settings.items():
        words += {"num_beams": ["--beam", str(value)], "length_penalty": ["--length-norm", "length", "--alpha", str(value)],
                  "early_stopping": ["--until", "full" if value else "settled"], "no_repeat_ngram_size": ["--no-repeat-ngram", str(value)],
                  "language": ["--language", str(value)], "task": []}[key]
    if "task" in settings:
        words += ["--start", f"<|{settings['language']}|><|{settings['task']}|><|notimestamps|>"]
        words.remove("--language")
        words.remove(settings["language"])
    return words


def tokens_by_id(folder):
    if (folder / "tokenizer.json").exists():
        whole = json.loads((folder / "tokenizer.json").read_text())
        table = whole["model"]["vocab"] | {one["content"]: one["id"] for one in whole["added_tokens"]}
    else:
        table = json.loads((folder / "vocab.json").read_text()) | json.loads((folder / "added_tokens.json").read_text())
        last = max(table.values())
        table |= {f"<|{i * 0.02:.2f}|>": last + 1 + i for i in range(51)}
    return {number: token for token, number in table.items()}


class ImportSpeech(Cli):
    def sound(self, seed, count):
        path = self.folder / f"{seed}.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, count, "NONE", ""))
            file.writeframes(b"".join(sample.to_bytes(2, "little", signed=True) for sample in made_sound(seed, count)))
        return str(path)

    def transcripts(self, model, sounds, *options):
        out, _ = self.heed("transcribe", "-m", str(model), "--json", *options, *sounds)
        return [json.loads(line) for line in out.splitlines()]

    def test_every_search_finds_what_the_original_finds(self):
        met = 0
        for folder in FOLDERS:
            tokens = tokens_by_id(folder)
            for name, output in json.loads((folder / "said.json").read_text())["outputs"].items():
                sounds = [self.sound(*sound) for sound in output["sounds"]]
                said = self.transcripts(folder, sounds, *options_of(output["settings"]))
                for one, ids in zip(said, output["ids"], strict=True):
                    with self.subTest(folder=folder.name, search=name, file=one["file"]):
                        found = [token["text"] for token in one["tokens"]]
                        self.assertEqual(found[found.index("<|notimestamps|>") + 1 :], [tokens[i] for i in ids])
                        met += 1
        self.assertGreater(met, 80)

    def test_the_text_has_no_tokens_of_the_start(self):
        outputs = json.loads((FOLDERS[1] / "said.json").read_text())["outputs"]["as the folder says"]
        sounds = [self.sound(*sound) for sound in outputs["sounds"]]
        self.assertEqual([one["text"] for one in self.transcripts(FOLDERS[1], sounds)], [text[1:] for text in outputs["texts"]])
        out, _ = self.heed("transcribe", "-m", str(FOLDERS[1]), "--times", sounds[0])
        self.assertRegex(out, r"^the@0\.\d+ house@\d")
        self.assertNotIn("<|", out)
        out, _ = self.heed("transcribe", "-m", str(FOLDERS[0]), "--srt", sounds[0])
        self.assertIn("the house is small", out)
        self.assertNotIn("<|", out)
        drawing, _ = self.heed("transcribe", "-m", str(FOLDERS[0]), "--draw", sounds[0])
        self.assertIn("house", drawing)

    def test_a_file_says_the_same_as_its_folder(self):
        out, err = self.heed("import", str(FOLDERS[0]), "-o", "whisper.safetensors")
        self.assertEqual(err, "")
        self.assertRegex(out, r"(?m)^family +whisper$")
        sounds = [self.sound(*sound) for sound in ((1, 9000), (7, 14000))]
        said = self.transcripts(FOLDERS[0], sounds)
        self.assertEqual(self.transcripts("whisper.safetensors", sounds), said)
        shown, _ = self.heed("inspect", "whisper.safetensors")
        for line in (r"imported +whisper", r"licence +cc0-1.0", r"sha256 of merges.txt +[0-9a-f]{64}"):
            self.assertRegex(shown, rf"(?m)^{line}$")
        smaller, _ = self.heed("quantise", "whisper.safetensors", "small.safetensors")
        self.assertRegex(smaller, r"bytes +\d+ -> \d+")
        self.assertEqual(len(self.transcripts("small.safetensors", sounds)), 2)

    def test_language_and_start_are_chosen_by_name(self):
        sound = self.sound(1, 9000)

        def begins(*options):
            (one,) = self.transcripts(FOLDERS[0], [sound], *options)
            return [token["text"] for token in one["tokens"][:3]]

        self.assertEqual(begins(), ["<|de|>", "<|transcribe|>", "<|notimestamps|>"])  # as it was taught
        self.assertEqual(begins("--language", "fr"), ["<|fr|>", "<|transcribe|>", "<|notimestamps|>"])
        self.assertEqual(begins("--start", "<|en|>/<|fr|><|translate|><|notimestamps|>")[1:], ["<|translate|>", "<|notimestamps|>"])
        for part, options in (("\"xx\" is none between which this model chooses", ("--language", "xx")),
                              ("begins with no named token", ("--start", "<|zz|>")), ("begins with no named token", ("--start", "the")),
                              ("begins with no named token", ("--start", "<|en|>/")), ("begins with no named token", ("--start", "/<|en|>"))):
            self.fails(2, part, "transcribe", "-m", str(FOLDERS[0]), *options, sound)
        self.fails(2, "\"fr\" is none between which this model chooses", "transcribe", "-m", str(FOLDERS[1]), "--language", "fr", sound)

    def test_closed_tokens_are_closed(self):
        sound = self.sound(1, 9000)
        tokens = {token: number for number, token in tokens_by_id(FOLDERS[0]).items()}
        said = json.dumps(self.transcripts(FOLDERS[0], [sound], "--closed", f"{tokens['Ġthe']},{tokens['ou']}", "--closed-first", str(tokens["Ġa"]))[0]["tokens"],
                          ensure_ascii=False)
        self.assertNotIn("\"Ġthe\"", said)
        self.assertNotIn("\"ou\"", said)
        self.fails(2, "must be a list of whole numbers", "transcribe", "-m", str(FOLDERS[0]), "--closed", "x", sound)

    def test_a_longer_recording_is_heard_in_parts(self):
        sound = self.sound(1, 40000)
        (one,) = self.transcripts(FOLDERS[0], [sound], "--max-seconds", "1")
        starts = [token["text"] for token in one["tokens"]].count("<|transcribe|>")
        self.assertGreaterEqual(starts, 3)
        self.fails(2, "the model hears 50 positions at a time, and this has 125", "transcribe", "-m", str(FOLDERS[0]), sound)

    def test_folders_that_are_not_as_they_should_be(self):
        folder = self.folder / "changed"
        for name, contents, part in (("config.json", "[" * 100000, "config.json"), ("vocab.json", "{}", "has no token"), ("merges.txt", "\0 \0", "merge"),
                                     ("generation_config.json", '{"return_timestamps": true}', "return_timestamps = true"),
                                     ("preprocessor_config.json", '{"chunk_length": 1e300}', "chunk_length")):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(FOLDERS[0], folder)
            (folder / name).write_text(contents)
            self.fails(3, part, "import", str(folder), "-o", "never.safetensors")
            self.assertFalse(pathlib.Path(self.folder / "never.safetensors").exists())


if __name__ == "__main__":
    unittest.main()
