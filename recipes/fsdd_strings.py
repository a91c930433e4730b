#!/usr/bin/env python3
"""fsdd_strings.py FSDD OUT: strings of spoken digits, joined from single recordings of the Free Spoken Digit Dataset.

FSDD is a folder with recordings.tar.gz, train.tsv and test.tsv (path, word, speaker, seconds). OUT gets the recordings, and

  train.tsv         path, words                  strings of 1 to 5 digits, of recordings of train.tsv, each of one speaker, and those recordings
  valid.tsv         path, words, starts, sounds  strings of 3 to 7 digits, of recordings that train.tsv's strings do not use (index 5 to 9), and
                                                 those recordings; starts as word@seconds, where its recording begins, sounds as
                                                 word@seconds-seconds, where the recording has sound: from the first to the last 10 ms whose power
                                                 is within 30 dB of its loudest
  test.tsv          path, words, starts, sounds  strings of 3 to 7 digits, of recordings of test.tsv
  digits.tsv        path, word                   the recordings of test.tsv themselves
  letters.tsv       path, words                  what recipes/fsdd-letters.toml learns its units from: the ten words, and twenty times the letters that
                                                 they begin with as words of their own
  pauses-A-B.tsv    as test.tsv                  200 strings of test recordings as they are, with pauses of A to B seconds: the same strings in
                                                 each of these tables, only their pauses differ
  spoken-A-B.tsv    as test.tsv                  the same strings as people speak (below)

Between two digits there are 0.03 to 2 s of quiet, as many short ones as long ones (uniform in the logarithm), before the first and after the last
up to 1 s. As people speak: 0.8 to 1.25 times as fast, which makes voices higher and lower, too; each digit up to 3 dB louder or softer than the
others; the loudest sample of a string at −35 to 0 dB of full scale; and in half of the strings noise, from a hiss to a rumble, 15 to 40 dB below
the digits' power. Quiet is drawn from the recordings' own quietest moments, or, in a quarter of the strings, is digital silence. Every string has
a seed of its own, so that the same files come out every time, however many processes (FSDD_JOBS, or as many as there are cores) write them."""
import array
import math
import multiprocessing
import os
import random
import sys
import tarfile
import wave
from pathlib import Path

RATE = 8000
STRINGS = {"train": 6000, "valid": 300, "test": 500, "pauses": 200}
DIGITS = {"train": (1, 5), "valid": (3, 7), "test": (3, 7), "pauses": (3, 7)}
PAUSES = [(0.03, 0.25), (0.25, 0.35), (0.35, 0.5), (0.5, 0.7), (0.7, 1), (1, 2)]  # of the tables by pause, in seconds
PAUSE, ENDS = (0.03, 2), (0, 1)
SPEED, LOUDER, PEAK = (0.8, 1.25), (-3, 3), (-35, 0)
NOISY, NOISE = 0.5, (-40, -15)
SILENT = 0.25
COLOURS = (0, 0.5, 0.8, 0.95)  # of noise: how much of a sample is left in the next
BLOCK = RATE // 100


def samples_of(path):
    with wave.open(str(path), "rb") as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            sys.exit(f"{path}: saw {file.getframerate()} samples a second, {file.getnchannels()} channels, needs 8000, one, 16 bits")
        samples = array.array("h", file.readframes(file.getnframes()))
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def write(path, samples):
    out = array.array("h", samples)
    if sys.byteorder == "big":
        out.byteswap()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(out.tobytes())


def powers_of(samples):
    """The mean square of every 10 ms."""
    blocks = [samples[first:first + BLOCK] for first in range(0, len(samples), BLOCK)]
    return [sum(x * x for x in block) / len(block) for block in blocks]


