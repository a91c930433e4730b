#!/usr/bin/env python3
"""words_apart.py PREFIX FOLDER: pairs of sentences in lower case with blanks between words and punctuation, as gold alignments have them.

PREFIX.train.tsv.gz and PREFIX.val.tsv.gz (source<TAB>target) become FOLDER/train.tsv and FOLDER/val.tsv. Pairs that are empty on a side are left out.

  recipes/words_apart.py $HEED_DATA/tatoeba/en-fr runs/words-apart
  recipes/words_apart.py --lower < gold.tsv        only writes lines in lower case, whose words have blanks between them already
"""
import gzip
import pathlib
import re
import sys


def apart(text):
    """Words and numbers stay whole; every other sign is a word of its own."""
    return " ".join(re.findall(r"\w+|[^\w\s]", text.lower()))


def main(prefix, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "val"):
        with gzip.open(f"{prefix}.{part}.tsv.gz", "rt", encoding="utf-8") as pairs, open(folder / f"{part}.tsv", "w", encoding="utf-8") as out:
            for line in pairs:
                source, target = (apart(text) for text in line.rstrip("\n").split("\t")[:2])
                if source and target:
                    out.write(f"{source}\t{target}\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--lower"]:
        sys.stdout.writelines(line.lower() for line in sys.stdin)
    elif len(sys.argv) == 3:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
