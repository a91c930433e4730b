"""usage_test.py HEED: help and version, and what the command line accepts and refuses."""
import pathlib
import re
import subprocess
import unittest

from cli import ENVIRONMENT, HEED, ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Usage(Cli):
    def test_without_a_word_it_helps_and_fails(self):
        out, err = self.heed(code=2)
        self.assertEqual(out, "")
        for verb in ("train", "translate", "align", "inspect", "synth"):
            self.assertIn(f"  {verb}", err)

    def test_help(self):
        whole, err = self.heed("--help")
        self.assertEqual(err, "")
        self.assertEqual(self.heed("help"), (whole, ""))
        verbs = re.findall(r"^  ([a-z]+) ", whole.split("Verbs:")[1], re.M)
        self.assertGreaterEqual(len(verbs), 5)
        for verb in verbs:
            text, err = self.heed(verb, "--help")
            self.assertIn("Examples:\n  heed " + verb, text)
            self.assertEqual(err, "")
            self.assertEqual(self.heed("help", verb)[0], text)

    def test_every_verb_has_tests_of_its_own(self):
        """In tests/cli/VERB_test.py, or in a class Verb of another file; errors_test.py has a few lines for every verb and does not count."""
        scripts = {path.stem: path.read_text(encoding="utf-8") for path in pathlib.Path(__file__).parent.glob("*_test.py")}
        del scripts["errors_test"]
        for verb in re.findall(r"^  ([a-z]+) ", self.heed("--help")[0].split("Verbs:")[1], re.M):
            found = scripts.get(f"{verb}_test", "") + "".join(
                part for text in scripts.values() for part in re.findall(rf"^class {verb.capitalize()}\(\w+\):\n.*?(?=^\S|\Z)", text, re.M | re.S))
            self.assertTrue("    def test_" in found, f"heed {verb} has no tests; write tests/cli/{verb}_test.py")

    def test_version_is_the_projects(self):
        version = re.search(r"^project\(heed VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        self.assertEqual(self.heed("--version"), (f"heed {version}\n", ""))

    def test_unknown_verbs(self):
        self.fails(2, 'unknown verb "trnslate"; did you mean "translate"?', "trnslate", "-m", "x")
        self.fails(2, 'did you mean "translate"?', "trnslate")
        self.fails(2, 'unknown verb "zzzzzz"; there are train, translate', "zzzzzz")
        self.fails(2, 'unknown verb ""; there are', "")
        self.fails(2, "unknown option --bogus; see heed --help", "--bogus")

    def test_unknown_options(self):
        self.fails(2, 'translate: unknown option --beem; did you mean "--beam"?', "translate", "-m", "x", "--beem", "5")
        self.fails(2, 'did you mean "--beam"?', "translate", "--beem=5")
        self.fails(2, 'train: unknown option --fersh; did you mean "--fresh"?', "train", "tiny.toml", "--fersh")
        self.fails(2, "inspect: unknown option -z; see heed inspect --help", "inspect", "-z")

    def test_what_is_missing_or_too_much(self):
        self.fails(2, "translate: no model is named, and none comes with this heed; name one: -m FILE", "translate", "abc",
                   HEED_MODELS="", program=self.alone())
        self.fails(2, "train: the recipe is missing; see heed train --help", "train")
        self.fails(2, "inspect: no model is given; name a model file, or ask for --parts", "inspect")
        self.fails(2, "translate: --beam needs a value behind it", "translate", "-m", self.model, "--beam")
        self.fails(2, "translate: --beam is given more than once", "translate", "-m", self.model, "--beam", "2", "--beam", "3", "a")
        self.fails(2, 'translate: "May" is one word too many; put quotes around a text with blanks', "translate", "-m", self.model, "3", "May")

    def test_wrong_values(self):
        for words, message in (
            (["--beam", "0"], '--beam: must be a whole number from 1 to 1024'),
            (["--beam", "many"], '--beam: must be a whole number'),
            (["--beam", "2.5"], '--beam: must be a whole number'),
            (["--alpha", "nan"], '--alpha: must be a number from 0 to 100'),
            (["--coverage", "-1"], '--coverage: must be a number from 0 to 1000000'),
            (["--temperature", "0"], '--temperature: must be a number from 1e-06 to 1000000'),
            (["--top-p", "1.5"], '--top-p: must be a number from 1e-06 to 1'),
            (["--top-k", "-1"], '--top-k: must be a whole number from 0 to'),
            (["--seed", "-1"], '--seed: must be a whole number from 0 to 18446744073709551615'),
            (["--max-length", "0"], '--max-length: must be a whole number from 1'),
            (["--max-source", "0"], '--max-source: must be a whole number from 1'),
            (["--diverse", "0"], '--diverse: must be a whole number from 1'),
            (["--diverse", "3", "--beam", "4"], "diverse: 3 groups cannot share a beam of 4 equally; choose a beam that is a multiple of them"),
            (["--sample", "--diverse", "2"], "--sample, --diverse and --constrain exclude each other; give one"),
            (["--constrain", "a", "--sample"], "--sample, --diverse and --constrain exclude each other; give one"),
            (["--constrain", "☃"], 'constrain: the model does not know "☃"; choose other words'),
            (["--constrain", ""], "constrain: the phrase is empty; give words"),
            (["--constrain", "ab" * 200, "--constrain", "c" * 113], "constrain: the phrases have 513 tokens, but at most 512 can be required"),
            (["--prefix", "☃"], 'prefix: the model does not know "☃"; choose other words'),
            (["--alignment", "medium"], '--alignment: must be hard, soft or a number above 0 and at most 1, not "medium"'),
            (["--ensemble", "median"], '--ensemble: unknown "median"; choose one of probability, log_probability'),
            (["--normalise", "lenght"], 'choose one of none, wu, length; did you mean "length"?'),
            (["--precision", "fp8"], '--precision: unknown "fp8"; choose one of f32, bf16, int8'),
            (["--colour", "red"], '--colour: unknown "red"; choose one of auto, always, never'),
            (["--threads", "-1"], '--threads: must be a whole number from 0 to 1024'),
            (["--head", "-2"], '--head: must be a whole number from -1'),
            (["--backend", "gpu"], 'unknown "gpu"; choose one of cpu, reference'),
        ):
            self.fails(2, message, "translate", "-m", self.model, *words, "abc")
        self.fails(2, 'task: unknown "date"; choose one of reverse, dates, numbers, signals, tones, trends, marked, shapes; did you mean "dates"?', "synth", "date")
        self.fails(2, 'did you mean "test"?', "synth", "dates", "--split", "tets")

    def test_results_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([HEED, "synth", "dates"], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, 5)
        self.assertIn(b"heed: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
