"""precision_test.py HEED RECIPE [STEPS]: what bf16 and int8 cost in quality.

Trains a recipe in f32 and in bf16, then translates 1000 held-out examples with each model in f32, bf16 and int8. All results must be
within 0.3 BLEU (over characters) and within one per cent of exact answers of the f32 model in f32.
"""
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(*command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def bleu(outputs, targets):
    """Papineni 2002 over characters, the whole corpus at once, n up to 4."""
    matched, said, lengths = [0] * 4, [0] * 4, [0, 0]
    for output, target in zip(outputs, targets, strict=True):
        lengths[0] += len(output)
        lengths[1] += len(target)
        for n in range(1, 5):
            mine, theirs = (collections.Counter(text[i:i + n] for i in range(len(text) - n + 1)) for text in (output, target))
            matched[n - 1] += sum((mine & theirs).values())
            said[n - 1] += sum(mine.values())
    if min(matched) == 0:
        return 0.0
    brevity = min(0.0, 1 - lengths[1] / max(lengths[0], 1))
    return 100 * math.exp(brevity + sum(math.log(m / s) for m, s in zip(matched, said)) / 4)


def main():
    heed, recipe = sys.argv[1:3]
    steps = [f"--set=training.steps={sys.argv[3]}"] if len(sys.argv) > 3 else []
    task = pathlib.Path(recipe).stem.split("-")[0]
    examples = [line.split("\t") for line in run(heed, "synth", task, "-n", "1000", "--split", "test", "--seed", "7").splitlines()]
    sources = "".join(f"{source}\n" for source, _ in examples)
    targets = [target for _, target in examples]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for trained in ("f32", "bf16"):
            run(heed, "train", str(ROOT / recipe), "--quiet", "--run", f"{folder}/{trained}", f"--set=training.precision={trained}", *steps)
            for served in ("f32", "bf16", "int8"):
                said = run(heed, "translate", "-m", f"{folder}/{trained}/model.safetensors", "--precision", served, text=sources).splitlines()
                right = sum(output == target for output, target in zip(said, targets, strict=True))
                found[f"trained {trained}, served {served}"] = {"bleu": round(bleu(said, targets), 3), "exact": right}
    print(json.dumps({"recipe": recipe, **found}, indent=1))
    best = found["trained f32, served f32"]
    for name, got in found.items():
        if got["bleu"] < best["bleu"] - 0.3 or got["exact"] < best["exact"] - 10:
            raise SystemExit(f"precision_test: {name}: saw {got}, needs at most 0.3 BLEU and 10 answers less than {best}")


main()
