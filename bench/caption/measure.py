#!/usr/bin/env python3
"""One photo from process start to its caption, and thousands that stream through one process: seconds and memory as JSON.

    HEED_DATA=… bench/caption/measure.py build/release/heed OUT.json [--model FILE] [--rounds 20] [--pictures 10000] [--threads 2]

Without --model: recipes/flickr8k-attend-first.toml after one step, which has the size and the speed of the trained one (its captions are
nonsense, and so run to --max-length). Memory is the largest that was resident; for the stream also after the first tenth, so that
what grows with the number of pictures shows.
"""
import argparse
import datetime
import itertools
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import contest  # noqa: E402
import report  # noqa: E402

MEGABYTE = 1e6
LENGTH = ["--max-length", "12"]  # the mean of Flickr8k's captions


def made(heed, folder):
    """A model after one step."""
    settings = ["training.steps=1", "training.validate_every=0", "training.batch_sentences=4", "model.front.cache=0"]
    words = [heed, "train", ROOT / "recipes/flickr8k-attend-first.toml", "-q", "-o", folder / "run"]
    subprocess.run(words + list(itertools.chain(*(("--set", one) for one in settings))), check=True)
    return folder / "run/model.safetensors"


def largest_resident(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def stream(words, photos, count):
    """`count` pictures, one path a line: (seconds, resident bytes after a tenth, resident bytes at the end)."""
    begin = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    paths = itertools.islice(itertools.cycle(photos), count)
    if os.fork() == 0:  # writes while this process reads
        for path in paths:
            print(path, file=process.stdin)
        process.stdin.close()
        os._exit(0)
    process.stdin.close()
    early = late = said = 0
    for said, _ in enumerate(process.stdout, 1):
        if said == count // 10:
            early = largest_resident(process.pid)
        if said == count - 1:
            late = largest_resident(process.pid)
    if process.wait() != 0 or said != count:
        sys.exit(f"the stream ended after {said} of {count} pictures")
    return time.perf_counter() - begin, early, late


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("heed", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--pictures", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    data = Path(os.environ["HEED_DATA"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = args.model or made(args.heed.resolve(), folder)
        with tarfile.open(data / "flickr8k/images.tar") as archive:
            photos = [member for member in archive if member.name.endswith(".jpg")][:500]
            archive.extractall(folder, photos)
        paths = [folder / photo.name for photo in photos]
        words = [args.heed.resolve(), "caption", "-m", model, "--threads", str(args.threads), *LENGTH]
        rounds = [contest.once([*words, path]) for path in paths[:args.rounds]]
        seconds, early, late = stream(words, paths, args.pictures)
    row = {
        "name": "photo",
        "seconds": contest.spread([one[0] for one in rounds]),
        "processor_seconds": contest.spread([one[1] for one in rounds]),
        "megabytes": contest.spread([one[2] / MEGABYTE for one in rounds]),
        "stream": {"pictures": args.pictures, "seconds": seconds, "megabytes_after_a_tenth": early / MEGABYTE,
                   "megabytes": late / MEGABYTE},
    }
    print(f"one photo: {row['seconds']['median'] * 1e3:.0f} ms ({row['seconds']['least'] * 1e3:.0f} to {row['seconds']['most'] * 1e3:.0f}), "
          f"{row['processor_seconds']['median'] * 1e3:.0f} ms of processors, {row['megabytes']['median']:.0f} MB")
    print(f"{args.pictures} pictures: {seconds:.1f} s, {early / MEGABYTE:.0f} MB after a tenth, {late / MEGABYTE:.0f} MB at the end")
    about = {"command": " ".join(sys.argv), "date": datetime.date.today().isoformat(), "commit": contest.commit(),
             "cpu": contest.cpu_name(), "cores": os.cpu_count(), "load": os.getloadavg()[0], "threads": args.threads}
    report.save(args.out, about, [row])


main()
