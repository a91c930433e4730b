"""absurd_numbers_test.py HEED [--every N] [--kind KIND...]: no number in a model file or a recipe can hurt the program.

Model files: a tiny model of every kind is trained. Every number of its stored settings is replaced by each of 30 absurd values, the
digest is computed anew, and the file is used. It must be refused (exit code 3) or work (0), without a signal, within one second of
processor time, and with at most 64 MB more memory than the file has bytes.

Recipes: every number that `heed train --show` lists is replaced by each absurd value that is out of its range. The program must end
with exit code 2 and name the setting.

Folders of other toolkits: the same of every number of their settings, in config.json and generation_config.json.

Last, a model of 60 MB is loaded without a second copy of its tensors.

With --every N only every N-th case is tried, from a different first one for each setting.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import wave

ABSURD = [0, -1, 1, 2, 3, 7, 255, 257, 1000, 65535, 65536, 65537, 10**6, 2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**32 + 1, 10**9, 10**12,
          2**48, 2**53 + 1, 2**61 + 1, 2**62, 2**63 - 1, -(2**31), -(2**63), 2**64 - 1, 1e300, 0.5]
IMPORTED = pathlib.Path(__file__).resolve().parent / "fixtures" / "imported"
MOST_SECONDS = 1.0
MOST_BYTES = 64 * 10**6
DATA = 'synth = "reverse"\ntrain_examples = 24\nvalid_examples = 2\n'
WORDS = DATA + 'source_tokens = "words"\ntarget_tokens = "words"\n'
TRENDS = WORDS.replace("reverse", "trends")
FRAMES = DATA.replace("reverse", "signals") + 'source = { kind = "features", width = 8, masks = 1 }\n'
PIXELS = DATA.replace("reverse", "shapes") + 'source = { kind = "picture", side = 16 }\ntarget_tokens = "words"\n'
SOUNDS = DATA.replace("reverse", "tones") + 'source = { kind = "sound", masks = 1 }\n'
GRU = 'encoder = { kind = "gru", width = 4 }'
FIRST = 'decoder = { kind = "attend_first", width = 4, embedding = 4 }'
LAYERS = json.dumps([{"name": "a", "op": "conv", "src": ["input"], "cin": 3, "cout": 4, "k": 3, "stride": 2, "act": "relu"},
                     {"name": "b", "op": "dwconv", "src": ["a"], "cin": 4, "cout": 4, "k": 3, "stride": 1, "act": "none"}])


def looking(**parts):
    """An attend_first decoder with these parts of attention."""
    inner = ", ".join(f"{name} = {value}" for name, value in parts.items())
    return f'decoder = {{ kind = "attend_first", width = 4, embedding = 4, attention = {{ {inner} }} }}'


def block(more=""):
    return f'kind = "transformer", width = 4, depth = 1, feed_forward = {{ width = 4 }}{more}'


# The [data] and [model] of each kind of model, and further lines of [training].
KINDS = {
    "gru": (DATA, f"{GRU}\n{FIRST}", ""),
    "lstm": (DATA, 'encoder = { kind = "lstm", width = 4, direction = "both", depth = 2 }\n'
             'decoder = { kind = "attend_after", cell = "lstm", width = 4, embedding = 4 }',
             'optimiser = "adafactor"\nschedule = "plateau"\naverage = "ema"\nfeed = "random_words"\n'),
    "rnn": (DATA, 'encoder = { kind = "rnn", width = 4 }\ndecoder = { kind = "fixed", width = 4, embedding = 4 }',
            'optimiser = { kind = "sgd", momentum = 0.5 }\nschedule = "step"\naverage = "last"\nfeed = "scheduled_sampling"\n'),
    "cnn": (DATA, 'encoder = { kind = "cnn", width = 4, depth = 1, position = { kind = "learned", maximum = 64 } }\n' + FIRST,
            'schedule = "exponential"\n'),
    "transformer": (DATA, f"encoder = {{ {block()} }}\ndecoder = {{ {block()} }}", 'schedule = "inverse_square_root"\n'),
    "rotary": (DATA, "encoder = { " + block(', position = "none", norm = "rms_norm", self = { heads = 2, rotary = true, focus = '
                                            '[{ kind = "window" }] }') + f" }}\ndecoder = {{ {block()} }}", 'schedule = "cosine"\n'),
    "conformer": (FRAMES, 'front = "subsample"\nencoder = { kind = "conformer", width = 4, depth = 1, kernel = 3 }\n' + FIRST, ""),
    "pyramid": (FRAMES, 'front = { kind = "frames", stack = 2, stride = 2 }\nencoder = { kind = "pyramid", cell = "lstm", width = 4 }\n'
                + FIRST, ""),
    "sound": (SOUNDS, 'front = "frames"\n' + f"{GRU}\n{FIRST}", ""),
    "bag": (DATA, 'encoder = "bag"\n' + FIRST, 'objectives = [{ kind = "minimum_risk" }]\n'),
    "identity": (PIXELS, 'front = { kind = "stages", channels = [4], depth = 1 }\nencoder = "identity"\n' + FIRST, ""),
    "patches": (PIXELS, 'front = { kind = "patches", size = 8 }\nencoder = "identity"\n' + FIRST, ""),
    "convolutional": (PIXELS, f"front = {{ kind = \"convolutional\", layers = '{LAYERS}' }}\nencoder = \"identity\"\n{FIRST}", ""),
    "language": (DATA + 'source = "none"\n', f'encoder = "none"\ndecoder = {{ {block()} }}', 'metric = "perplexity"\n'),
    "labels": (TRENDS, f'{GRU}\ndecoder = "labels"\n', ""),
    "mask_predict": (TRENDS, "encoder = { " + block() + ' }\ndecoder = { kind = "mask_predict", width = 4, depth = 1, feed_forward = '
                     "{ width = 4 } }", 'objectives = [{ kind = "teacher_forcing" }, { kind = "lengths" }]\n'),
    "ctc": (DATA, f'{GRU}\ndecoder = {{ kind = "ctc", upsample = 2, blocks = {{ depth = 1, width = 4, feed_forward = {{ width = 4 }} }} }}',
            'objectives = [{ kind = "ctc" }]\n'),
    "sequence_label": (WORDS.replace("reverse", "marked"), f'{GRU}\ndecoder = "sequence_label"\n', ""),
    "two_decoders": (TRENDS, f'{GRU}\n{FIRST}\n[model.decoders.tags]\nkind = "labels"',
                     'objectives = [{ kind = "teacher_forcing" }, { kind = "teacher_forcing", decoder = "tags" }]\n'),
    "sparsemax": (DATA, f"{GRU}\n" + looking(score='"dot"', normaliser='"sparsemax"', focus='["causal", "monotonic"]'), ""),
    "entmax15": (DATA, f"{GRU}\n" + looking(score='"scaled_dot"', normaliser='"entmax15"', focus='["strictly_causal"]'), ""),
    "relu": (DATA, f"{GRU}\n" + looking(score='{ kind = "additive", width = 4 }', normaliser='{ kind = "relu" }'), ""),
    "location": (DATA, f"{GRU}\n" + looking(score='{ kind = "location", slots = 32 }', focus='[{ kind = "local_m" }]'), ""),
    "location_aware": (DATA, f"{GRU}\n" + looking(score='{ kind = "location_aware", width = 4, filters = 2, reach = 2 }',
                                                  normaliser='"gumbel"', focus='[{ kind = "local_p" }]'), ""),
    "cosine": (DATA, f"{GRU}\n" + looking(score='{ kind = "cosine", temperature = true }', normaliser='{ kind = "topk", k = 2 }',
                                          focus='[{ kind = "prior", shape = "relative" }]'), ""),
    "bilinear": (DATA, f"{GRU}\n" + looking(score='"bilinear"', normaliser='"sigmoid"', focus='[{ kind = "prior", shape = "diagonal" }]'),
                 ""),
    "hard": (DATA, f"{GRU}\n" + looking(score='"additive"', normaliser='"hard"', focus='[{ kind = "prior", shape = "alibi" }]'),
             'objectives = [{ kind = "teacher_forcing" }, { kind = "reinforce" }]\n'),
}


def recipe_of(kind):
    data, model, training = KINDS[kind]
    model, *tables = model.split("\n[", 1)
    tables = "".join("\n[" + table for table in tables)
    training += "" if "objectives" in training else 'objectives = [{ kind = "teacher_forcing" }]\n'
    return (f"[data]\n{data}\n[model]\nembedding = 4\n{model}\n{tables}\n[training]\nsteps = 1\nbatch_sentences = 8\nsamples = 0\n"
            f"validate_every = {int('plateau' in training)}\n{training}")


def with_item(recipe, name, value):
    """The recipe with another value of `…list[index].setting`, which --set cannot name."""
    items, index, setting = re.fullmatch(r".*?(\w+)\[(\d+)\]\.(\S+)", name).groups()
    kinds = list(re.finditer(r'\{ kind = "\w+"', recipe[recipe.index(f"{items} = [") :]))
    end = recipe.index(f"{items} = [") + kinds[int(index)].end()
    return f"{recipe[:end]}, {setting} = {value}{recipe[end:]}"


class Failure(Exception):
    pass


def run(command, folder, source=""):
    """Exit code (negative: a signal), processor seconds, peak bytes, and what it said on standard error."""
    with tempfile.TemporaryFile(dir=folder) as said, tempfile.TemporaryFile(dir=folder) as given:
        given.write(source.encode())
        given.seek(0)
        child = subprocess.Popen(command, cwd=folder, stdin=given, stdout=subprocess.DEVNULL, stderr=said,
                                 env={**os.environ, "HEED_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"},
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, said.read().decode(errors="replace")


INSIDE = object()  # in a path: the text there is JSON, and the path goes on inside it


def numbers_in(tree, path=()):
    """The path of every number in a tree of JSON."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from numbers_in(value, (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from numbers_in(value, (*path, index))
    elif isinstance(tree, str) and tree.startswith("[{"):
        yield from numbers_in(json.loads(tree), (*path, INSIDE))
    elif isinstance(tree, (int, float)) and not isinstance(tree, bool):
        yield path


