"""every_fault_test.py HEED: every command that writes meets every fault of a disk, and loses nothing.

For each command below, each of its calls that write, make, rename, flush, close or read a file fails once, and fails from then on, with
EIO and with ENOSPC; and the process is killed before each of them. The command ends with 0 (it went on), 3 (what it reads cannot be read)
or 5 (the disk), with a message, and never by a signal of its own. Every model and checkpoint that it leaves can be read. Then the same
command, without a fault, ends with the same bytes as one that never met any, and a run's folder has no temporary file.

Where this process may mount a file system, the commands also run on one that is too small, which then grows. The cases run on all cores,
each in a folder of its own.
"""
import concurrent.futures
import errno
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cli"))
import faults_test  # noqa: E402

RECIPE = faults_test.RECIPE.replace("train_examples = 40", "train_examples = 60")  # enough to learn subwords from
TRAIN = ["train", "tiny.toml", "-q", "-o", "work/run"]
SUBWORDS = [*TRAIN, "--set", "data.source_tokens=bpe", "--set", "data.source_vocabulary=300", "--set", "training.steps=2"]
RESULTS = ["model.safetensors", "checkpoints/step-00000004.safetensors", "samples/step-00000004.txt"]
COMMANDS = {  # name: what is there before, the command, the files it makes
    "train": (None, TRAIN, [f"run/{name}" for name in RESULTS]),
    "vocabulary": (None, SUBWORDS, ["run/model.safetensors", "run/checkpoints/step-00000002.safetensors"]),
    "resume": ("half", TRAIN, [f"run/{name}" for name in RESULTS]),
    "draw": (None, ["translate", "-m", "model.safetensors", "--svg", "work/a.svg", "--png", "work/a.png", "abc"], ["a.svg", "a.png"]),
    "manual": (None, ["manual", "--into", "work"], ["heed.1", "heed-train.1"]),
}
KINDS = ("write", "short", "fsync", "rename", "open", "close", "read", "kill")


class Faults:
    """One folder in which cases run, one after another."""
    readable = set()  # the digests of model files that were read already, by whichever of them

    def __init__(self, heed, folder):
        self.heed, self.folder = heed, folder
        self.work = folder / "work"
        self.shim = folder / "failing_calls.so"
        self.fired = folder / "fired"

    def beside(self, number):
        """Another one that begins like this."""
        folder = self.folder.with_name(f"{self.folder.name}-{number}")
        shutil.copytree(self.folder, folder)
        return Faults(self.heed, folder)

    def run(self, words, **more):
        return subprocess.run([self.heed, *words], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "HEED_THREADS": "1", **more}, check=False)

    def start(self, before):
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        if before:
            shutil.copytree(self.folder / before, self.work / "run")

    def prepare(self):
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", self.shim, HERE / "cli/failing_calls.c", "-ldl"],
                       check=True)
        (self.folder / "tiny.toml").write_text(RECIPE)
        self.start(None)
        done = self.run([*TRAIN, "--set", "training.steps=2"])
        assert done.returncode == 0, done
        shutil.move(self.work / "run", self.folder / "half")
        self.start(None)
        assert self.run(TRAIN).returncode == 0
        shutil.copy(self.work / "run/model.safetensors", self.folder)

    def expected(self, name):
        before, words, files = COMMANDS[name]
        self.start(before)
        done = self.run(words)
        assert done.returncode == 0, f"{name}: {done}"
        return {file: (self.work / file).read_bytes() for file in files}

    def check_after(self, what, done, allowed):
        assert done.returncode in allowed, f"{what}: {done}"
        if done.returncode > 0:
            assert done.stderr.splitlines()[-1].startswith("heed: "), f"{what}: {done}"
        for file in self.work.rglob("*.safetensors"):
            digest = hashlib.sha256(file.read_bytes()).digest()
            if not file.name.startswith(".") and digest not in Faults.readable:
                seen = self.run(["inspect", str(file)])
                assert seen.returncode == 0, f"{what}: {file}: {seen}"
                Faults.readable.add(digest)

    def check_again(self, what, words, expected):
        again = self.run(words)
        assert again.returncode == 0, f"{what}: {again}"
        for file, contents in expected.items():
            assert (self.work / file).read_bytes() == contents, f"{what}: {file} differs"
        # A run removes what a killed one has left in its folder; nobody else knows of a drawing that was never finished.
        leftovers = list(self.work.rglob(".*.tmp"))
        assert not leftovers or (" kill:" in what and not words[0] == "train"), f"{what}: {leftovers}"

    def meets(self, name, expected, at, more):
        """Whether there was such a call at all."""
        before, words, _ = COMMANDS[name]
        what = f"{name} {at} {more}"
        self.fired.unlink(missing_ok=True)
        self.start(before)
        done = self.run(words, LD_PRELOAD=str(self.shim), FAULT_AT=at, FAULT_FIRED=str(self.fired), **more)
        if not self.fired.exists():
            assert done.returncode == 0, f"{what}: {done}"
            return False
        kind = at.split(":")[0]
        self.check_after(what, done, (-9,) if kind == "kill" else (0, 3, 5) if kind == "read" else (0, 5))
        self.check_again(what, words, expected)
        return True

    def small_disk(self, name, expected):
        """On a file system of so many kB, which then grows; the number of sizes that it was tried in."""
        before, words, _ = COMMANDS[name]
        tried = 0
        for size in (4, 8, 16, 24, 32, 48, 64, 96, 128, 256):
            shutil.rmtree(self.work)
            self.work.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "heed", self.work], check=True)
            try:
                if before:
                    try:
                        shutil.copytree(self.folder / before, self.work / "run")
                    except (OSError, shutil.Error):
                        continue  # not even what was there before
                done = self.run(words)
                self.check_after(f"{name} in {size} kB", done, (0, 5))
                subprocess.run(["mount", "-o", "remount,size=16m", self.work], check=True)
                self.check_again(f"{name} in {size} kB", words, expected)
                tried += 1
            finally:
                subprocess.run(["umount", self.work], check=True)
        print(f"{name}: {tried} small file systems", flush=True)
        return tried


