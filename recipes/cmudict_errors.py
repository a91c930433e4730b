#!/usr/bin/env python3
"""cmudict_errors.py VAL.tsv[.gz] OUTPUT: word and phoneme error of pronunciations, stress ignored; of several references the nearest counts.

VAL.tsv holds "word<TAB>P R O N", words with several pronunciations one after the other; OUTPUT a line for each different word, as from

  zcat val.tsv.gz | cut -f1 | uniq | heed translate -m MODEL --beam 5 > OUTPUT
"""
import gzip
import itertools
import re
import sys


def phonemes(text):
    return re.sub("[012]", "", text).split()


def distance(said, wanted):
    """Levenshtein's."""
    row = list(range(len(wanted) + 1))
    for i, x in enumerate(said, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(wanted, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


def main(val, output):
    with gzip.open(val, "rt", encoding="utf-8") if val.endswith(".gz") else open(val, encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    references = [[phonemes(said) for _, said in group] for _, group in itertools.groupby(pairs, key=lambda pair: pair[0])]
    with open(output, encoding="utf-8") as file:
        outputs = [phonemes(line) for line in file]
    if len(outputs) != len(references):
        sys.exit(f"{output}: it has {len(outputs)} lines, not {len(references)}, one for each word of {val}")
    wrong = errors = length = 0
    for said, wanted in zip(outputs, references):
        least, size = min((distance(said, each), len(each)) for each in wanted)
        wrong += least > 0
        errors += least
        length += size
    print(f"{len(outputs)} words: word error {100 * wrong / len(outputs):.2f} %, phoneme error {100 * errors / length:.2f} %")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
