#!/usr/bin/env python3
"""attack_again.py REPRO NOW [BEFORE]: the commands of the second attack, with the memory and time they take now and took before.

REPRO is the folder of the attacker's files; NOW and BEFORE are programs (BEFORE: that of commit d1c2a63). What is large is made here: recordings by
libsndfile, compressed features, lines, a model that reads pictures of 1024 x 1024. Prints a Markdown table; memory is the most that the program had
(getrusage), time is that of the processor. A command has fifteen minutes.
"""
import ctypes
import gzip
import json
import hashlib
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PATIENCE = 900


class SoundInfo(ctypes.Structure):
    """libsndfile's SF_INFO."""
    _fields_ = [("frames", ctypes.c_int64), *((name, ctypes.c_int) for name in ("rate", "channels", "format", "sections", "seekable"))]


def record(path, rate, seconds, form, second):
    """A recording that repeats one second."""
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    library.sf_write_short.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    info = SoundInfo(rate=rate, channels=1, format=form)
    file = ctypes.c_void_p(library.sf_open(str(path).encode(), 0x20, ctypes.byref(info)))  # to write
    for _ in range(seconds):
        library.sf_write_short(file, second, rate)
    library.sf_close(file)


def noise(rate):
    """A second of it, the same every time."""
    state, samples = 1, bytearray()
    for _ in range(rate):
        state = (state * 1664525 + 1013904223) % 2**32
        samples += struct.pack("<h", (state >> 16) // 16 - 2048)
    return bytes(samples)


def npy(width):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': (1, {width}), }}\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + bytes(4 * width)


class Bench:
    def __init__(self, folder, repro):
        self.folder, self.repro = folder, repro

    def run(self, heed, words, before=None, signals=()):
        """Exit code, output, messages, MB, seconds; None where it took too long."""
        if before:
            before()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen([heed, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            end = threading.Timer(PATIENCE, process.kill)
            end.start()
            for wait, number in signals:
                time.sleep(wait)
                process.send_signal(number)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            is_late = not end.is_alive()
            end.cancel()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read(200_000).decode(errors="replace"))
        return ("too long" if is_late else process.returncode, *texts, usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime)

    def path(self, name):
        return str(self.repro / name)

    def prepare(self):
        """What the commands read."""
        silence = bytes(2 * 192_000)
        for number in range(12):
            record(self.folder / f"hour{number}.flac", 8000, 3600, 0x170002, silence)
        loud = noise(48_000)
        record(self.folder / "talk0.opus", 48_000, 600, 0x200064, loud)
        for number in range(1, 8):
            shutil.copy(self.folder / "talk0.opus", self.folder / f"talk{number}.opus")
        record(self.folder / "long.wav", 8000, 7200, 0x010002, noise(8000))
        (self.folder / "pair.tsv").write_text("a" * 16_000 + "\t" + "1" * 4000 + "\n")
        (self.folder / "line.txt").write_text("a" * 100_000 + "\n")
        (self.folder / "line1m.txt").write_text("a" * 1_000_000 + "\n")
        with gzip.open(self.folder / "bomb.f32.gz", "wb") as file:
            for _ in range(600):
                file.write(bytes(1_000_000))
        with gzip.open(self.folder / "bomb.npy", "wb") as file:
            for _ in range(300):
                file.write(bytes(1_000_000))
        (self.folder / "one.npy").write_bytes(npy(3))
        (self.folder / "frames.tsv").write_text("one.npy\tab\n" * 4)
        (self.folder / "frames.toml").write_text(
            '[data]\ntrain = "frames.tsv"\nhold_out = 1\ntarget_tokens = "characters"\n[data.source]\nkind = "features"\nwidth = 3\ncells = "npy"\n[model]\n'
            'front = "frames"\nembedding = 4\nencoder = { kind = "gru", width = 4 }\ndecoder = { kind = "attend_first", width = 4, embedding = 4 }\n'
            "[training]\nsteps = 1\nbatch_sentences = 2\nsamples = 0\n")
        (self.folder / "tiny.toml").write_text(
            '[data]\nsynth = "reverse"\ntrain_examples = 60\nvalid_examples = 8\n[model]\nembedding = 4\nencoder = { kind = "gru", width = 4 }\n'
            'decoder = { kind = "attend_first", width = 6, embedding = 4 }\n[training]\nsteps = 3\nbatch_sentences = 8\nvalidate_every = 3\n')
        (self.folder / "short.toml").write_text((self.folder / "tiny.toml").read_text().replace(
            'encoder = { kind = "gru", width = 4 }', 'encoder = { kind = "transformer", depth = 1, width = 4, position = { kind = "learned", maximum = 1 } }'))
        (self.folder / "huge.toml").write_text("# no recipe\n" * 100_000)
        shutil.copy(self.repro / "side.toml", self.folder / "side.toml")
        with_more = json.loads(ROOT.joinpath("models/shapes.safetensors").read_bytes()[8:8 + self.header_bytes("shapes")])
        self.raised(with_more)

    @staticmethod
    def header_bytes(name):
        return struct.unpack("<Q", ROOT.joinpath(f"models/{name}.safetensors").read_bytes()[:8])[0]

    def raised(self, header):
        """The bundled model of shapes, which wants pictures of up to 10^9 pixels; its digest is computed anew."""
        whole = ROOT.joinpath("models/shapes.safetensors").read_bytes()
        tensors = whole[8 + self.header_bytes("shapes"):]
        fields = json.loads(header["__metadata__"]["fields"])
        fields["source"]["most_pixels"] = 1_000_000_000
        header["__metadata__"]["fields"] = json.dumps(fields)
        header["__metadata__"]["sha256"] = "0" * 64
        text = json.dumps(header, separators=(",", ":"))
        text += " " * (-len(text) % 8)
        digest = hashlib.sha256(struct.pack("<Q", len(text)) + text.encode() + tensors).hexdigest()
        text = text.replace('"sha256":"' + "0" * 64, '"sha256":"' + digest)
        (self.folder / "raised.safetensors").write_bytes(struct.pack("<Q", len(text)) + text.encode() + tensors)

    def train(self, heed):
        for name in ("tiny", "frames", "side"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
            code, _, err, _, _ = self.run(heed, ["train", f"{name}.toml", "-q", "-o", name])
            if code != 0:
                sys.exit(f"attack_again: {name}.toml: {err}")

    def commands(self):
        """What it is about, the command, what is looked at besides code, memory and time."""
        hear = ["transcribe", "-m", "digits", "-q", "--beam", "1", "--precision", "int8"]
        linked = self.folder / "tiny/features.cache"
        return [
            ("M1", [*hear, self.path("silence-2h-48k.flac")]),
            ("M1", [*hear, "--memory-limit", "200", self.path("silence-2h-48k.flac")]),
            ("M1", [*hear, *(f"hour{n}.flac" for n in range(12))]),
            ("M1", [*hear, *(f"talk{n}.opus" for n in range(8))]),
            ("M1", [*hear, "long.wav"]),
            ("M2", ["caption", "-m", "shapes", "-q", self.path("tall.png")]),
            ("M2", ["caption", "-m", "side/model.safetensors", "-q", self.path("tall.png")]),
            ("M2", ["caption", "-m", "side/model.safetensors", "-q", self.path("tall64.png")]),
            ("M4", ["align", "-m", "tiny/model.safetensors", "--pairs", "pair.tsv"]),
            ("L1", ["translate", "-m", "frames/model.safetensors", "-q", "bomb.f32.gz:0:10"]),
            ("L1", ["translate", "-m", "frames/model.safetensors", "-q", "bomb.npy"]),
            ("L2", ["quantise", "own.safetensors", "own.safetensors"], self.own_model),
            ("L2", ["translate", "-m", "own.safetensors", "-o", "own.safetensors", "abc"], self.own_model),
            ("L4", ["translate", "-m", "tiny/model.safetensors", "-i", "/dev/zero"]),
            ("L5", ["caption", "-m", "raised.safetensors", "-q", self.path("wide8000.png")]),
            ("L6", ["translate", "-m", "en-zh", "-q", "-i", "line.txt"]),
            ("L6", ["translate", "-m", "en-zh", "-q", "--max-length", "20", "-i", "line1m.txt"]),
            ("L7", ["translate", "-m", "tiny/model.safetensors", "-q", "--constrain", "ab" * 800, "abc"]),
            ("L11", ["inspect", self.path("sentencepiece_segv.safetensors")]),
            ("L11", ["train", "huge.toml", "-o", "none"]),
            ("L11", ["train", "tiny.toml", "-q", "-o", "none", "--set", "data.min_source=16777216"]),
            ("L12", ["train", "short.toml", "-q", "-o", "none"]),
        ]

    def own_model(self):
        shutil.copy(self.folder / "tiny/model.safetensors", self.folder / "own.safetensors")

    def signals_left(self, heed):
        """How often of eight a temporary file stays where the program gets two signals in quick succession (L9)."""
        left = 0
        for _ in range(8):
            process = subprocess.Popen([heed, "translate", "-m", "tiny/model.safetensors", "-o", "out.txt"], cwd=self.folder, stdin=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            end = time.monotonic() + 20
            while not list(self.folder.glob(".out.txt.*")) and time.monotonic() < end:
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            process.wait()
            process.stdin.close()
            for path in self.folder.glob(".out.txt.*"):
                path.unlink()
                left += 1
        return f"{left} of 8 left a file"

    def follows_link(self, heed):
        """What becomes of a file to which RUN/features.cache leads (L3)."""
        note = self.folder / "note.txt"
        note.write_text("precious")
        shutil.rmtree(self.folder / "cached", ignore_errors=True)
        (self.folder / "cached").mkdir()
        (self.folder / "cached/features.cache").symlink_to(note)
        text = (self.folder / "tiny.toml").read_text().replace('synth = "reverse"', 'synth = "tones"\nsource = "sound"').replace(
            "[model]\n", '[model]\nfront = { kind = "frames", stack = 4, stride = 4 }\n')
        (self.folder / "cached.toml").write_text(text)
        code = self.run(heed, ["train", "cached.toml", "-q", "-o", "cached"])[0]
        return f"exit {code}, the file is {'as it was' if note.read_text(errors='replace') == 'precious' else 'written over'}"

    def lost_checkpoints(self, heed):
        """A run whose checkpoints/ is deleted after its first one (L8)."""
        shutil.rmtree(self.folder / "lost", ignore_errors=True)
        process = subprocess.Popen([heed, "train", "tiny.toml", "-q", "-o", "lost", "--set", "training.steps=4000", "--set", "training.save_every=200",
                                    "--set", "training.validate_every=1000"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        checkpoints = self.folder / "lost/checkpoints"
        end = time.monotonic() + 60
        while not list(checkpoints.glob("step*")) and time.monotonic() < end:
            time.sleep(0.005)
        shutil.rmtree(checkpoints, ignore_errors=True)
        code = process.wait(600)
        kept = sorted(path.name for path in checkpoints.glob("step*")) if checkpoints.exists() else []
        return f"exit {code}, last checkpoint {kept[-1][5:13].lstrip('0') if kept else 'none'}"


def said(result):
    code, _, err, megabytes, seconds = result
    return f"{'exit ' if code != 'too long' else ''}{code}, {megabytes:.0f} MB, {seconds:.1f} s"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    repro, *programs = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    programs = [str(program) for program in reversed(programs)]  # before, now
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        bench = Bench(pathlib.Path(folder), repro)
        bench.prepare()
        print("| | command | " + " | ".join(("d1c2a63", "now")[-len(programs):]) + " |\n|---|---|" + "---|" * len(programs), flush=True)
        results = {}
        for program in programs:
            bench.train(program)
            for number, (_, words, *before) in enumerate(bench.commands()):
                results.setdefault(number, []).append(said(bench.run(program, words, *before)))
        for number, (name, words, *_) in enumerate(bench.commands()):
            text = " ".join(words).replace(str(repro) + "/", "")
            text = text if len(text) < 110 else text[:80] + " … " + text[-20:]
            print(f"| {name} | `heed {text}` | " + " | ".join(results[number]) + " |", flush=True)
        for name, what, act in (("L3", "`ln -s note.txt RUN/features.cache; heed train …`", bench.follows_link),
                                ("L8", "`rm -r RUN/checkpoints` while it trains 4000 steps", bench.lost_checkpoints),
                                ("L9", "two SIGTERM to `heed translate -o out.txt`", bench.signals_left)):
            print(f"| {name} | {what} | " + " | ".join(act(program) for program in programs) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
