#!/usr/bin/env python3
"""quality_by_length.py HEED PAIRS.tsv FOLDER NAME=MODEL… [--metric exact_match] [--judge="--tokenize zh"] [--edges 4,6,8] [--svg FILE]

How good models are for sources of different lengths. PAIRS.tsv has lines of source, tab, target; lines with the same source one behind the other
are references of one sentence. Sources are counted in words if one of them has a blank, otherwise in characters, and put into groups that end at each
of the edges (by default ten groups of about equal size). For each model, FOLDER/NAME/metrics.jsonl gets a line for each group: the mean length,
the score and the number of sentences; --svg draws them, as heed plot does. The figures are also printed. The score is called as the metric is, but
exact_match is called right (%).

  heed synth reverse -n 2000 --split test > test.tsv
  recipes/quality_by_length.py build/release/heed test.tsv lengths attention=runs/a/model.safetensors fixed=runs/f/model.safetensors --svg lengths.svg
"""
import argparse
import itertools
import json
import pathlib
import subprocess

TITLES = {"exact_match": "right (%)"}


def examples(path):
    """[(source, [target, …])]"""
    pairs = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [(source, [target for _, target in group]) for source, group in itertools.groupby(pairs, key=lambda pair: pair[0])]


def groups(lengths, edges):
    """Indices into lengths: a list for each group that is not empty, short sources first."""
    if not edges:
        order = sorted(lengths)
        edges = [order[min(len(order) * k // 10, len(order) - 1)] for k in range(1, 10)]
    bounds = [0, *sorted(set(edges)), max(lengths)]
    made = [[i for i, length in enumerate(lengths) if low < length <= high] for low, high in zip(bounds, bounds[1:])]
    return [group for group in made if group]


def score(args, folder, said, pairs, group):
    """The metric over a group."""
    (folder / "said").write_text("".join(f"{said[i]}\n" for i in group), encoding="utf-8")
    files = []
    for k in range(max(len(pairs[i][1]) for i in group)):  # where there are fewer, the first again
        path = folder / f"reference.{k}"
        path.write_text("".join(f"{pairs[i][1][k if k < len(pairs[i][1]) else 0]}\n" for i in group), encoding="utf-8")
        files += ["-r", str(path)]
    command = [args.heed, "evaluate", "-m", args.metric, *files, *args.judge.split(), str(folder / "said"), "-w", "4", "--json"]
    (found,) = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return found["score"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed")
    parser.add_argument("pairs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL")
    parser.add_argument("--metric", default="exact_match")
    parser.add_argument("--judge", default="", help="further options of heed evaluate")
    parser.add_argument("--edges", type=lambda text: [int(one) for one in text.split(",")], default=[])
    parser.add_argument("--svg", type=pathlib.Path)
    args = parser.parse_args()
    args.heed = str(pathlib.Path(args.heed).resolve())
    pairs = examples(args.pairs)
    counts_words = any(" " in source for source, _ in pairs)
    lengths = [len(source.split()) if counts_words else len(source) for source, _ in pairs]
    unit = "words of the source" if counts_words else "characters of the source"
    title = TITLES.get(args.metric, args.metric)
    names = []
    for name, model in (one.split("=", 1) for one in args.models):
        folder = args.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        said = subprocess.run([args.heed, "translate", "-m", model, "-q"], input="".join(f"{source}\n" for source, _ in pairs),
                              stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
        lines = [{unit: sum(lengths[i] for i in group) / len(group), title: score(args, folder, said, pairs, group), "sentences": len(group)}
                 for group in groups(lengths, args.edges)]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        print(f"{name}: " + ", ".join(f"{line[unit]:.3g}: {line[title]:.1f}" for line in lines), flush=True)
        names.append(name)
    if args.svg:
        subprocess.run([args.heed, "plot", *names, "--over", unit, "--only", title, "--svg", str(args.svg.resolve())], cwd=args.folder, check=True)


if __name__ == "__main__":
    main()
