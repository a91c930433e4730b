#!/usr/bin/env python3
"""The pictures of docs/performance.md from what measure.py wrote: both axes logarithmic, heed's line full, PyTorch's dashed.

    bench/grow/draw.py bench/results/grow-xeon-16.json docs/growth
"""
import json
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 360, 260, 56, 26, 44, 40
COLOUR = {"heed": "#c2410c", "pytorch": "#475569"}
DASH = {"heed": "", "pytorch": ' stroke-dasharray="5 4"'}
NAMES = {"heed": "heed", "pytorch": "PyTorch"}
TITLES = {"threads": ("training step", "threads"), "decoding_threads": ("decoding 32 sentences, beam 4", "threads"),
          "length": ("training step of 8 192 tokens", "length of a sentence"), "batch": ("training step", "sentences of 32 words"),
          "vocabulary": ("training step, 32 × 32 words", "vocabulary"),
          "decoding_vocabulary": ("decoding 32 sentences, beam 4", "vocabulary")}
# Memory does not depend on the number of threads.
LEFT_OUT = {("threads", "memory"), ("decoding_threads", "memory")}
MEASURES = {"time": ("seconds", lambda cell: cell["seconds"]["median"]), "memory": ("GiB", lambda cell: cell["bytes"] / 2**30)}


def scale(values, low, high, room=0.0):
    """A logarithmic axis that holds the values, with room on both sides as a part of its length."""
    a, b = math.log(min(values)), math.log(max(values))
    room = max(room * (b - a), 0.1 if b - a < 0.2 else 0)
    a, b = a - room, b + room
    return lambda value: low + (high - low) * (math.log(value) - a) / (b - a)


def ticks(values):
    """1, 2 and 5 of every power of ten within, fewer where there are many."""
    low, high = min(values), max(values)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    marks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    within = [mark for mark in marks if low <= mark <= high]
    return within if len(within) <= 7 else [mark for mark in within if f"{mark:e}"[0] == "1"]


def number(value):
    if value >= 1000 and value % 1000 == 0:
        return f"{value / 1000:g} k"
    return f"{value:,.0f}".replace(",", " ") if value >= 10 else f"{value:g}"


def picture(question, measure, rows):
    unit, value_of = MEASURES[measure]
    title, axis = TITLES[question]
    values = [row["value"] for row in rows]
    measured = {name: [(row["value"], value_of(row[name])) for row in rows if name in row] for name in NAMES}
    heights = [height for line in measured.values() for _, height in line]
    x, y = scale(values, LEFT + 10, WIDTH - RIGHT), scale(heights, HEIGHT - BOTTOM, TOP, room=0.08)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="16" font-weight="bold">{title}: {unit}</text>']
    for mark in ticks(heights):
        out.append(f'<path d="M{LEFT} {y(mark):.1f}H{WIDTH - RIGHT}" stroke="#e2e8f0"/>'
                   f'<text x="{LEFT - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">{number(mark)}</text>')
    for value in values:
        out.append(f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{number(value)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{axis}</text>')
    for place, (name, line) in enumerate(measured.items()):
        points = " ".join(f"{x(value):.1f},{y(height):.1f}" for value, height in line)
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOUR[name]}" stroke-width="2"{DASH[name]}/>')
        out += [f'<circle cx="{x(value):.1f}" cy="{y(height):.1f}" r="2.5" fill="{COLOUR[name]}"/>' for value, height in line]
        left = LEFT + 80 * place
        out.append(f'<path d="M{left} 28h20" stroke="{COLOUR[name]}" stroke-width="2"{DASH[name]}/>'
                   f'<text x="{left + 25}" y="32" fill="{COLOUR[name]}">{NAMES[name]}</text>')
    return "\n".join([*out, "</svg>\n"])


def main():
    results, folder = json.loads(Path(sys.argv[1]).read_text())["results"], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for question in TITLES:
        rows = sorted((row for row in results if row["question"] == question), key=lambda row: row["value"])
        for measure in MEASURES:
            if rows and (question, measure) not in LEFT_OUT:
                (folder / f"{question}-{measure}.svg").write_text(picture(question, measure, rows))


main()
