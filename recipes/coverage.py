#!/usr/bin/env python3
"""coverage.py MODEL PAIRS.tsv [--heed PROGRAM]: how evenly a model attends to its sources when it is forced to say the targets.

The coverage of a source token is the sum of the attention weights that it gets from all target tokens, c_j = Σ_i α_ij. Prints the mean of
(1 − c_j)², which the doubly stochastic regulariser lowers (Xu 2015, section 4.2.1), the share of tokens with c_j < ½, and a map of the first pairs:
one line of squares for each source, darker where c_j is larger.
"""
import argparse
import subprocess
import sys

SHADES = " ░▒▓█"


def coverages(line):
    """c_j of every source token, from a line of `heed align --format soft`."""
    rows = [[float(weight) for weight in group.split(",")] for group in line.split()]
    return [sum(column) for column in zip(*rows)]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("pairs")
    parser.add_argument("--heed", default="heed")
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args(arguments)
    said = subprocess.run([args.heed, "align", "-m", args.model, "--pairs", args.pairs, "--format", "soft"], stdout=subprocess.PIPE, text=True, check=True).stdout
    every = [coverages(line) for line in said.splitlines()]
    with open(args.pairs, encoding="utf-8") as file:
        sources = [line.split("\t")[0] for line in file]
    tokens = [c for line in every for c in line]
    print(f"mean (1 - c)^2: {sum((1 - c) ** 2 for c in tokens) / len(tokens):.3f}   c < 1/2: {100 * sum(c < 0.5 for c in tokens) / len(tokens):.1f} %")
    for source, line in list(zip(sources, every, strict=True))[:args.show]:
        print("".join(SHADES[min(int(2 * c + 0.5), 4)] for c in line), source, sep="  ")


if __name__ == "__main__":
    main(sys.argv[1:])
