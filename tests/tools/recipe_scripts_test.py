"""The scripts beside the recipes: gold alignments, alignments for training, labels of compressions, strings of digits."""
import array
import gzip
import importlib.util
import math
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.dom.minidom
from unittest import mock

RECIPES = pathlib.Path(__file__).resolve().parents[2] / "recipes"


def script(name):
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Aligns word i with word i; a model whose name has an x aligns the first words only.
STAND_IN = """#!/usr/bin/env python3
import sys
for line in sys.stdin:
    source, target = line.rstrip("\\n").split("\\t")
    words = 1 if "x" in sys.argv[sys.argv.index("-m") + 1] else min(len(source.split()), len(target.split()))
    print(" ".join(f"{i}-{i}" for i in range(words)))
"""


# Answers short sources rightly, and says how many lines are equal to the reference; draws by noting what.
BY_LENGTH = """#!/usr/bin/env python3
import json, pathlib, sys
verb, args = sys.argv[1], sys.argv[2:]
if verb == "translate":
    for line in sys.stdin:
        print(line.strip()[::-1] if len(line.split()) < 3 else "wrong")
elif verb == "evaluate":
    references = [pathlib.Path(args[k + 1]).read_text().splitlines() for k, one in enumerate(args) if one == "-r"]
    said = pathlib.Path(args[args.index("-w") - 1]).read_text().splitlines()
    assert args[args.index("-m") + 1] == "bleu" and "--tokenize" in args
    print(json.dumps([{"score": 100 * sum(line in each for line, each in zip(said, zip(*references))) / len(said)}]))
else:
    pathlib.Path(args[args.index("--svg") + 1]).write_text(" ".join([verb, *args[:-1]]))
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_gold_links(self):
        gold = script("gold_links")
        line = "科学家 一直 猜想\tscientists long conjectured\t1-1 2p2 3-3"
        self.assertEqual(gold.mapped(line), "科学家 一直 猜想\tscientists long conjectured\t0-0 1p1 2-2")
        self.assertEqual(gold.mapped(line, swaps=True), "scientists long conjectured\t科学家 一直 猜想\t0-0 1p1 2-2")
        self.assertEqual(gold.mapped(line, True, "target"), "scientists long conjectured\t科学家一直猜想\t0-0 0-1 0-2 1p3 1p4 2-5 2-6")
        self.assertEqual(gold.mapped("a b\tc d\t1-2 1p2"), "a b\tc d\t0-1")
        self.assertEqual(gold.mapped("ab c\td e\t1-2 2-1", characters="source"), "abc\td e\t0-1 1-1 2-0")

    def test_training_links(self):
        heed = self.folder / "heed"
        heed.write_text(STAND_IN)
        heed.chmod(0o755)
        with gzip.open(self.folder / "pairs.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("a b\tc d e\nf\tg\n")

        def links(*more):
            return subprocess.run([sys.executable, RECIPES / "training_links.py", "m", self.folder / "pairs.tsv.gz", "--heed", heed, *more],
                                  capture_output=True, text=True, check=True).stdout
        self.assertEqual(links(), "a b\tc d e\t0-0 1-1\nf\tg\t0-0\n")
        self.assertEqual(links("--back", "x"), "a b\tc d e\t0-0\nf\tg\t0-0\n")
        self.assertEqual(links("--back", "x", "--join", "union"), links())

    def test_quality_by_length(self):
        module = script("quality_by_length")
        self.assertEqual(module.groups([3, 1, 2, 9, 2], [2, 5]), [[1, 2, 4], [0], [3]])
        self.assertEqual(sum(map(len, module.groups(list(range(1, 101)), []))), 100)
        heed = self.folder / "heed"
        heed.write_text(BY_LENGTH)
        heed.chmod(0o755)
        (self.folder / "pairs.tsv").write_text("a b\tno\na b\tb a\nc\tc\nd e f\tf e d\n")
        done = subprocess.run([sys.executable, RECIPES / "quality_by_length.py", heed, self.folder / "pairs.tsv", self.folder / "out", "one model=m", "two=n",
                               "--metric", "bleu", "--judge=--tokenize zh", "--edges", "1,2", "--svg", self.folder / "a.svg"],
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "one model: 1: 100.0, 2: 100.0, 3: 0.0\ntwo: 1: 100.0, 2: 100.0, 3: 0.0\n")
        self.assertIn('{"words of the source": 2.0, "bleu": 100.0, "sentences": 1}\n', (self.folder / "out/two/metrics.jsonl").read_text())
        self.assertEqual((self.folder / "a.svg").read_text(), "plot one model two --over words of the source --only bleu --svg")

    def test_words_apart(self):
        for part, pairs in (("train", "Don't go!\tN'y va pas !\nHi.\t \n"), ("val", "It is 5 o'clock.\tIl est 5 h.\n")):
            with gzip.open(self.folder / f"en-fr.{part}.tsv.gz", "wt", encoding="utf-8") as file:
                file.write(pairs)
        subprocess.run([sys.executable, RECIPES / "words_apart.py", self.folder / "en-fr", self.folder / "out"], check=True)
        self.assertEqual((self.folder / "out/train.tsv").read_text(encoding="utf-8"), "don ' t go !\tn ' y va pas !\n")
        self.assertEqual((self.folder / "out/val.tsv").read_text(encoding="utf-8"), "it is 5 o ' clock .\til est 5 h .\n")
        lowered = subprocess.run([sys.executable, RECIPES / "words_apart.py", "--lower"], input="Mr. Été\tx\t0-0\n", capture_output=True, text=True, check=True)
        self.assertEqual(lowered.stdout, "mr. été\tx\t0-0\n")

    def test_coverage(self):
        heed = self.folder / "heed"
        heed.write_text("#!/bin/sh\ncase \"$3\" in a) echo 1,0,0 1,0,0;; *) echo 1,0,0 0,1,0.5;; esac\n")
        heed.chmod(0o755)
        (self.folder / "pairs.tsv").write_text("<b\txy\n")
        said = subprocess.run([sys.executable, RECIPES / "coverage.py", "a", self.folder / "pairs.tsv", "--after", "b", "--svg", self.folder / "map.svg",
                               "--heed", heed], capture_output=True, text=True, check=True).stdout
        # Before, the letters get 2, 0 and 0, so (1 - c)^2 is 1 on average; after, 1, 1 and 1/2.
        self.assertIn("before: mean (1 - c)^2: 1.000   c < 1/2: 66.7 %\n", said)
        self.assertIn("after: mean (1 - c)^2: 0.083   c < 1/2: 0.0 %\n", said)
        svg = (self.folder / "map.svg").read_text(encoding="utf-8")
        self.assertEqual(len(xml.dom.minidom.parseString(svg).getElementsByTagName("rect")), 7)
        self.assertIn("<title>&lt;: 2.00</title>", svg)
        self.assertIn('fill="rgb(11,82,156)"', svg)

    def test_compression_labels(self):
        labels = script("compression_labels").labels
        self.assertEqual(labels("The dog , a big one, barked .".split(), "Dog barked".split()), ["drop", "keep"] + ["drop"] * 4 + ["keep", "drop"])
        self.assertEqual(labels("a a b".split(), "a b".split()), ["keep", "drop", "keep"])
        self.assertIsNone(labels("a b".split(), "b a".split()))
        with gzip.open(self.folder / "train.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("It rained today.\tIt rained.\nIt rained.\tIt poured.\n")
        with gzip.open(self.folder / "val.tsv.gz", "wt", encoding="utf-8") as file:
            file.write("It  rained.\tIt rained.\n")
        done = subprocess.run([sys.executable, RECIPES / "compression_labels.py", self.folder, self.folder / "out"], capture_output=True, text=True, check=True)
        self.assertEqual((self.folder / "out/train.tsv").read_text(), "It rained today.\tkeep keep drop\n")
        self.assertEqual((self.folder / "out/val.tsv").read_text(), "It rained.\tkeep keep\n")
        self.assertIn("train: left out 1", done.stderr)

    def fsdd(self, strings):
        """A data set of two digits by one speaker, recordings 0 to 10: each is a ramp of its own, so that it is found again in a string."""
        tables = {"train": [], "test": []}
        for digit, word in enumerate(("zero", "one")):
            for index in range(11):
                name = f"recordings/{digit}_ann_{index}.wav"
                (self.folder / "recordings").mkdir(exist_ok=True)
                strings.write(self.folder / name, [2000 + 1000 * digit + 50 * index + n % 40 for n in range(400)] + [0] * 160)
                tables["test" if index < 5 else "train"].append(f"{name}\t{word}\tann\t0.07\n")
        with tarfile.open(self.folder / "recordings.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "recordings", "recordings")
        for name, lines in tables.items():
            (self.folder / f"{name}.tsv").write_text("".join(lines))

    def strings_of_fsdd(self, strings, out, jobs):
        """Makes them, and gives which recordings each kind of string may be of."""
        drawn, seen = strings.drawn, {}

        def noted(kind, number, rows, sounds, **more):
            seen.setdefault(kind, set()).update(strings.index_of(row[0]) for row in rows)
            return drawn(kind, number, rows, sounds, **more)
        with mock.patch("sys.argv", ["", str(self.folder), str(out)]), mock.patch("sys.stdout"), mock.patch.object(strings, "drawn", noted), \
                mock.patch.dict("os.environ", {"FSDD_JOBS": jobs}), \
                mock.patch.dict(strings.STRINGS, {"train": 2, "valid": 2, "test": 3, "pauses": 4}):
            strings.main()
        return seen

    def test_fsdd_strings(self):
        strings = script("fsdd_strings")
        self.fsdd(strings)
        once, again = self.folder / "once", self.folder / "again"
        seen = self.strings_of_fsdd(strings, once, "1")
        self.assertEqual(seen, {"train": {10}, "valid": set(range(5, 10)), "test": set(range(5)), "pauses": set(range(5))})
        self.strings_of_fsdd(strings, again, "3")
        files = sorted(path.relative_to(once) for path in once.rglob("*.wav"))
        self.assertEqual([(once / path).read_bytes() for path in files], [(again / path).read_bytes() for path in files])
        rows = {path.stem: [line.split("\t") for line in path.read_text().splitlines()] for path in once.glob("*.tsv")}
        self.assertEqual({name: len(rows[name]) for name in ("train", "valid", "test", "digits")}, {"train": 2 + 2, "valid": 2 + 10, "test": 3, "digits": 10})
        self.assertEqual([row[1] for row in rows["letters"]], ["one", "zero"] + ["o z"] * 20)
        self.assertEqual(rows["valid"][-1], ["recordings/1_ann_9.wav", "one", "one@0.000", "one@0.000-0.050"])
        for low, high in strings.PAUSES:
            plain, spoken = rows[f"pauses-{low:g}-{high:g}"], rows[f"spoken-{low:g}-{high:g}"]
            self.assertEqual([row[1] for row in plain], [row[1] for row in rows["pauses-1-2"]])
            self.assertEqual([row[1] for row in plain], [row[1] for row in spoken])
            for row in plain:
                self.check_pauses(strings, once, row, low, high)
            for path, words, starts, sounds in spoken:
                self.assertTrue([one.split("@")[0] for one in starts.split()] == [one.split("@")[0] for one in sounds.split()] == words.split())
                self.assertLess(max(map(abs, strings.samples_of(once / path))), 32768)

    def check_pauses(self, strings, out, row, low, high):
        """The recordings of a string are in it as they are, where the table says, with pauses of this length between them."""
        path, words, starts, sounds = row
        samples = strings.samples_of(out / path)
        self.assertIn(len(words.split()), range(3, 8))
        self.assertEqual([word.split("@")[0] for word in starts.split()], words.split())
        begins = []
        for word, sound in zip(starts.split(), sounds.split()):
            name, start = word.split("@")
            middle = round(float(start) * strings.RATE)  # of a millisecond, eight samples
            ramps = [array.array("h", (2000 + 1000 * (name == "one") + 50 * index + n % 40 for n in range(400))) for index in range(5)]
            found = [at for at in range(middle - 4, middle + 5) if samples[at:at + 400] in ramps]
            self.assertEqual(len(found), 1, f"{path}: no recording of this part begins at {word}")
            begins += found
            self.assertEqual(sound, f"{name}@{found[0] / strings.RATE:.3f}-{(found[0] + 400) / strings.RATE:.3f}")  # 20 ms of silence follow
        for before, after in zip(begins, begins[1:]):
            self.assertTrue(low <= (after - before - 560) / strings.RATE + 1e-4 and (after - before - 560) / strings.RATE - 1e-4 <= high)

    def test_fsdd_strings_as_people_speak(self):
        """Speed, level and noise are in the ranges that the script's page promises, and change between strings."""
        strings = script("fsdd_strings")
        voice = strings.Recording(array.array("h", [round(8000 * math.sin(0.3 * n)) for n in range(3000)] + [3, -3] * 400))
        self.assertEqual(voice.sound, (0, 3040))
        noises, peaks, speeds, floors = strings.Noise(), [], [], []
        for number in range(60):
            string = strings.String(random.Random(number), ["0_ann_1.wav"], {"0_ann_1.wav": voice})
            samples = string.samples(noises)
            begin, end = string.starts()[0], string.starts()[0] + string.long(3000)
            peaks.append(20 * math.log10(max(map(abs, samples)) / 32767))
            speeds.append(3800 / string.long(3800))
            quiet = samples[:begin] + samples[end + string.long(800):]
            power = sum(x * x for x in samples[begin:end]) / (end - begin)
            floors.append(10 * math.log10(max(sum(x * x for x in quiet) / len(quiet), 0.01) / power))
        for found, (low, high) in ((speeds, strings.SPEED), (peaks, strings.PEAK)):
            self.assertTrue(low - 0.01 <= min(found) < low + (high - low) / 4 and high - (high - low) / 4 < max(found) <= high + 4, found)
        noisy = [floor for floor in floors if floor > -42]
        self.assertTrue(15 <= len(noisy) <= 45 and max(noisy) < -13, floors)


if __name__ == "__main__":
    unittest.main()