def replaced(tree, path, value):
    """A copy of the tree with another value at the path."""
    if not path:
        return value
    if path[0] is INSIDE:
        return json.dumps(replaced(json.loads(tree), path[1:], value))
    copy = tree.copy()
    copy[path[0]] = replaced(tree[path[0]], path[1:], value)
    return copy


class ModelFile:
    def __init__(self, path):
        whole = path.read_bytes()
        (length,) = struct.unpack("<Q", whole[:8])
        self.header = json.loads(whole[8 : 8 + length])
        self.data = whole[8 + length :]

    def settings(self, key):
        return json.loads(self.header["__metadata__"].get(key, "{}"))

    def with_settings(self, key, tree):
        """The file's bytes with these settings, and with a digest that fits."""
        metadata = {**self.header["__metadata__"], key: json.dumps(tree), "sha256": "0" * 64}
        text = json.dumps({**self.header, "__metadata__": metadata}, separators=(",", ":"), ensure_ascii=False).encode()
        text += b" " * (-len(text) % 8)
        whole = struct.pack("<Q", len(text)) + text + self.data
        digest = hashlib.sha256(whole).hexdigest().encode()
        return whole.replace(b'"sha256":"' + b"0" * 64, b'"sha256":"' + digest, 1)


class Sweep:
    def __init__(self, heed, every):
        self.heed, self.every, self.settings = heed, every, 0
        self.counts, self.failures = {}, []
        self.most_seconds = self.most_bytes = 0

    def chosen(self, values):
        self.settings += 1
        return values if self.every == 1 else values[self.settings % self.every :: self.every]

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def fail(self, what, code, said):
        self.failures.append(f"{what}: exit code {code}: {said.strip()[:300]}")

    def model(self, kind, folder):
        verb, source = use_of(self.heed, kind)
        path = folder / kind / "model.safetensors"
        file = ModelFile(path)
        path.write_bytes(file.with_settings("config", file.settings("config")))
        code, _, _, said = run([self.heed, verb, "-m", str(path)], folder, source)
        if code != 0:
            raise Failure(f"{kind}: the model cannot be used unchanged: {said}")
        for key in ("config", "fields"):
            tree = file.settings(key)
            for at in numbers_in(tree):
                for value in self.chosen(ABSURD):
                    changed = folder / "changed.safetensors"
                    whole = file.with_settings(key, replaced(tree, at, value))
                    changed.write_bytes(whole)
                    code, seconds, peak, said = run([self.heed, verb, "-m", str(changed)], folder, source)
                    self.count(f"model files, exit code {code}")
                    self.most_seconds = max(self.most_seconds, seconds)
                    self.most_bytes = max(self.most_bytes, peak - len(whole))
                    what = f"{kind}: {key} {'.'.join(str(key) for key in at if key is not INSIDE)} = {value} ({seconds:.2f} s, {peak / 1e6:.0f} MB)"
                    if code not in (0, 3) or seconds > MOST_SECONDS or peak > len(whole) + MOST_BYTES:
                        self.fail(what, code, said)

    def imported(self, original, folder):
        """A folder of another toolkit, with one number of its settings changed."""
        changed = folder / original.name
        shutil.copytree(original, changed)
        size = sum(file.stat().st_size for file in changed.iterdir())
        verb, source = "translate", "the house\n"
        if json.loads((original / "config.json").read_text())["model_type"] == "whisper":
            verb, source = "transcribe", f"{short_recording(folder)}\n"
        for name in ("config.json", "generation_config.json"):
            settings = json.loads((original / name).read_text())
            for at in numbers_in(settings):
                for value in self.chosen(ABSURD):
                    (changed / name).write_text(json.dumps(replaced(settings, at, value)))
                    code, seconds, peak, said = run([self.heed, verb, "-m", str(changed)], folder, source)
                    self.count(f"folders, exit code {code}")
                    self.most_seconds = max(self.most_seconds, seconds)
                    self.most_bytes = max(self.most_bytes, peak - size)
                    if code not in (0, 3) or seconds > MOST_SECONDS or peak > size + MOST_BYTES:
                        what = ".".join(map(str, at))
                        self.fail(f"{original.name}: {name}: {what} = {value} ({seconds:.2f} s, {peak / 1e6:.0f} MB)", code, said)
            shutil.copy(original / name, changed / name)

    def recipe(self, kind, folder, seen):
        shown = subprocess.run([self.heed, "train", f"{kind}.toml", "--show"], cwd=folder, capture_output=True, text=True, check=True)
        for line in shown.stdout.splitlines():
            found = re.match(r"(\S+) +.*\((a|a list of) (whole )?numbers?(?:, each)? from (\S+) to (\S+)\)$", line)
            unbounded = re.match(r"(\S+) .*\((a|a list of) (whole )?numbers?.*\)$", line)
            if unbounded and not found:
                self.fail(f"{kind}: {unbounded.group(1)} has no range", 0, line)
            if not found or (found.group(1), found.group(4), found.group(5)) in seen:
                continue
            name, _, is_whole, least, most = found.groups()
            seen.add((name, least, most))
            for value in self.chosen([*ABSURD, math.inf, math.nan]):
                if isinstance(value, float) or not float(least) <= value <= float(most):
                    self.setting(kind, folder, name, value, bool(is_whole), (float(least), float(most)))

    def setting(self, kind, folder, name, value, is_whole, limits):
        if isinstance(value, float) and not is_whole and limits[0] <= value <= limits[1]:
            return
        if "[" in name and value > 2**63 - 1 and isinstance(value, int):
            return  # TOML cannot say it
        if "[" in name:
            (folder / "item.toml").write_text(with_item(recipe_of(kind), name, value))
            command = ["item.toml"]
        else:
            command = [f"{kind}.toml", "--set", f"{name}={value}"]
        code, _, _, said = run([self.heed, "train", *command, "-q", "-o", "absurd"], folder)
        self.count(f"recipes, exit code {code}")
        if code != 2 or name not in said:
            self.fail(f"{kind}.toml: {name} = {value}", code, said)


