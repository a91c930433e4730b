"""tools/results runs what is missing once, resumes, starts a row from another's model, and makes the tables. A stand-in plays heed."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Trains by noting its arguments; a model answers "right" to as many lines as its seed says; evaluates the share of equal lines.
STAND_IN = r'''#!/usr/bin/env python3
import json, pathlib, sys, time
here = pathlib.Path(__file__).parent
verb, args = sys.argv[1], sys.argv[2:]
with open(here / "calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\n")
if verb == "synth":
    print("a\tright\na\tfine\nb\tright\nc\tright\nd\tright")
elif verb == "inspect":
    print((here / "parts").read_text())
elif verb == "train" and "--show" in args:
    chosen = {"model.encoder": "gru", "model.decoder": "fixed", "model.decoder.attention.score": "additive"}
    chosen |= dict(one.split("=", 1) for one in args if one.startswith("model."))
    for path, name in chosen.items():
        print(f'{path:<40} "{name}"  what it is (one of these)')
elif verb == "train":
    if (here / "broken").exists():
        sys.exit(3)
    if "--dry-run" in args:
        print("time about a minute")
        sys.exit(0)
    folder = pathlib.Path(args[args.index("-o") + 1])
    folder.mkdir(parents=True, exist_ok=True)
    while (here / "slow").exists():
        time.sleep(0.01)
    if any(one.startswith("training.init=") for one in args):
        assert (here / "runs/plain-3/model.safetensors").exists()
    seed = next(one.split("=")[1] for one in args if one.startswith("training.seed="))
    (folder / "model.safetensors").write_text(seed)
    lines = [{"step": 20 * k, "objective": name, "objective_loss": 1 / k if name == "diagonal" else 0} for k in range(1, 31) for name in ("diagonal", "other")]
    measured = [(50, 0.0, 0.1), (100, 0.5, 0.9), (200, 0.01, 0.9), (300, 0.03, 0.8), (400, 0.02, 0.9), (500, 0.0, 1.0)]
    lines += [{"step": step, "backward": share, "reach": reach} for step, share, reach in measured]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for one in args:
        if "links=" in one:
            (here / "linked").write_text(pathlib.Path(one.split("links=")[1]).read_text())
elif verb == "align":
    for line in sys.stdin:
        print("0-0" if pathlib.Path(args[args.index("-m") + 1]).read_text() == "1" else "0-0 1-1")
elif "--links" in args:
    gold, said = (pathlib.Path(args[args.index("--links") + k]).read_text().splitlines() for k in (1, 2))
    print(json.dumps([{"name": "AER", "score": 100 * sum(a != b for a, b in zip(gold, said, strict=True)) / len(gold)}]))
elif "--paired" in args:
    names = args[args.index("-m") + 1].split(",")
    print(json.dumps([{"name": name, "ci": 2, "p_value": p} for name in names for p in (None, 0.25)]))
elif "--boxes" in args and verb == "evaluate":
    boxes, looked = (pathlib.Path(args[args.index("--boxes") + k]).read_text().splitlines() for k in (1, 2))
    assert boxes == ["one", "two"] and len(looked) == 2
    print(json.dumps([{"name": "pointing", "score": 80}, {"name": "mass", "score": 60}]))
elif verb == "evaluate" and args[1] == "start_times":
    assert args[args.index("--within") + 1] == "60"
    starts, heard = (pathlib.Path(one).read_text().splitlines() for one in (args[args.index("-r") + 1], args[args.index("--json") - 1]))
    print(json.dumps([{"name": "start_times", "score": 100 * sum(map(str.__eq__, starts, heard)) / len(starts)}]))
elif "--times" in args:
    for line in sys.stdin:
        print(f"{line.strip()}@1")
elif verb in ("translate", "caption", "transcribe"):
    seed = int(pathlib.Path(args[args.index("-m") + 1]).read_text())
    for number, line in enumerate(sys.stdin):
        print("right" if number < seed else "wrong")
else:
    files = [pathlib.Path(args[i + 1]).read_text().splitlines() for i, one in enumerate(args) if one == "-r"]
    said = pathlib.Path(args[args.index("-w") - 1]).read_text().splitlines()
    right = sum(line in references for line, references in zip(said, zip(*files), strict=True))
    print(json.dumps([{"name": args[args.index("-m") + 1], "score": 100 * right / len(said)}]))
'''

LIST = '''
[task.made]
pairs = "{heed} synth made"
metrics = ["exact_match"]
[task.far]
pairs = "cat $HEED_DATA/far"
metrics = ["per"]
[[row]]
name = "plain"
table = "one"
method = "teacher forcing"
task = "made"
recipe = "recipes/r.toml"
seeds = [1, 3]
[[row]]
name = "better"
table = "one"
method = "a better one"
task = "made"
recipe = "recipes/r.toml"
set = ["training.steps=7"]
start = "plain"
seeds = [3]
[[row]]
name = "away"
table = "two"
method = "what needs data"
task = "far"
recipe = "recipes/r.toml"
seeds = [1]
'''

PRODUCTS = '''
[[product]]
name = "pair-{encoder}-{decoder}"
table = "pairs"
task = "made"
recipe = "recipes/r.toml"
set = ["training.steps=5"]
seeds = [1, 3]
[product.encoder]
gru = ["model.encoder=gru"]
bag = ["model.encoder=bag"]
[product.decoder]
fixed = ["model.decoder=fixed"]
ctc = ["model.decoder=ctc"]
[product.without]
none = "reads nothing"
"bag ctc" = "too short"
[[product]]
name = "score-{score}"
table = "scores"
task = "made"
recipe = "recipes/r.toml"
against = "score-dot"
seeds = [1]
[product.score]
dot = ["model.decoder.attention.score=dot"]
additive = "plain"
'''
PARTS = """encoder
  gru       gated
  bag       a mean
  none      nothing