def forms_of(kind):
    """The errors that a call of this kind meets, once and from then on."""
    if kind == "kill":
        return [{}]
    return [{"FAULT_ERROR": str(error), **ever} for error in (errno.EIO, errno.ENOSPC) for ever in ({}, {"FAULT_EVER": "1"})]


def every_fault(workers, name, expected, kind):
    """The number of calls of this kind; every one of them has met its faults."""
    idle, forms = list(workers), forms_of(kind)

    def meets(call):
        worker = idle.pop()
        try:
            return [worker.meets(name, expected, f"{kind}:{call}", more) for more in forms]
        finally:
            idle.append(worker)

    calls = 0
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        while True:  # as many calls at a time as there are workers, until one is beyond the last
            outcomes = list(pool.map(meets, range(calls + 1, calls + 1 + len(workers))))
            for outcome in outcomes:
                if not all(outcome):
                    return calls
                calls += 1


def can_mount(folder):
    (folder / "work").mkdir(exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "heed", folder / "work"], capture_output=True, check=False).returncode:
        return False
    subprocess.run(["umount", folder / "work"], check=True)
    return True


def main():
    began = time.monotonic()
    names = sys.argv[2:] or list(COMMANDS)
    tried = 0
    with tempfile.TemporaryDirectory() as name:
        first = Faults(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(name) / "first")
        first.folder.mkdir()
        first.prepare()
        mounts = can_mount(first.folder)
        if not mounts:
            print("every_fault_test: may not mount a file system, so none is too small")
        workers = [first.beside(number) for number in range(os.cpu_count() or 1)]
        for command in names:
            expected = first.expected(command)
            for kind in KINDS:
                calls = every_fault(workers, command, expected, kind)
                tried += calls * len(forms_of(kind))
                print(f"{command}: {kind}: {calls} calls, each in {len(forms_of(kind))} forms", flush=True)
            if mounts:
                tried += first.small_disk(command, expected)
        print(f"{tried} faults in {time.monotonic() - began:.0f} s, nothing was lost")


if __name__ == "__main__":
    main()