def train(heed, folder, kind, *more):
    (folder / f"{kind}.toml").write_text(recipe_of(kind))
    code, _, _, said = run([heed, "train", f"{kind}.toml", "-q", "-o", kind, *more], folder)
    if code != 0:
        raise Failure(f"{kind}: the recipe of the test does not train: {said}")


def check_large(heed, folder):
    """A large model, and the same with its last byte changed."""
    train(heed, folder, "gru", "--fresh", "--set", "model.embedding=65536", "--set", "model.encoder.width=64", "--set",
          "training.optimiser=sgd", "--set", "training.save_every=1000000000")
    path = folder / "gru/model.safetensors"
    size = path.stat().st_size
    assert size > 50e6, size
    for code in (0, 3):
        ended, _, peak, said = run([heed, "inspect", str(path)], folder)
        print(f"a model of {size / 1e6:.0f} MB, exit code {ended}: at most {peak / 1e6:.0f} MB")
        if ended != code or peak > 1.5 * size:
            raise Failure(f"a model of {size / 1e6:.0f} MB took {peak / 1e6:.0f} MB: exit code {ended}: {said}")
        with path.open("r+b") as file:
            file.seek(-1, os.SEEK_END)
            last = file.read(1)[0]
            file.seek(-1, os.SEEK_END)
            file.write(bytes([last ^ 1]))


