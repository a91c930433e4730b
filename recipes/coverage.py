#!/usr/bin/env python3
"""coverage.py MODEL PAIRS.tsv [--after MODEL] [--svg FILE] [--heed PROGRAM]: how evenly a model attends to its sources when it must say the targets.

The coverage of a source token is the sum of the attention weights that it gets from all target tokens, c_j = Σ_i α_ij. Prints the mean of
(1 − c_j)², which the doubly stochastic regulariser lowers (Xu 2015, section 4.2.1), the share of tokens with c_j < ½, and a map of the first pairs:
one line of squares for each source, darker where c_j is larger. --after names a second model, whose map stands below that of the first. --svg draws
the maps of sources that are split into characters: one square for each, white where c_j is 0, full colour where it is 2 or more.

  heed synth dates -n 200 --split test --seed 7 > pairs.tsv
  recipes/coverage.py runs/dates-additive/model.safetensors pairs.tsv --after runs/dates-doubly-stochastic/model.safetensors --svg coverage.svg
"""
import argparse
import html
import subprocess
import sys

SHADES = " ░▒▓█"


def coverages(line):
    """c_j of every source token, from a line of `heed align --format soft`."""
    rows = [[float(weight) for weight in group.split(",")] for group in line.split()]
    return [sum(column) for column in zip(*rows)]


def measured(heed, model, pairs):
    """c_j of every token of every source."""
    command = [heed, "align", "-m", model, "--pairs", pairs, "--format", "soft"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [coverages(line) for line in said.splitlines()]


def summary(every):
    tokens = [c for line in every for c in line]
    return f"mean (1 - c)^2: {sum((1 - c) ** 2 for c in tokens) / len(tokens):.3f}   c < 1/2: {100 * sum(c < 0.5 for c in tokens) / len(tokens):.1f} %"


def drawn(sources, maps, size=24, edge=70):
    """Squares with the characters of each source, one row for each (name, coverages); a source's rows stand below each other."""
    rows, y = [], 10
    for index, source in enumerate(sources):
        for name, every in maps:
            rows.append(f'<text x="{edge - 8}" y="{y + size / 2}" dy=".35em" text-anchor="end" fill="#6b7a89">{html.escape(name)}</text>')
            for j, c in enumerate(every[index]):
                letter = source[j] if j < len(source) else "end"
                share = min(c / 2, 1)
                shade = [round(255 - share * (255 - full)) for full in (11, 82, 156)]
                ink = "#ffffff" if share > 0.5 else "#1b2733"
                rows.append(f'<rect x="{edge + j * size}" y="{y}" width="{size - 2}" height="{size - 2}" fill="rgb({shade[0]},{shade[1]},{shade[2]})" '
                            f'stroke="#d5dce3"><title>{html.escape(letter)}: {c:.2f}</title></rect>'
                            f'<text x="{edge + j * size + size / 2 - 1}" y="{y + size / 2}" dy=".35em" text-anchor="middle" fill="{ink}" '
                            f'font-size="{9 if letter == "end" else 13}">{html.escape(letter)}</text>')
            y += size
        y += size / 2
    width = edge + max(len(line) for _, every in maps for line in every[:len(sources)]) * size + 10
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y:g}" viewBox="0 0 {width} {y:g}" role="img" '
            'aria-label="how much attention each letter gets" font-family="Helvetica, Arial, sans-serif" font-size="13">\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(rows) + "\n</svg>\n")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("pairs")
    parser.add_argument("--after", default="")
    parser.add_argument("--svg", default="")
    parser.add_argument("--heed", default="heed")
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args(arguments)
    maps = [("before" if args.after else "", measured(args.heed, args.model, args.pairs))]
    maps += [("after", measured(args.heed, args.after, args.pairs))] if args.after else []
    with open(args.pairs, encoding="utf-8") as file:
        sources = [line.split("\t")[0] for line in file]
    for name, every in maps:
        print(f"{name + ': ' if name else ''}{summary(every)}")
        for source, line in list(zip(sources, every, strict=True))[:args.show]:
            print("".join(SHADES[min(int(2 * c + 0.5), 4)] for c in line), source, sep="  ")
    if args.svg:
        with open(args.svg, "w", encoding="utf-8") as file:
            file.write(drawn(sources[:args.show], maps))


if __name__ == "__main__":
    main(sys.argv[1:])
