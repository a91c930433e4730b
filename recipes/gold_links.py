#!/usr/bin/env python3
"""gold_links.py FILE.tsv[.gz] [--swap] [--characters SIDE]: gold word alignments as heed reads them.

FILE holds source<TAB>target<TAB>links; words have blanks between them, and links (i-j sure, ipj possible) count words from 1. Each line is written
as source<TAB>target<TAB>links with links from 0. --swap exchanges source and target. --characters source, target or both is for models whose
tokens are characters: the side is written without blanks, and a link to a word becomes links to all its characters.

  recipes/gold_links.py --swap --characters target $HEED_DATA/word_alignment/zhen.tsv.gz > gold.tsv
  cut -f1,2 gold.tsv | heed align -m en-zh --pairs - > out.align
  cut -f3 gold.tsv > gold.align && heed evaluate --links gold.align out.align
"""
import argparse
import gzip
import re
import sys


def spans(words, splits):
    """The positions of each word: itself, or those of its characters."""
    if not splits:
        return [[i] for i in range(len(words))]
    found, first = [], 0
    for word in words:
        found.append(list(range(first, first + len(word))))
        first += len(word)
    return found


def mapped(line, swaps=False, characters=""):
    """One line of gold, as heed reads it."""
    source, target, links = line.rstrip("\n").split("\t")
    pairs = [(int(i) - 1, int(j) - 1, sure) for i, sure, j in re.findall(r"(\d+)([-p])(\d+)", links)]
    if swaps:
        source, target, pairs = target, source, [(j, i, sure) for i, j, sure in pairs]
    sides = []
    for name, text in (("source", source), ("target", target)):
        splits = characters in (name, "both")
        words = text.split()
        sides.append(("" if splits else " ").join(words))
        sides.append(spans(words, splits))
    source, of_source, target, of_target = sides
    said = sorted({(s, t, sure) for i, j, sure in pairs for s in of_source[i] for t in of_target[j]})
    sure = {(s, t) for s, t, kind in said if kind == "-"}  # a link that is both is sure
    said = [(s, t, kind) for s, t, kind in said if kind == "-" or (s, t) not in sure]
    return f"{source}\t{target}\t{' '.join(f'{s}{kind}{t}' for s, t, kind in said)}"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--swap", action="store_true")
    parser.add_argument("--characters", choices=["source", "target", "both"], default="")
    args = parser.parse_args(arguments)
    with gzip.open(args.file, "rt", encoding="utf-8") if args.file.endswith(".gz") else open(args.file, encoding="utf-8") as file:
        for line in file:
            print(mapped(line, args.swap, args.characters))


if __name__ == "__main__":
    main(sys.argv[1:])