class Recording:
    """One recording of a digit, with what strings need to know of it."""

    def __init__(self, samples):
        self.samples = samples
        powers = powers_of(samples)
        whole = max(1, len(samples) // BLOCK)  # the last block may be a part of one
        quietest = min(range(whole), key=lambda at: powers[at])
        self.quiet = samples[quietest * BLOCK:(quietest + 1) * BLOCK]
        self.power = sum(x * x for x in samples) / len(samples)
        self.peak = max(map(abs, samples))
        loud = [at for at, power in enumerate(powers) if power >= max(powers) / 1000]
        self.sound = (loud[0] * BLOCK, min(len(samples), (loud[-1] + 1) * BLOCK))  # in samples


class Noise:
    """A few seconds of noise of every colour, with a mean square of 1."""
    COUNT = 1 << 15

    def __init__(self):
        dice = random.Random("fsdd noise")
        self.of = {}
        for kept in COLOURS:
            last, fresh, all_of = 0, math.sqrt(1 - kept * kept), []
            for _ in range(self.COUNT):
                last = kept * last + fresh * dice.gauss(0, 1)
                all_of.append(last)
            self.of[kept] = all_of * 2

    def samples(self, dice, count):
        """So many, from anywhere on, over and over."""
        colour, first = self.of[dice.choice(COLOURS)], dice.randrange(self.COUNT)
        some = colour[first:first + self.COUNT]
        return (some * (count // self.COUNT + 1))[:count]


class String:
    """What a string is made of: drawn at once, written later."""

    def __init__(self, dice, chosen, sounds, pause=None, is_spoken=True):
        self.sounds = [sounds[path] for path in chosen]
        self.words = [word_of(path) for path in chosen]
        low, high = pause or PAUSE
        lasts = [math.exp(dice.uniform(math.log(low), math.log(high))) for _ in chosen[1:]]
        self.gaps = [round(x * RATE) for x in (dice.uniform(*ENDS), *lasts, dice.uniform(*ENDS))]
        self.seed = dice.random()
        spoken = random.Random(self.seed)  # so that a string as it is and one as people speak have the same recordings
        self.speed = math.exp(spoken.uniform(*map(math.log, SPEED))) if is_spoken else 1
        self.gains = [10 ** (spoken.uniform(*LOUDER) / 20) if is_spoken else 1 for _ in chosen]
        if is_spoken:
            loudest = max(gain * sound.peak for gain, sound in zip(self.gains, self.sounds))
            level = 32767 * 10 ** (spoken.uniform(*PEAK) / 20) / max(loudest, 1)
            self.gains = [gain * level for gain in self.gains]
        self.is_silent = is_spoken and spoken.random() < SILENT
        self.noise = 10 ** (spoken.uniform(*NOISE) / 20) if is_spoken and spoken.random() < NOISY else 0

    def long(self, samples):
        """As many samples are that many at this speed."""
        return round(samples / self.speed)

    def starts(self):
        """The sample at which each digit begins."""
        at, all_of = 0, []
        for gap, sound in zip(self.gaps, self.sounds):
            at += gap
            all_of.append(at)
            at += self.long(len(sound.samples))
        return all_of

    def row(self, file):
        starts = self.starts()
        spans = [[start + self.long(edge) for edge in sound.sound] for start, sound in zip(starts, self.sounds)]
        return [file, " ".join(self.words),
                " ".join(f"{word}@{start / RATE:.3f}" for word, start in zip(self.words, starts)),
                " ".join(f"{word}@{start / RATE:.3f}-{end / RATE:.3f}" for word, (start, end) in zip(self.words, spans))]

    def faster(self, samples):
        """At this speed, with straight lines between the samples."""
        if self.speed == 1:
            return samples
        last, step = len(samples) - 1, self.speed
        places = [min(n * step, last) for n in range(self.long(len(samples)))]
        follows = samples + samples[-1:]
        return [samples[int(x)] + (x - int(x)) * (follows[int(x) + 1] - samples[int(x)]) for x in places]

    def samples(self, noises):
        dice = random.Random(f"{self.seed} samples")
        quiet, softest = self.sounds[0].quiet, min(self.gains)
        whole = []
        for place, gap in enumerate(self.gaps):
            whole.extend([0] * gap if self.is_silent else [softest * x for x in dice.choices(quiet, k=gap)])
            if place < len(self.sounds):
                gain = self.gains[place]
                whole.extend(gain * x for x in self.faster(self.sounds[place].samples))
        if self.noise > 0:
            powers = [gain * gain * sound.power for gain, sound in zip(self.gains, self.sounds)]
            level = self.noise * math.sqrt(sum(powers) / len(powers))
            whole = [x + level * y for x, y in zip(whole, noises.samples(dice, len(whole)))]
        return array.array("h", (max(-32768, min(32767, round(x))) for x in whole))


def word_of(path):
    return ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[int(Path(path).name[0])]


def rows_of(table):
    return [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]


def index_of(path):
    return int(Path(path).stem.rsplit("_", 1)[1])


def drawn(kind, number, rows, sounds, **more):
    dice = random.Random(f"fsdd {kind} {number}")
    by_speaker = {}
    for path, _, speaker, _ in rows:
        by_speaker.setdefault(speaker, []).append(path)
    speaker = dice.choice(sorted(by_speaker))
    return String(dice, [dice.choice(by_speaker[speaker]) for _ in range(dice.randint(*DIGITS[kind]))], sounds, **more)


def write_all(strings, out):
    """Writes strings, [(file, string)], by several processes."""
    jobs = min(int(os.environ.get("FSDD_JOBS", os.cpu_count() or 1)), len(strings))
    noises = Noise()

    def write_some(first):
        for file, string in strings[first::jobs]:
            write(out / file, string.samples(noises))

    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=write_some, args=(first,)) for first in range(1, jobs)]
    for worker in workers:
        worker.start()
    write_some(0)
    for worker in workers:
        worker.join()
        if worker.exitcode != 0:
            sys.exit(f"{out}: a process that writes strings ended with {worker.exitcode}; what it last printed says why")


def make(name, kind, rows, sounds, out, **more):
    """The strings of one table; `kind` is whose seeds, numbers and lengths they have."""
    (out / name).mkdir(parents=True, exist_ok=True)
    strings = [(f"{name}/{number:05}.wav", drawn(kind, number, rows, sounds, **more)) for number in range(STRINGS[kind])]
    write_all(strings, out)
    lines = ["\t".join(string.row(file)[:2 if name == "train" else 4]) for file, string in strings]
    if name == "train":
        lines += [f"{path}\t{word}" for path, word, _, _ in rows]
    if name == "valid":
        for path, word, _, _ in rows:
            start, end = sounds[path].sound
            lines.append(f"{path}\t{word}\t{word}@0.000\t{word}@{start / RATE:.3f}-{end / RATE:.3f}")
    (out / f"{name}.tsv").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    print(f"{out / name}.tsv: {len(lines)} recordings")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    fsdd, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fsdd / "recordings.tar.gz") as archive:
        for member in archive.getmembers():
            if member.isfile() and not member.name.startswith(("/", "..")) and "/../" not in member.name:
                archive.extract(member, out)
    train, test = rows_of(fsdd / "train.tsv"), rows_of(fsdd / "test.tsv")
    sounds = {row[0]: Recording(samples_of(out / row[0])) for row in train + test}
    make("train", "train", [row for row in train if index_of(row[0]) >= 10], sounds, out)
    make("valid", "valid", [row for row in train if index_of(row[0]) < 10], sounds, out)
    make("test", "test", test, sounds, out)
    for pause in PAUSES:
        for kind, is_spoken in (("pauses", False), ("spoken", True)):
            make(f"{kind}-{pause[0]:g}-{pause[1]:g}", "pauses", test, sounds, out, pause=pause, is_spoken=is_spoken)
    begins = " ".join(sorted({word[0] for _, word, _, _ in train}))
    some = {word: path for path, word, _, _ in train}
    lines = [f"{path}\t{word}\n" for word, path in sorted(some.items())] + [f"{max(some.values())}\t{begins}\n"] * 20
    (out / "letters.tsv").write_text("".join(lines), encoding="utf-8")
    (out / "digits.tsv").write_text("".join(f"{row[0]}\t{row[1]}\n" for row in test), encoding="utf-8")


if __name__ == "__main__":
    main()
