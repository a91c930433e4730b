"""faults_test.py HEED: each system call of a training run that uses the disk fails once, and nothing is lost.

Whichever write, fsync, rename or open fails, the run ends with 0 (it continued, and a later save succeeded) or 5 (with a
message). Then the same command, without a fault, ends with the same bytes as a run that never met one.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECIPE = """\
[data]
synth = "reverse"
train_examples = 40
valid_examples = 6

[model]
embedding = 4
encoder = "bag"
decoder = { kind = "attend_first", width = 5, embedding = 4 }

[training]
steps = 4
batch_sentences = 8
validate_every = 2
save_every = 1
log_every = 2
samples = 1
average = "ema"
"""
KINDS = {"write": 10, "short": 10, "fsync": 10, "rename": 5, "open": 8}  # the least number of each
RESULTS = ("model.safetensors", "checkpoints/step-00000004.safetensors", "samples/step-00000004.txt")


def train(heed, folder, run, **more):
    return subprocess.run([heed, "train", "tiny.toml", "-q", "-o", run], cwd=folder, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **more}, check=False)


def check(heed, folder, shim, whole, at):
    """Whether there was such a call at all."""
    run, fired = at.replace(":", "-"), folder / "fired"
    fired.unlink(missing_ok=True)
    done = train(heed, folder, run, LD_PRELOAD=str(shim), FAULT_AT=at, FAULT_FIRED=str(fired))
    if not fired.exists():
        assert done.returncode == 0, f"{at}: {done}"
        return False
    assert done.returncode in (0, 5), f"{at}: {done}"
    assert not done.stdout, f"{at}: {done}"
    last = done.stderr.splitlines()[-1:]
    assert done.returncode == 0 or last[0].startswith("heed: "), f"{at}: {done}"
    again = train(heed, folder, run)
    assert again.returncode == 0, f"{at}: {again}"
    for name in RESULTS:
        assert (folder / run / name).read_bytes() == whole[name], f"{at}: {name} differs"
    leftovers = list((folder / run).rglob("*.tmp"))
    assert not leftovers, f"{at}: {leftovers}"
    return True


def main():
    heed = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shim = folder / "failing_calls.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim, HERE / "failing_calls.c", "-ldl"], check=True)
        (folder / "tiny.toml").write_text(RECIPE)
        done = train(heed, folder, "whole")
        assert done.returncode == 0, done
        whole = {result: (folder / "whole" / result).read_bytes() for result in RESULTS}
        for kind, least in KINDS.items():
            count = 0
            while check(heed, folder, shim, whole, f"{kind}:{count + 1}"):
                count += 1
            assert count >= least, f"saw {count} calls of {kind}, needs {least}; the shim is passed by"
            print(f"{kind}: each of {count} failed once")


if __name__ == "__main__":
    main()
