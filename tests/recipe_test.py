"""recipe_test.py HEED RECIPE LEAST [--anti-diagonal] [--starts SHARE]: trains a recipe unchanged and tests the model on held-out examples.

At least LEAST of 1000 test examples must be right with greedy search. With --anti-diagonal, every target symbol of 100 of them must
attend most to the source symbol that it copies: argmax_j α_ij = n − 1 − i. With --starts, this share of all symbols, in per cent, must be
right and begin within 40 ms of where the task says.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
VERBS = {"shapes": "caption", "tones": "transcribe"}


def run(*command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def on_anti_diagonal(source, links):
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    last = len(source) - 1
    return all(j == last - i for j, i in pairs if i <= last)


def share_of_starts(heed, model, task, folder):
    """Per cent of the symbols that are right and begin within 40 ms of their time."""
    tested = ("synth", task, "-n", "1000", "--split", "test", "--seed", "7")
    table, starts, heard = (pathlib.Path(folder) / name for name in ("test.tsv", "starts", "heard"))
    table.write_text(run(heed, *tested), encoding="utf-8")
    starts.write_text(run(heed, *tested, "--times"), encoding="utf-8")
    heard.write_text(run(heed, "transcribe", "-q", "-m", model, "--times", "--tokens", "--table", str(table)), encoding="utf-8")
    (said,) = json.loads(run(heed, "evaluate", "-m", "start_times", "--within", "40", "--json", "-r", str(starts), str(heard)))
    return said["score"]


def main():
    heed, recipe, least = sys.argv[1:4]
    task = pathlib.Path(recipe).stem.split("-")[0]
    examples = [line.split("\t") for line in run(heed, "synth", task, "-n", "1000", "--split", "test", "--seed", "7").splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        run(heed, "train", str(ROOT / recipe), "--quiet", "--run", folder)
        seconds = time.monotonic() - began
        model = f"{folder}/model.safetensors"
        verb = VERBS.get(task, "label" if "label" in recipe else "translate")
        said = run(heed, verb, "-m", model, text="".join(f"{source}\n" for source, _ in examples)).splitlines()
        right = sum(target == output for (_, target), output in zip(examples, said, strict=True))
        print(f"{recipe}: {right} of {len(examples)} right after {seconds:.0f} s of training")
        if right < int(least):
            raise SystemExit(f"recipe_test: saw {right} right, needs {least}")
        if "--anti-diagonal" in sys.argv:
            pairs = pathlib.Path(folder) / "pairs.tsv"
            pairs.write_text("".join(f"{source}\t{target}\n" for source, target in examples[:100]), encoding="utf-8")
            lines = run(heed, "align", "-m", model, "--pairs", str(pairs)).splitlines()
            wrong = [source for (source, _), links in zip(examples, lines) if not on_anti_diagonal(source, links)]
            print(f"{recipe}: {100 - len(wrong)} of 100 alignments are the anti-diagonal")
            if wrong:
                raise SystemExit(f"recipe_test: not the anti-diagonal for {wrong[:5]}")
        if "--starts" in sys.argv:
            needed, share = float(sys.argv[sys.argv.index("--starts") + 1]), share_of_starts(heed, model, task, folder)
            print(f"{recipe}: {share:.2f} % of starts within 40 ms")
            if share < needed:
                raise SystemExit(f"recipe_test: saw {share:.2f} % of starts within 40 ms, needs {needed} %")


main()
