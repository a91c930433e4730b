#!/usr/bin/env python3
"""compression_labels.py DATA FOLDER: Google's sentence compressions as labels, for recipes/compression-labels.toml.

DATA holds train.tsv.gz and val.tsv.gz (sentence<TAB>compression); FOLDER gets train.tsv and val.tsv, with the sentence's words and, for each of
them, `keep` or `drop`. The words that are kept are a longest common subsequence of both; case and punctuation at a word's ends are ignored. Sentences
whose compression has a word that is not in the sentence are left out and counted.
"""
import gzip
import pathlib
import re
import sys


def plain(word):
    return re.sub(r"^\W+|\W+$", "", word).lower() or word


def labels(words, kept):
    """keep or drop for each word; None if `kept` is no subsequence of `words`."""
    words, kept = [plain(word) for word in words], [plain(word) for word in kept]
    length = [[0] * (len(kept) + 1) for _ in range(len(words) + 1)]  # of the longest common subsequence of words[i:] and kept[j:]
    for i in reversed(range(len(words))):
        for j in reversed(range(len(kept))):
            length[i][j] = 1 + length[i + 1][j + 1] if words[i] == kept[j] else max(length[i + 1][j], length[i][j + 1])
    if length[0][0] < len(kept):
        return None
    said, j = [], 0
    for i, word in enumerate(words):
        is_kept = j < len(kept) and word == kept[j] and length[i][j] == 1 + length[i + 1][j + 1]
        said.append("keep" if is_kept else "drop")
        j += is_kept
    return said


def main(data, folder):
    data, folder = pathlib.Path(data), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "val"):
        left_out = 0
        with gzip.open(data / f"{part}.tsv.gz", "rt", encoding="utf-8") as pairs, open(folder / f"{part}.tsv", "w", encoding="utf-8") as out:
            for line in pairs:
                sentence, compression = line.rstrip("\n").split("\t")
                words = sentence.split()
                said = labels(words, compression.split())
                if said is None:
                    left_out += 1
                else:
                    out.write(f"{' '.join(words)}\t{' '.join(said)}\n")
        print(f"{part}: left out {left_out}", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
