#!/usr/bin/env python3
"""damage_sweep.py HEED [--seconds S] [--seed N] [--kinds picture,sound,…]: gives the program damaged files, systematically, and counts.

Pictures (PNG, JPEG), recordings (WAV, FLAC, Ogg, AIFF), tables, .npy and compressed features, and tar archives are made, cut, overwritten with absurd
numbers, spliced and given to the program, some at a time. Allowed is: exit code 0 or 3, a line of output for each input, messages that begin
with "heed: ", no signal, at most 200 MB and the files' size, at most 60 s. Whatever else happens is printed with the folder where its files stay.
The last lines are rows for docs/reliability.md. The same seed gives the same files.
"""
import argparse
import base64
import ctypes
import gzip
import io
import json
import math
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TOGETHER = 24  # files of one run of the program
MOST_MEGABYTES = 200
MOST_SECONDS = 60
NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
FRAMES = """\
[data]
train = "frames.tsv"
hold_out = 1
target_tokens = "characters"

[data.source]
kind = "features"
width = 3
cells = "npy"

[model]
front = "frames"
embedding = 4
encoder = { kind = "gru", width = 4 }
decoder = { kind = "attend_first", width = 4, embedding = 4 }

[training]
steps = 1
batch_sentences = 2
samples = 0
"""


class SoundInfo(ctypes.Structure):
    """libsndfile's SF_INFO."""
    _fields_ = [("frames", ctypes.c_int64), *((name, ctypes.c_int) for name in ("rate", "channels", "format", "sections", "seekable"))]