def short_recording(folder):
    """A file of 0.3 seconds, as Whisper's models hear it."""
    path = folder / "short.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, 4800, "NONE", ""))
        file.writeframes(bytes(range(96)) * 100)
    return path


def use_of(heed, kind):
    """A verb for models of this kind, and a line for its standard input."""
    data = KINDS[kind][0]
    task = re.search(r'synth = "(\w+)"', data).group(1)
    line = subprocess.run([heed, "synth", task, "-n", "1"], capture_output=True, text=True, check=True).stdout.rstrip("\n")
    source, target = line.split("\t")
    if '"none"' in data:
        return "score", target + "\n"
    if kind in ("labels", "sequence_label"):
        return "label", source + "\n"
    kinds = {"picture": "caption", "sound": "transcribe"}
    found = re.search(r'source = (?:\{ kind = )?"(\w+)"', data)
    return kinds.get(found and found[1], "translate"), source + "\n"


# Parts that every model has, or whose numbers are those of another.
DEFAULTS = {"softmax", "everywhere", "text", "words"}


def check_every_part(heed):
    """Every part of the catalogues is part of a model here."""
    said = subprocess.run([heed, "inspect", "--parts"], capture_output=True, text=True, check=True).stdout
    tried, kind, missing = " ".join(recipe_of(kind) for kind in KINDS), "", []
    for line in said.splitlines():
        if not line.startswith("  "):
            kind = line
        elif kind in ("score", "normaliser", "focus", "field", "front", "encoder", "decoder") and line.split()[0] not in DEFAULTS \
                and f'"{line.split()[0]}"' not in tried:
            missing.append(f"{kind} {line.split()[0]}")
    if missing:
        raise Failure(f"no kind of model of this test has {', '.join(missing)}; add one to KINDS")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("heed")
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--kind", choices=KINDS, nargs="+", default=list(KINDS))
    given = options.parse_args()
    heed = str(pathlib.Path(given.heed).resolve())
    check_every_part(heed)
    sweep, seen = Sweep(heed, given.every), set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in given.kind:
            train(heed, folder, kind)
            sweep.model(kind, folder)
            sweep.recipe(kind, folder, seen)
            print(f"{kind}: {sum(sweep.counts.values())} cases so far, {len(sweep.failures)} failures", flush=True)
        for original in sorted(IMPORTED.iterdir()):
            sweep.imported(original, folder)
            print(f"{original.name}: {sum(sweep.counts.values())} cases so far, {len(sweep.failures)} failures", flush=True)
        check_large(heed, folder)
    for what, count in sorted(sweep.counts.items()):
        print(f"{what}: {count}")
    print(f"models: at most {sweep.most_seconds:.2f} s and the file's size + {sweep.most_bytes / 1e6:.0f} MB")
    for failure in sweep.failures:
        print(failure)
    if sweep.failures:
        raise SystemExit(f"absurd_numbers_test: saw {len(sweep.failures)} failures, needs none")


if __name__ == "__main__":
    sys.exit(main())
