#!/usr/bin/env python3
"""fsdd_strings.py FSDD OUT: strings of spoken digits, joined from single recordings of the Free Spoken Digit Dataset.

FSDD is a folder with recordings.tar.gz, train.tsv and test.tsv (path, word, speaker, seconds). OUT gets the recordings, and

  train.tsv         path, words          strings of 1 to 7 digits, of recordings of train.tsv, each of one speaker, and those recordings
  valid.tsv         path, words, starts  strings of 3 to 7 digits, of recordings that train.tsv's strings do not use (index 5 to 9), and
                                         those recordings; starts as word@seconds
  test.tsv          path, words, starts  strings of 3 to 7 digits, of recordings of test.tsv
  digits.tsv        path, word           the recordings of test.tsv themselves

Between two digits there are 30 to 250 ms of quiet, before the first and after the last 50 to 300 ms; all of it is drawn from the
recordings' own quietest moments by a fixed seed, so that the same files come out every time."""
import array
import random
import sys
import tarfile
import wave
from pathlib import Path

RATE = 8000
STRINGS = {"train": 6000, "valid": 300, "test": 500}


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


def quiet_of(samples):
    """The quietest 10 ms of a recording, which its noise is made of."""
    block = RATE // 100
    starts = range(0, max(1, len(samples) - block), block)
    at = min(starts, key=lambda first: sum(x * x for x in samples[first:first + block]))
    return samples[at:at + block]


def noise(dice, quiet, seconds):
    """Quiet of this length: moments of the quietest ones in any order, so that there is no tone in it."""
    count = round(seconds * RATE)
    return array.array("h", (dice.choice(quiet) for _ in range(count)))


def string_of(dice, chosen, sounds):
    """The samples of a string, and the second at which each digit begins."""
    quiet = quiet_of(sounds[chosen[0]])
    samples = noise(dice, quiet, dice.uniform(0.05, 0.3))
    starts = []
    for place, path in enumerate(chosen):
        if place > 0:
            samples.extend(noise(dice, quiet, dice.uniform(0.03, 0.25)))
        starts.append(len(samples) / RATE)
        samples.extend(sounds[path])
    samples.extend(noise(dice, quiet, dice.uniform(0.05, 0.3)))
    return samples, starts


def rows_of(table):
    return [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()]


def index_of(path):
    return int(Path(path).stem.rsplit("_", 1)[1])


def make(name, rows, sounds, out, least):
    dice = random.Random(f"fsdd {name}")
    by_speaker = {}
    for path, word, speaker, _ in rows:
        by_speaker.setdefault(speaker, []).append((path, word))
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(STRINGS[name]):
        speaker = dice.choice(sorted(by_speaker))
        chosen = [dice.choice(by_speaker[speaker]) for _ in range(dice.randint(least, 7))]
        samples, starts = string_of(dice, [path for path, _ in chosen], sounds)
        file = f"{name}/{number:05}.wav"
        write(out / file, samples)
        words = [word for _, word in chosen]
        cells = [file, " ".join(words)]
        if name != "train":
            cells.append(" ".join(f"{word}@{start:.3f}" for word, start in zip(words, starts)))
        lines.append("\t".join(cells))
    if name != "test":
        lines += [f"{path}\t{word}" + (f"\t{word}@0.000" if name == "valid" else "") for path, word, _, _ in rows]
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
    sounds = {row[0]: samples_of(out / row[0]) for row in train + test}
    make("train", [row for row in train if index_of(row[0]) >= 10], sounds, out, 1)
    make("valid", [row for row in train if index_of(row[0]) < 10], sounds, out, 3)
    make("test", test, sounds, out, 3)
    (out / "digits.tsv").write_text("".join(f"{row[0]}\t{row[1]}\n" for row in test), encoding="utf-8")


if __name__ == "__main__":
    main()
