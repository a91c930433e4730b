#!/usr/bin/env python3
"""training_links.py MODEL PAIRS.tsv[.gz] [--back MODEL]: word alignments of training data by heed models, for the objective `alignment`.

Writes source<TAB>target<TAB>links for every pair, as `heed align` finds them with MODEL. With --back, a model of the other direction aligns the
exchanged pairs, and a link is kept if both have it (--join intersection, the default) or if one of them has it (--join union). Gold alignments are
for evaluation: train on links that a model made.

  recipes/training_links.py runs/before/model.safetensors train.tsv > links.tsv
  heed train recipe.toml --set 'training.objectives=["teacher_forcing",{kind="alignment",links="links.tsv",weight=0.5,schedule="linear"}]'

--heed PROGRAM names the program.
"""
import argparse
import gzip
import subprocess
import sys


def read_pairs(path):
    with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split("\t")[:2]) for line in file]


def aligned(heed, model, pairs):
    """The links of each pair, (source, target) from 0."""
    text = "".join(f"{source}\t{target}\n" for source, target in pairs)
    said = subprocess.run([heed, "align", "-m", model, "--pairs", "-"], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = said.split("\n")[:len(pairs)]
    if len(lines) != len(pairs):
        sys.exit(f"training_links: saw {len(lines)} lines of links for {len(pairs)} pairs")
    return [{tuple(map(int, link.split("-"))) for link in line.split()} for line in lines]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("pairs")
    parser.add_argument("--back", default="")
    parser.add_argument("--join", choices=["intersection", "union"], default="intersection")
    parser.add_argument("--heed", default="heed")
    args = parser.parse_args(arguments)
    pairs = read_pairs(args.pairs)
    links = aligned(args.heed, args.model, pairs)
    if args.back:
        back = aligned(args.heed, args.back, [(target, source) for source, target in pairs])
        join = set.intersection if args.join == "intersection" else set.union
        links = [join(ahead, {(s, t) for t, s in behind}) for ahead, behind in zip(links, back, strict=True)]
    for (source, target), own in zip(pairs, links, strict=True):
        print(f"{source}\t{target}\t{' '.join(f'{s}-{t}' for s, t in sorted(own))}")


if __name__ == "__main__":
    main(sys.argv[1:])