decoder
  fixed     one vector
  ctc       frames
score
  dot       qk
  additive (mlp)  v tanh
"""


def row(name, more, seeds="[1]", task="made"):
    return f'''
[[row]]
name = "{name}"
table = "one"
method = "{name}"
task = "{task}"
recipe = "recipes/r.toml"
seeds = {seeds}
{more}
'''


class Results(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for folder in ("docs", "recipes", "tools"):
            (self.root / folder).mkdir()
        (self.root / "recipes/r.toml").write_text("[data]\n")
        (self.root / "docs/results.toml").write_text(LIST)
        (self.root / "docs/RESULTS.md").write_text("Before\n<!-- results one -->\n<!-- end -->\n<!-- results two -->\n<!-- end -->\nAfter\n")
        (self.root / "tools/results").write_text((ROOT / "tools/results").read_text())
        self.heed = self.root / "heed"
        self.heed.write_text(STAND_IN)
        self.heed.chmod(0o755)

    def results(self, *args, fails=False):
        env = {key: value for key, value in os.environ.items() if key != "HEED_DATA"}
        done = subprocess.run([sys.executable, self.root / "tools/results", *args], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode != 0, fails, done.stderr)
        return done.stdout + done.stderr

    def run_rows(self, *rows, fails=False, options=()):
        return self.results("run", *rows, "--heed", str(self.heed), "--runs", str(self.root / "runs"), *options, fails=fails)

    def lines(self):
        return [json.loads(line) for line in (self.root / "docs/results.jsonl").read_text().splitlines()]

    def trained(self):
        return [line for line in (self.root / "calls").read_text().splitlines() if line.startswith("train ")]

    def test_runs_what_is_missing_once(self):
        self.assertEqual(self.results().count("to do"), 3)
        self.assertIn("away                                 seed 1  needs HEED_DATA", self.results())
        self.assertIn("away, seed 1: set HEED_DATA", self.run_rows())
        self.assertEqual([(line["row"], line["seed"], line["scores"]["exact_match"]) for line in self.lines()],
                         [("plain", 1, 25.0), ("plain", 3, 75.0), ("better", 3, 75.0)])
        self.assertEqual(self.lines()[2]["set"], ["training.steps=7"])
        calls = len(self.trained())
        self.run_rows()
        self.assertEqual((len(self.lines()), len(self.trained())), (3, calls))
        self.assertIn('done: {"exact_match": 75.0}', self.results())

    def test_a_row_starts_from_another(self):
        self.run_rows("better")
        first, second = self.trained()  # the other is trained, but its row is not claimed
        self.assertNotIn("training.init", first)
        self.assertIn(f'training.init="{self.root}/runs/plain-3/model.safetensors"', second)
        self.assertEqual([line["row"] for line in self.lines()], ["better"])

    def test_rows_are_run_in_the_order_that_is_asked_for(self):
        self.run_rows("better", "plain")
        self.assertEqual([(line["row"], line["seed"]) for line in self.lines()], [("better", 3), ("plain", 1), ("plain", 3)])

    def test_a_failure_leaves_what_is_done(self):
        self.run_rows("plain")
        (self.root / "broken").touch()
        self.run_rows("better", fails=True)
        self.assertEqual(len(self.lines()), 2)
        (self.root / "broken").unlink()
        self.run_rows("better")
        self.assertEqual(len(self.lines()), 3)

    def add_rows(self, more):
        (self.root / "docs/results.toml").write_text(LIST + more)

    def test_one_model_is_tested_in_several_ways(self):
        self.add_rows(row("ways", 'of = "plain"\ndecode = ["--beam", "5"]', seeds="[3]") + row("given", f'model = "{self.root}/given"'))
        (self.root / "given").write_text("2")
        self.run_rows("ways", "given")
        self.assertEqual([line["scores"]["exact_match"] for line in self.lines()], [75.0, 50.0])
        self.assertEqual([line["seconds"] for line in self.lines()], [0, 0])
        self.assertEqual(len(self.trained()), 1)
        self.assertIn("--beam 5", (self.root / "calls").read_text())
        self.assertIn("; the model of plain; `--beam 5` | 75.00 |", self.results("tables"))

    def test_links_by_other_models_guide(self):
        (self.root / "recipes/training_links.py").write_text((ROOT / "recipes/training_links.py").read_text())
        task = '[task.linked]\nprepare = "echo once >> prepared"\nunlinked = "printf \'a b\\\\tc d\\\\n\'"\ngold = "printf \'a b\\\\tc d\\\\t0-0 1-1\\\\n\'"\nmetrics = ["aer"]\n'
        self.add_rows(task + row("guided", "links = [\"plain\"]\nset = ['training.objectives=links={links}']", seeds="[1, 3]", task="linked"))
        self.run_rows("guided", options=["--at-once", "2"])
        self.assertEqual({line["seed"]: line["scores"] for line in self.lines()}, {1: {"aer": 100.0}, 3: {"aer": 0.0}})
        self.assertIn((self.root / "linked").read_text(), ["a b\tc d\t0-0\n", "a b\tc d\t0-0 1-1\n"])
        self.assertEqual((self.root / "runs/guided-3/links.tsv").read_text(), "a b\tc d\t0-0 1-1\n")
        self.assertEqual((self.root / "prepared").read_text(), "once\n")
        self.assertIn("links by plain", self.results("tables"))

    def test_steps_until_an_objective_is_small(self):
        self.add_rows(row("soon", 'until = { objective = "diagonal", below = 0.1 }') + row("never", 'until = { objective = "diagonal", below = 0.01 }'))
        self.run_rows("soon", "never")
        # The mean of 1/k over ten lines, from 6 to 15, is 0.1035, and from 7 to 16 0.0931.
        self.assertEqual([line["scores"]["steps_until"] for line in self.lines()], [320, None])
        self.assertIn("| exact_match | steps_until | minutes |", self.results("tables"))
        self.assertIn("| 25.00 | 320 |", self.results("tables"))
        self.assertIn("| 25.00 | – |", self.results("tables"))

    def test_rows_are_compared_once_both_are_finished(self):
        self.add_rows(row("rival", 'against = "plain"', seeds="[1, 3]"))
        self.run_rows("rival")
        self.assertEqual(len(self.lines()), 2)
        self.run_rows("plain")
        tests = {"exact_match": {"interval": 2, "p": 0.25}}
        self.assertEqual([line for line in self.lines() if "tests" in line],
                         [{"row": "rival", "seed": seed, "against": "plain", "tests": tests} for seed in (1, 3)])
        self.assertIn("50.00 (25.00 with p = 0.250, 75.00 with p = 0.250)", self.results("tables"))
        self.run_rows()
        self.assertEqual(len([line for line in self.lines() if "tests" in line]), 2)

    def test_several_at_once(self):
        self.run_rows(options=["--at-once", "8"])
        self.assertEqual({(line["row"], line["seed"]): line["scores"]["exact_match"] for line in self.lines()},
                         {("plain", 1): 25.0, ("plain", 3): 75.0, ("better", 3): 75.0})
        self.assertEqual(len([call for call in self.trained() if "training.seed=3" in call and "training.init" not in call]), 2)  # the second finds it done

    def test_stops_after_some_minutes_and_continues(self):
        (self.root / "slow").touch()
        said = self.run_rows("plain", options=["--at-once", "2", "--minutes", "0.01"])
        self.assertIn("plain, seed 1: stopped", said)
        self.assertFalse((self.root / "docs/results.jsonl").exists())
        (self.root / "slow").unlink()
        self.run_rows("plain")
        self.assertEqual(len(self.lines()), 2)

    def test_stops_when_it_is_told_to(self):
        (self.root / "slow").touch()
        tool = subprocess.Popen([sys.executable, self.root / "tools/results", "run", "plain", "--heed", str(self.heed), "--runs", str(self.root / "runs")],
                                stderr=subprocess.PIPE, text=True)
        while not (self.root / "calls").exists():  # until the first row is being trained
            time.sleep(0.01)
        time.sleep(0.2)  # times are kept in tenths of a second
        tool.terminate()
        _, said = tool.communicate(timeout=60)
        self.assertEqual(tool.returncode, 0, said)
        self.assertIn("plain, seed 1: stopped", said)
        self.assertGreater(float((self.root / "runs/plain-1/seconds").read_text()), 0)  # the time so far is kept

    def test_what_is_said_can_be_filtered(self):
        (self.root / "docs/results.toml").write_text(LIST.replace('metrics = ["exact_match"]', 'metrics = ["exact_match"]\nfilter = "sed s/wrong/right/"'))
        self.run_rows("plain")
        self.assertEqual(self.lines()[0]["scores"]["exact_match"], 100.0)

    def test_where_captions_look(self):
        made = LIST.replace('metrics = ["exact_match"]', 'metrics = ["exact_match"]\nverb = "caption"\nboxes = "printf \'one\\\\ntwo\\\\n\'"')
        (self.root / "docs/results.toml").write_text(made)
        self.run_rows("plain")
        self.assertEqual(self.lines()[0]["scores"], {"exact_match": 25.0, "pointing": 80, "mass": 60})
        self.assertIn("| exact_match | pointing | mass | minutes |", self.results("tables"))
        (self.root / "docs/results.jsonl").unlink()
        (self.root / "docs/results.toml").write_text(made.replace('method = "teacher forcing"', 'method = "teacher forcing"\nblind = true'))
        self.run_rows("plain")
        self.assertEqual(self.lines()[0]["scores"], {"exact_match": 25.0})

    def test_when_words_begin_and_further_tasks(self):
        (self.root / "docs/results.toml").write_text(LIST.replace('metrics = ["exact_match"]', '''metrics = ["exact_match"]
verb = "transcribe"
starts = "printf 'a@1\\\\nb@1\\\\nc@2\\\\nd@1\\\\n'"
within = 60
prepare = "echo made >> made"
also = { two = "second" }
[task.second]
pairs = "cat made"
metrics = ["exact_match"]''').replace('pairs = "cat made"', "pairs = \"sed 's/$/\\\\tright/' made\""))
        self.run_rows("plain")
        self.assertEqual(self.lines()[0]["scores"], {"exact_match": 25.0, "start_times": 75.0, "two exact_match": 100.0})
        self.assertEqual((self.root / "made").read_text(), "made\n")  # for both seeds, once
        self.assertIn("| exact_match | start_times | two exact_match | minutes |", self.results("tables"))

    def test_from_when_on_attention_runs_in_order(self):
        for share, step in [(0.02, 400), (0.03, 200), (0.5, 100), (0.001, 500), (-1, None)]:
            (self.root / "docs/results.toml").write_text(LIST.replace('metrics = ["exact_match"]', f'metrics = ["exact_match"]\nin_order = {share}', 1))
            self.run_rows("plain")
            self.assertEqual(self.lines()[0]["scores"].get("in order from"), step)
            (self.root / "docs/results.jsonl").unlink()

    def test_tables(self):
        self.run_rows()
        self.results("tables", "--write")
        text = (self.root / "docs/RESULTS.md").read_text()
        self.assertIn("| teacher forcing | [r](../recipes/r.toml) | 50.00 (25.00, 75.00) | 0.0 |", text)
        self.assertIn("| a better one | [r](../recipes/r.toml); `training.steps=7`; starts from plain | 75.00 | 0.0 |", text)
        self.assertTrue(text.startswith("Before\n") and text.endswith("After\n"))
        self.results("tables", "--write")
        self.assertEqual((self.root / "docs/RESULTS.md").read_text(), text)
        self.assertIn(text.split("-->\n")[1].split("<!--")[0].strip(), self.results("tables"))

    def test_faults_of_the_list(self):
        for change, said in [(('task = "made"', 'task = "x"'), "there is no task x"), (("seeds = [3]", "seeds = [4]"), "plain is not a row with its seeds"),
                             (('name = "better"', 'name = "plain"'), "two rows have the same name"),
                             (('method = "a better one"', 'methud = "x"'), "method, methud is missing or unknown"),
                             (('recipe = "recipes/r.toml"', 'recipe = "x"'), "there is no x"),
                             (('start = "plain"', 'of = "away"'), "away is not a row with its seeds"),
                             (('start = "plain"', 'against = "away"'), "away is not a row with its seeds"),
                             (('start = "plain"', 'links = ["plain"]'), "its task has no `unlinked` pairs to link")]:
            (self.root / "docs/results.toml").write_text(LIST.replace(*change, 1))
            self.assertIn(said, self.results(fails=True))
        (self.root / "docs/results.toml").write_text(LIST)
        self.assertIn("there is no row x", self.run_rows("x", fails=True))

    def test_the_list_of_the_project(self):
        listed = tomllib.loads((ROOT / "docs/results.toml").read_text(encoding="utf-8"))
        page = (ROOT / "docs/RESULTS.md").read_text(encoding="utf-8")
        for row in listed["row"]:
            self.assertIn(f"<!-- results {row['table']} -->", page)
        subprocess.run([sys.executable, ROOT / "tools/results"], check=True, capture_output=True)

    def test_a_product_is_a_row_for_each_part_or_pair(self):
        self.add_rows(PRODUCTS)
        self.run_rows("pair-gru-ctc", "pair-bag-fixed", "score-additive", "score-dot")
        settings = {line["row"]: line["set"] for line in self.lines() if "set" in line}
        self.assertEqual(settings["pair-gru-ctc"], ["training.steps=5", "model.encoder=gru", "model.decoder=ctc"])
        self.assertEqual(settings["score-additive"], [])  # the model of plain
        self.assertEqual([line["against"] for line in self.lines() if "against" in line], [])  # none with itself, none of another's model
        said = self.results("tables")
        self.assertIn("| encoder ↓ decoder → | `fixed` | `ctc` |\n|---|---|---|\n| `gru` | … | 50.00 |\n| `bag` | 50.00 | – |\n", said)
        self.assertIn("| `additive` | [r](../recipes/r.toml); the model of plain | 25.00 |", said)
        self.assertNotIn("pair-bag-ctc", self.results())

    def check(self, *rows, fails=False):
        return self.results("check", *rows, "--heed", str(self.heed), "--runs", str(self.root / "runs"), fails=fails)

    def test_every_part_has_a_row_or_a_reason(self):
        (self.root / "tools/tables.py").write_text((ROOT / "tools/tables.py").read_text())
        (self.root / "parts").write_text(PARTS)
        self.add_rows(PRODUCTS)
        self.assertIn("every part has a row or a reason", self.check())
        self.assertIn("pair-gru-ctc: time about a minute", self.check("pair-gru-ctc"))
        (self.root / "broken").touch()
        self.assertIn("results: pair-gru-ctc: ", self.check("pair-gru-ctc", fails=True))
        (self.root / "parts").write_text(PARTS.replace("  bag ", "  bog ").replace("decoder\n", "decoder\n  copying  new\n"))
        said = self.check(fails=True)
        self.assertIn("docs/results.toml: pairs: copying: there is no row, nor a reason for none; add its settings to [product.", said)
        self.assertIn("pairs: bag: there is no such encoder", said)
        (self.root / "parts").write_text(PARTS)
        self.add_rows(PRODUCTS.replace('bag = ["model.encoder=bag"]', "bag = []"))
        self.assertIn("pair-bag-fixed: its settings choose `gru`, `fixed`, not `bag`, `fixed`", self.check(fails=True))

    def test_a_product_has_known_settings(self):
        self.add_rows(PRODUCTS.replace('table = "pairs"', 'table = "pairs"\nscor = 1'))
        self.assertIn("['scor'] is unknown", self.results(fails=True))


if __name__ == "__main__":
    unittest.main()
