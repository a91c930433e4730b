#!/usr/bin/env python3
"""pictures.py [--trained] HEED [FOLDER]: makes the pictures and tables of docs/attention.md and docs/attention.zh.md.

HEED is the program, FOLDER is where the runs go (build/pictures); a run that is there is not trained again. Everything is trained by
recipes of the project, on the made-up task of dates: about 30 runs of 20 seconds each on one core of an ordinary machine. With
--trained, what has not been trained yet is left out. Tables are written between `<!-- table: NAME -->` and `<!-- end -->`.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs/pictures"
TEXT = "May 3, 1979"
ATTENTION = "model.decoder.attention"
COMPARED = {
    "scores": (f"{ATTENTION}.score", ["dot", "scaled_dot", "bilinear", "cosine", "additive", "location", "location_aware"]),
    "normalisers": (f"{ATTENTION}.normaliser", ["softmax", "sparsemax", "entmax15", "topk", "relu", "sigmoid", "gumbel", "hard"]),
    "focuses": (f"{ATTENTION}.focus", ["everywhere", "window", "local_m", "local_p", "monotonic", "prior"]),
}

# What a part needs beside itself in order to learn.
TAUGHT = {"hard": ["--set", 'training.objectives=["teacher_forcing","reinforce"]']}


def run(heed, *words):
    print("heed", *words, flush=True)
    return subprocess.run([heed, *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


def write_table(name, rows):
    """Into both pages: a line for each of rows, (name, per cent of dates that are right, parameters)."""
    lines = [f"| `{variant}` | {score:.1f} | {f'{parameters:,}'.replace(',', ' ')} |" for variant, score, parameters in rows]
    for page in ("attention.md", "attention.zh.md"):
        path = ROOT / "docs" / page
        text = path.read_text(encoding="utf-8")
        head = r"(<!-- table: " + name + r" -->\n\|[^\n]*\n\|[^\n]*\n).*?(<!-- end -->)"
        text, count = re.subn(head, lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text, flags=re.S)
        if count != 1:
            raise SystemExit(f"pictures: {page} has no table {name}")
        path.write_text(text, encoding="utf-8")


def is_trained(run_folder):
    return (run_folder / "model.safetensors").exists()


def compare(heed, folder, name, only_trained):
    """(name, per cent of dates that are right, parameters) of each variant; draws the date under all of them."""
    setting, choices = COMPARED[name]
    choices = [choice for choice in choices if not only_trained or is_trained(folder / name / choice)]
    rows = []
    for several, more in ([one for one in choices if one not in TAUGHT], []), *(([one], TAUGHT[one]) for one in choices if one in TAUGHT):
        values = ",".join(f'["{choice}"]' if name == "focuses" else choice for choice in several)
        said = run(heed, "compare", "recipes/dates-demo.toml", "--over", f"{setting}={values}", "--set", "data.valid_examples=500", *more,
                   "-o", str(folder / name), "--metric", "exact_match", "--json")
        rows += [(row["variant"], row["score"], row["parameters"]) for row in json.loads(said)]
    models = [word for choice in choices for word in ("-m", f"{folder / name / choice}/model.safetensors")]
    run(heed, "translate", *models, "--darkest", "1", "--svg", str(PICTURES / f"{name}.svg"), TEXT)
    return rows


def mixed(heed, folder):
    """Hard attention that is soft half of the time while it is trained (Xu 2015)."""
    said = run(heed, "compare", "recipes/dates-demo.toml", "--set", f"{ATTENTION}.normaliser=hard", "--over", f"{ATTENTION}.normaliser.mix=0.5",
               *TAUGHT["hard"], "--set", "data.valid_examples=500", "-o", str(folder / "mixed"), "--metric", "exact_match", "--json")
    (row,) = json.loads(said)
    return [("hard, mix = 0.5", row["score"], row["parameters"])]


def fixed(heed, folder):
    """The same model with one vector for the whole source."""
    recipe = (ROOT / "recipes/dates-demo.toml").read_text(encoding="utf-8")
    recipe = re.sub(r'^kind = "attend_after"$', 'kind = "fixed"', recipe, flags=re.M)
    recipe = re.sub(r"^attention = .*\n", "", recipe, flags=re.M)
    path = folder / "dates-fixed.toml"
    path.write_text(recipe, encoding="utf-8")
    said = run(heed, "compare", str(path), "--over", "model.decoder.cell=gru", "--set", "data.valid_examples=500",
               "-o", str(folder / "fixed"), "--metric", "exact_match", "--json")
    (row,) = json.loads(said)
    return [("fixed", row["score"], row["parameters"])]


def by_length(heed, folder, only_trained):
    """How many strings of each length are reversed rightly, by attention and by one vector of a model that is as large."""
    decoders = {"attention": [], "one vector": ["--set", 'model.decoder={kind="fixed",cell="gru",embedding=32,width=75}']}
    models = []
    for name, settings in decoders.items():
        run_folder = folder / "by-length" / name
        if only_trained and not is_trained(run_folder):
            return
        if not is_trained(run_folder):
            run(heed, "train", "recipes/reverse-additive.toml", "-q", *settings, "-o", str(run_folder))
        models.append(f"{name}={run_folder}/model.safetensors")
    pairs = folder / "by-length/test.tsv"
    pairs.write_text(run(heed, "synth", "reverse", "-n", "5000", "--split", "test"), encoding="utf-8")
    subprocess.run([ROOT / "recipes/quality_by_length.py", heed, pairs, folder / "by-length/scores", *models, "--edges", "3,4,5,6,7,8,9,10,11",
                    "--svg", PICTURES / "by-length.svg"], check=True)


def heads(heed, folder, only_trained):
    model = str(folder / "transformer/model.safetensors")
    if not only_trained:
        run(heed, "train", "recipes/dates-transformer.toml", "-q", "--set", "training.steps=1000", "-o", str(folder / "transformer"))
    for kind, block in (("encoder", "0"), ("self", "0"), ("cross", "1")):
        run(heed, "translate", "-m", model, "--attention", kind, "--block", block, "--heads",
            "--svg", str(PICTURES / f"heads-{kind}.svg"), TEXT)


def scale(heed, folder):
    """What multiplying scores does to the weights of softmax and to the derivatives α_i (1[i = j] − α_j) that it learns by."""
    lines = []
    for quarters in range(2, 65):
        powers = [math.exp(quarters / 4 * score) for score in (0.9, 0.4, -0.3, -1.2)]
        weights = [power / sum(powers) for power in powers]
        lines.append({"scores are multiplied by": quarters / 4, "largest weight": max(weights), "largest derivative": max(one * (1 - one) for one in weights)})
    path = folder / "scale.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run(heed, "plot", str(path), "--over", "scores are multiplied by", "--only", "largest weight,largest derivative", "--svg", str(PICTURES / "scale.svg"))


def sparse(heed, folder, only_trained):
    """What softmax leaves for slots that do not matter, and sparsemax does not, in per cent. Small scores show it: README.md says how."""
    names = ("softmax", "sparsemax")
    if only_trained and not all(is_trained(folder / "sparse" / name) for name in names):
        return
    run(heed, "compare", "recipes/dates-demo.toml", "--over", f"{ATTENTION}.normaliser={','.join(names)}", "--set", f"{ATTENTION}.score=scaled_dot",
        "--set", "data.valid_examples=500", "-o", str(folder / "sparse"), "--metric", "exact_match", "-q")
    models = [word for name in names for word in ("-m", f"{folder / 'sparse' / name}/model.safetensors")]
    run(heed, "translate", *models, "--values", "--svg", str(PICTURES / "sparse.svg"), TEXT)


def of_bundled_models(heed, folder):
    """The pictures of README.md."""
    run(heed, "translate", "-m", "en-zh", "--title", "Where it looked", "--svg", str(PICTURES / "piano.svg"), "She plays the piano every day.")
    table = folder / "shapes.tsv"
    table.write_text(run(heed, "synth", "shapes", "--split", "valid", "-n", "1"), encoding="utf-8")
    run(heed, "caption", "-m", "shapes", "--table", str(table), "--png", str(PICTURES / "caption-shapes.png"))
    run(heed, "transcribe", "-q", "-m", "digits", "--png", str(PICTURES / "heard-digits.png"), "models/digits/2345.wav")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", action="store_true")
    parser.add_argument("heed", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, nargs="?", default=ROOT / "build/pictures")
    options = parser.parse_args()
    heed = str(options.heed.resolve())
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    of_bundled_models(heed, folder)
    found = {name: compare(heed, folder, name, options.trained) for name in COMPARED}
    if not options.trained or any((folder / "mixed").glob("*/model.safetensors")):
        found["normalisers"] += mixed(heed, folder)
    for name, rows in found.items():
        write_table(name, rows)
    without = fixed(heed, folder) if not options.trained or is_trained(folder / "fixed/gru") else []
    write_table("fixed", without + [(f"attend_after, {name}", score, size) for name, score, size in found["scores"] if name == "additive"])
    by_length(heed, folder, options.trained)
    heads(heed, folder, options.trained)
    sparse(heed, folder, options.trained)
    scale(heed, folder)


if __name__ == "__main__":
    main()
