#!/usr/bin/env python3
"""local.py BENCH_ATTEND [LENGTH…]: the time of one look at n slots from n positions, everywhere and in windows, as a table.

One head of 64 channels, scaled dot product, softmax, one thread, forward; the least of 15 looks, in milliseconds of processor time, and in brackets
how many times longer than at half the length: 4 where the time grows with the square of the length, 2 where it grows with the length.
"""
import os
import subprocess
import sys

WAYS = {"everywhere": "everywhere", "window (16, 16)": "window", "local_m (D = 10)": "local_m", "local_p (D = 10)": "local_p"}


def seconds(program, focus, length):
    command = [program, "scaled_dot", "softmax", focus, "fused", "none", "forward", "1", "1", str(length), str(length), "64", "cpu"]
    said = subprocess.run(command, input="5\n15\n", capture_output=True, text=True, env={**os.environ, "HEED_THREADS": "1"})
    if said.returncode:
        sys.exit(said.stderr)
    return min(map(float, said.stdout.splitlines()[2].split()))


def main(program, *lengths):
    lengths = [int(length) for length in lengths] or [512, 1024, 2048, 4096, 8192]
    print(f"| focus | {' | '.join(f'{length} slots' for length in lengths)} |\n|---|{'---|' * len(lengths)}")
    for name, focus in WAYS.items():
        times = [1000 * seconds(program, focus, length) for length in lengths]
        cells = [f"{times[0]:.2f}"] + [f"{now:.2f} ({now / before:.1f})" for before, now in zip(times, times[1:])]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