def png(width, height, colours, bits, interlaced=False):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    row = (width * channels * bits + 7) // 8
    rows = b"".join(b"\0" + bytes((x * 7 + y * 13) % 256 for x in range(row)) for y in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0))
    palette = chunk(b"PLTE", bytes(range(48))) if colours == 3 else b""
    return b"\x89PNG\r\n\x1a\n" + head + palette + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def with_mended_checksums(data):
    """A PNG's chunks get the checksums of what they hold now."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        size = struct.unpack(">I", data[at:at + 4])[0]
        if size > len(data) - at - 12:
            break
        body = data[at + 4:at + 8 + size]
        out += data[at:at + 4] + body + struct.pack(">I", zlib.crc32(body))
        at += 12 + size
    return out + data[at:]


def wav(seconds=0.4, rate=8000, bits=16, tag=1, channels=1):
    samples = b""
    for n in range(round(seconds * rate)):
        value = math.sin(n * n / 9000)
        one = struct.pack("<f", value) if tag == 3 else int(value * (1 << bits - 1) * 0.9).to_bytes(bits // 8, "little", signed=bits > 8) \
            if bits > 8 else bytes([int(128 + 100 * value)])
        samples += one * channels
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, tag, channels, rate, rate * channels * bits // 8,
                       channels * bits // 8, bits, b"data", len(samples))
    return head + samples


def by_library(folder, form):
    """A recording as libsndfile's encoders write it."""
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    library.sf_write_short.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    path = folder / "encoded"
    info = SoundInfo(rate=8000, channels=1, format=form)
    file = ctypes.c_void_p(library.sf_open(str(path).encode(), 0x20, ctypes.byref(info)))  # to write
    samples = wav()[44:]
    library.sf_write_short(file, samples, len(samples) // 2)
    library.sf_close(file)
    return path.read_bytes()


def npy(rows, width, kind="<f4"):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, {width}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{rows * width}f", *(i / 7 for i in range(rows * width)))


def tar(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in entries:
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def damaged(data, other, dice):
    """One kind of damage, or a few of them, to a file's bytes."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        if not data:
            break
        at = dice.randrange(len(data)) if dice.random() < 0.5 else dice.randrange(min(len(data), 128))
        kind = dice.randrange(8)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 2:
            size = dice.choice((1, 2, 4, 8))
            number = dice.choice(NUMBERS) & ((1 << 8 * size) - 1)
            data[at:at + size] = number.to_bytes(size, dice.choice(("little", "big")))
        elif kind == 3:
            data[at:at] = data[at:at + dice.randrange(1, 200)] * dice.choice((1, 3))
        elif kind == 4:
            del data[at:at + dice.randrange(1, 100)]
        elif kind == 5:
            data[at:] = other[min(at, len(other)):]
        elif kind == 6:
            data[at:at + 16] = bytes(dice.randrange(256) for _ in range(16))
        else:
            data += bytes(dice.randrange(1, 3000))
    return bytes(data)


class Sweep:
    def __init__(self, heed, folder, dice):
        self.heed, self.folder, self.dice = heed, folder, dice
        self.counts = {}

    def run(self, words, stdin=b""):
        """Exit code (negative: a signal), output, messages, MB, seconds."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen([self.heed, *words], cwd=self.folder, stdin=given, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read())
        return process.returncode, *texts, usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime

    def judge(self, kind, files, words, lines, stdin=b""):
        """Runs the program on the files of the folder; `lines` is how many lines it must print, None: any number."""
        code, out, err, megabytes, seconds = self.run(words, stdin)
        size = sum(len(data) for data in files) / 1e6
        count = self.counts.setdefault(kind, {"files": 0, "runs": 0, "answered": 0, "refused": 0, "megabytes": 0, "seconds": 0, "bad": 0})
        messages = [line for line in err.splitlines() if line]
        faults = [why for why, is_so in (
            (f"exit code {code}", code not in (0, 3)), (f"{megabytes:.0f} MB for {size:.1f} MB", megabytes > MOST_MEGABYTES + size),
            (f"{seconds:.0f} s", seconds > MOST_SECONDS), (f"{out.count(10)} lines of {lines}", lines is not None and out.count(10) != lines),
            ("exit code 3 without a message", code == 3 and not messages),
            ("a message that is none", any(not line.startswith((b"heed: ", b"warning: ")) for line in messages)),
            ("a control character", any(byte < 32 and byte not in (9, 10) for byte in out + err))) if is_so]
        refused = sum(b": recording " in line or b": picture " in line or b": line " in line for line in messages)
        count["files"] += len(files)
        count["runs"] += 1
        count["refused"] += min(len(files), max(refused, int(code == 3)))
        count["answered"] += max(0, len(files) - max(refused, int(code == 3)))
        count["megabytes"] = max(count["megabytes"], megabytes)
        count["seconds"] = max(count["seconds"], seconds)
        if faults:
            count["bad"] += 1
            kept = pathlib.Path(tempfile.mkdtemp(prefix=f"damage-{kind}-"))
            shutil.copytree(self.folder, kept, dirs_exist_ok=True)
            print(f"{kind}: {', '.join(faults)}: {' '.join(words)[:200]}\n  {err[-300:].decode(errors='replace')}  kept in {kept}", flush=True)

    def put(self, ending, seeds):
        """Some damaged files beside each other; the first is whole."""
        for old in self.folder.glob("f[0-9][0-9]*"):
            old.unlink()
        files = []
        for number in range(TOGETHER):
            data = self.dice.choice(seeds)
            if number > 0:
                data = damaged(data, self.dice.choice(seeds), self.dice)
            if data.startswith(b"\x89PNG") and self.dice.random() < 0.5:
                data = with_mended_checksums(data)
            (self.folder / f"f{number:02}{ending}").write_bytes(data)
            files.append(data)
        return [f"f{number:02}{ending}" for number in range(TOGETHER)], files

    def pictures(self):
        names, files = self.put("", self.picture_seeds)
        self.judge("picture", files, ["caption", "-m", "shapes", "-q", "--precision", "int8", *names], len(names))

    def sounds(self):
        names, files = self.put("", self.sound_seeds)
        self.judge("sound", files, ["transcribe", "-m", "digits", "-q", "--precision", "int8", "--max-length", "3", *names], len(names))

    def tars(self):
        names, files = self.put(".tar", self.tar_seeds)
        cells = [f"{name}#{self.dice.choice(('a.png', 'deep/b.jpg', 'c.png', 'none.png'))}" for name in names]
        self.judge("tar", files, ["caption", "-m", "shapes", "-q", "--precision", "int8", *cells], len(cells))

    def arrays(self):
        names, files = self.put(".npy", self.npy_seeds)
        self.judge("npy", files, ["translate", "-m", "frames/model.safetensors", "-q"], len(names), "".join(f"{name}\n" for name in names).encode())

    def ranges(self):
        names, files = self.put(".f32.gz", self.range_seeds)
        cells = "".join(f"{name}:{self.dice.choice((0, 1, 5, 99999))}:{self.dice.choice((0, 1, 4, 2**40))}\n" for name in names)
        self.judge("range", files, ["translate", "-m", "frames/model.safetensors", "-q"], len(names), cells.encode())

    def tables(self):
        """What follows the fault is not answered, so the lines are not counted."""
        names, files = self.put(".tsv", self.table_seeds)
        name = names[self.dice.randrange(len(names))]
        words = self.dice.choice((["translate", "-m", "letters/model.safetensors", "-q", "--table"], ["align", "-m", "letters/model.safetensors", "--pairs"],
                                  ["score", "-m", "letters/model.safetensors", "-i"], ["translate", "-m", "letters/model.safetensors", "-q", "-i"],
                                  ["evaluate", "-m", "bleu", "-r", names[0]]))
        if words[0] == "evaluate":
            words = [*words, name]
        self.judge("table", files[:1], words if words[0] == "evaluate" else [*words, name], None)

    def prepare(self):
        fixture = json.loads((ROOT / "tests/fixtures/pictures.json").read_text())
        peers = [base64.b64decode(one["file"]) for one in fixture["decoded"]]
        made = [png(33, 21, colours, bits) for colours, bits in ((0, 1), (0, 8), (0, 16), (2, 8), (2, 16), (3, 4), (4, 8), (6, 8), (6, 16))]
        self.picture_seeds = peers + made + [png(1, 3000, 0, 1), png(3000, 1, 2, 8)]
        forms = (0x170002, 0x200060, 0x200064, 0x020002, 0x030002, 0x010011, 0x070002)  # FLAC, Vorbis, Opus, AIFF, AU, WAV of IMA ADPCM, NIST
        self.sound_seeds = [wav(), wav(bits=8), wav(bits=32, tag=3), wav(channels=2), wav(bits=24), *(by_library(self.folder, form) for form in forms)]
        self.tar_seeds = [tar([("a.png", made[3]), ("deep/b.jpg", peers[0]), ("c.png", made[0])]), tar([("c.png", made[1]), ("a.png", made[2])])]
        self.npy_seeds = [npy(5, 3), npy(1, 3), npy(200, 3), gzip.compress(npy(5, 3), mtime=0), gzip.compress(bytes(3_000_000), mtime=0)]
        self.range_seeds = [gzip.compress(struct.pack("<30f", *range(30)), mtime=0), struct.pack("<30f", *range(30)),
                            gzip.compress(bytes(3_000_000), mtime=0), gzip.compress(bytes(60_000_000), mtime=0)]
        self.table_seeds = [b"abc\tcba\nde\ted\n" * 20, "é日a\ta日é\n".encode() * 9, b"a\tb\tc\r\n" * 30, gzip.compress(b"ab\tba\n" * 50, mtime=0)]
        (self.folder / "one.npy").write_bytes(npy(5, 3))
        (self.folder / "letters.toml").write_text('[data]\nsynth = "reverse"\ntrain_examples = 20\nvalid_examples = 2\n[model]\nembedding = 4\n'
                                                  'encoder = { kind = "gru", width = 4 }\ndecoder = { kind = "attend_first", width = 4, embedding = 4 }\n'
                                                  "[training]\nsteps = 1\nsamples = 0\n")
        (self.folder / "frames.tsv").write_text("one.npy\tab\n" * 4)
        (self.folder / "frames.toml").write_text(FRAMES)
        self.train("frames")
        self.train("letters")

    def train(self, name):
        code, _, err, _, _ = self.run(["train", f"{name}.toml", "-q", "-o", name])
        if code != 0:
            sys.exit(f"damage_sweep: {name}.toml: {err.decode()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("heed")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="picture,sound,tar,npy,range,table")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="damage-") as folder:
        sweep = Sweep(str(pathlib.Path(words.heed).resolve()), pathlib.Path(folder), random.Random(words.seed))
        sweep.prepare()
        acts = {"picture": sweep.pictures, "sound": sweep.sounds, "tar": sweep.tars, "npy": sweep.arrays, "range": sweep.ranges, "table": sweep.tables}
        end = time.monotonic() + words.seconds
        while time.monotonic() < end:
            for kind in words.kinds.split(","):
                acts[kind]()
    for kind, count in sweep.counts.items():
        print(f"| {kind} | {count['files']} | {count['answered']} | {count['refused']} | {count['megabytes']:.0f} | {count['seconds']:.1f} | {count['bad']} |")
    return int(any(count["bad"] for count in sweep.counts.values()))


if __name__ == "__main__":
    sys.exit(main())
