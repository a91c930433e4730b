#!/usr/bin/env python3
"""fsdd_pauses.py STRINGS [--heed PROGRAM] [--model digits] [OPTION…]: what a recogniser of digits makes of each pause.

STRINGS is what recipes/fsdd_strings.py wrote. For the tables of each pause, as the recordings are and as people speak, it prints how many words
are wrong (substituted, left out or added, of 100), how many begin and end within 60 ms of their sound, and of how many strings heed says
that their voice is unlike what the model heard (unlike_above). Sound is what is within 30 dB of a recording's loudest 10 ms. A word that is not found begins and ends nowhere.
Other options are handed to `heed transcribe`: --word-starts weights.
"""
import argparse
import json
import subprocess
from pathlib import Path

WITHIN = 0.06


def aligned(said, heard):
    """The cheapest edits: their number, and the pairs (i, j) of equal words."""
    cost = [[i + j if i * j == 0 else 0 for j in range(len(heard) + 1)] for i in range(len(said) + 1)]
    for i in range(1, len(said) + 1):
        for j in range(1, len(heard) + 1):
            cost[i][j] = min(cost[i - 1][j - 1] + (said[i - 1] != heard[j - 1]), cost[i - 1][j] + 1, cost[i][j - 1] + 1)
    pairs, i, j = [], len(said), len(heard)
    while i and j:
        if cost[i][j] == cost[i - 1][j - 1] + (said[i - 1] != heard[j - 1]):
            i, j = i - 1, j - 1
            if said[i] == heard[j]:
                pairs.append((i, j))
        elif cost[i][j] == cost[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return cost[-1][-1], pairs


def spans_of(cell):
    """word@1.25-1.60 … as (word, start, end)."""
    for one in cell.split():
        word, times = one.split("@")
        start, end = times.split("-")
        yield word, float(start), float(end)


def row_of(table, words):
    """Percentages of a table's words that are wrong, begin and end where they should, and of its strings whose voice is called unlike."""
    done = subprocess.run([words.heed, "transcribe", "-q", "-m", words.model, "--json", *words.options, "--table", str(table)], check=True,
                          capture_output=True, text=True)
    wrong = begin = end = count = 0
    lines = table.read_text(encoding="utf-8").splitlines()
    for line, answer in zip(lines, done.stdout.splitlines(), strict=True):
        said, heard = list(spans_of(line.split("\t")[3])), json.loads(answer)["words"]
        edits, pairs = aligned([word for word, _, _ in said], [word["text"] for word in heard])
        wrong, count = wrong + edits, count + len(said)
        begin += sum(abs(said[i][1] - heard[j]["start"]) <= WITHIN for i, j in pairs)
        end += sum(abs(said[i][2] - heard[j]["end"]) <= WITHIN for i, j in pairs)
    shares = [100 * wrong / count, 100 * begin / count, 100 * end / count, 100 * done.stderr.count("is unlike") / len(lines)]
    return " | ".join([f"{shares[0]:.2f}", *(f"{share:.1f}" for share in shares[1:])])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strings", type=Path)
    parser.add_argument("--heed", default="heed")
    parser.add_argument("--model", default="digits")
    words, words.options = parser.parse_known_args()
    print("| pauses, s | words wrong, % | begin within 60 ms | end within 60 ms | called unlike |\n|---|---|---|---|---|")
    for kind, what in (("pauses", "as they are"), ("spoken", "as people speak")):
        for table in sorted(words.strings.glob(f"{kind}-*.tsv"), key=lambda path: float(path.stem.split("-")[1])):
            _, low, high = table.stem.split("-")
            print(f"| {low} to {high}, {what} | {row_of(table, words)} |", flush=True)


if __name__ == "__main__":
    main()
