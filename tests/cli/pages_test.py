"""pages_test.py HEED: completions and man pages."""
import re
import subprocess
import unittest

from cli import ROOT, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class AttentionPage(Cli):
    """docs/attention.md explains every score, normaliser and focus, in both languages, and its pictures are there."""

    def test_every_part_has_its_paragraph(self):
        parts = self.heed("inspect", "--parts")[0]
        for page in ("attention.md", "attention.zh.md"):
            text = (ROOT / "docs" / page).read_text(encoding="utf-8")
            for kind in ("score", "normaliser", "focus"):
                for name in re.findall(r"^  (\S+)", re.search(rf"^{kind}\n((?:  .*\n)+)", parts, re.M)[1], re.M):
                    by_whom = "; the English one will do, and the maintainers translate it" if page.endswith(".zh.md") else ""
                    self.assertTrue(f"**`{name}`**" in text, f"docs/{page}: no paragraph begins with **`{name}`** ({kind}); write one{by_whom}")
            for picture in re.findall(r"\]\((pictures/[^)]+)\)", text):
                self.assertTrue((ROOT / "docs" / picture).exists(), f"{page}: {picture}; tools/pictures.py makes it")


class Listed(Cli):
    """What --help lists."""

    def options(self, verb):
        columns = re.findall(r"^  (-[^\s,]+(?:, -[^\s,]+)*)", self.heed(verb, "--help")[0], re.M)
        self.assertTrue(columns)
        return {name for column in columns for name in column.split(", ")}

    def verbs(self):
        return re.findall(r"^  ([a-z]+) ", self.heed("--help")[0].split("Verbs:")[1], re.M)


class Manual(Listed):
    def test_man_pages(self):
        self.heed("manual", "--into", "man")
        self.assertEqual({page.name for page in (self.folder / "man").iterdir()},
                         {"heed.1", *(f"heed-{verb}.1" for verb in self.verbs())})
        for verb in self.verbs():
            page = (self.folder / f"man/heed-{verb}.1").read_text()
            self.assertEqual(page, self.heed("manual", verb)[0])
            for option in self.options(verb):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"):
                self.assertIn(f".SH {section}\n", page, verb)
            self.assertGreater(len(re.search(r"\.SH DESCRIPTION\n(.*)\n", page).group(1)), 20, verb)
        whole = self.heed("manual")[0]
        for section in ("DESCRIPTION", "VERBS", "EXIT STATUS", "ENVIRONMENT"):
            self.assertIn(f".SH {section}\n", whole)
        for variable in ("HEED_THREADS", "HEED_MODELS", "HEED_RECIPES", "HEED_DATA", "NO_COLOR"):
            self.assertIn(variable, whole)


class Pages(Listed):
    """Completions agree with --help."""

    def test_bash_completes(self):
        script, err = self.heed("completion", "bash")
        self.assertEqual(err, "")

        def complete(*words):
            code = script + f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n_heed\n" \
                            'printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=self.folder).stdout.split()
        self.assertLessEqual(set(self.verbs()), set(complete("heed", "")))
        self.assertEqual(complete("heed", "tran"), ["translate", "transcribe"])
        self.assertEqual(complete("heed", "translate", "--length-norm", ""), ["none", "wu", "length"])
        self.assertIn("tiny.toml", complete("heed", "train", "ti"))
        self.assertIn("fish", complete("heed", "completion", "f"))
        self.assertNotIn("bash", complete("heed", "completion", "f"))
        for verb in self.verbs():
            self.assertLessEqual(self.options(verb), set(complete("heed", verb, "-")), verb)

    def test_other_shells_name_every_option(self):
        zsh, fish = self.heed("completion", "zsh")[0], self.heed("completion", "fish")[0]
        for verb in self.verbs():
            for option in self.options(verb):
                self.assertIn(f"*{option}[", zsh)
                self.assertRegex(fish, (r" -l " if option.startswith("--") else r" -s ") + re.escape(option.lstrip("-")) + " ")
        self.fails(2, 'shell: unknown "tcsh"; choose one of bash, zsh, fish', "completion", "tcsh")
        self.fails(2, "completion: the shell is missing", "completion")

    def test_help_is_wrapped_and_grouped(self):
        for verb in self.verbs():
            text = self.heed(verb, "--help")[0]
            wide = [line for line in text.splitlines() if len(line) > 80]
            self.assertEqual(wide, [], verb)
            examples = text.split("\nExamples:\n")[1].splitlines()
            for before, line in zip(examples, examples[1:]):  # a line goes on in the next one, indented, and only then
                self.assertEqual(line.startswith("    "), before.endswith((" \\", "|")), f"{verb}: {line}")
        text = self.heed("translate", "--help")[0]
        headings = re.findall(r"^([A-Z][a-z ]+):$", text, re.M)
        self.assertEqual(headings, ["Options", "Input", "Search", "Sampling", "Several models and decoders", "Output", "Drawing", "Machine",
                                    "Examples"])
        for heading, option in (("Search", "--beam"), ("Search", "--no-repeat-ngram"), ("Sampling", "--temperature"), ("Output", "--json"),
                                ("Output", "--allow-unk"), ("Drawing", "--svg"), ("Machine", "--threads"), ("Input", "--input")):
            self.assertIn(option + " ", text.split(f"\n{heading}:\n")[1].split("\n\n")[0].replace(",", " ").replace("\n", " "), heading)
        self.assertNotIn("--threads", self.heed("manual", "--help")[0])
        self.fails(2, 'did you mean "translate"?', "manual", "translat")


if __name__ == "__main__":
    unittest.main()
