"""completion_test.py HEED: completion in bash, zsh and fish, each asked as its user would ask it. A shell that is not installed is skipped."""
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import unittest

from cli import ENVIRONMENT, HEED, Cli, setUpModule  # noqa: F401 (unittest calls setUpModule)


class Completion:
    """The same questions for every shell. `complete(line)` returns the words that may follow."""
    shell = ""
    knows_endings = True  # offers only files with the right ending

    @classmethod
    def setUpClass(cls):
        if shutil.which(cls.shell) is None:
            raise unittest.SkipTest(f"{cls.shell} is not installed; tools/setup develop installs it")
        programs = cls.folder / "bin"
        programs.mkdir(exist_ok=True)
        if not (programs / "heed").exists():
            (programs / "heed").symlink_to(HEED)
        models = cls.folder / "models"
        models.mkdir(exist_ok=True)
        shutil.copy(cls.folder / "run/model.safetensors", models / "reversing.safetensors")
        (cls.folder / "notes.txt").write_text("")
        recipes = cls.folder / "some-recipes"
        recipes.mkdir(exist_ok=True)
        shutil.copy(cls.folder / "tiny.toml", recipes / "letters.toml")
        cls.environment = {**ENVIRONMENT, "PATH": f"{programs}:{os.environ['PATH']}", "HEED_MODELS": str(models), "HEED_RECIPES": str(recipes),
                           "HOME": str(cls.folder), "XDG_CONFIG_HOME": str(cls.folder / "config"), "XDG_DATA_HOME": str(cls.folder / "data")}
        script = subprocess.run([HEED, "completion", cls.shell], capture_output=True, text=True, check=True).stdout
        cls.script = cls.folder / {"bash": "heed.bash", "zsh": "functions/_heed", "fish": "heed.fish"}[cls.shell]
        cls.script.parent.mkdir(exist_ok=True)
        cls.script.write_text(script)

    def test_verbs(self):
        self.assertLessEqual({"translate", "transcribe"}, self.complete("heed tran"))
        self.assertNotIn("evaluate", self.complete("heed tran"))

    def test_options(self):
        self.assertLessEqual({"--beam", "--batch"}, self.complete("heed translate --b"))
        self.assertIn("--output", self.complete("heed translate --ou"))

    def test_values(self):
        self.assertLessEqual({"f32", "bf16", "int8"}, self.complete("heed translate --precision "))
        self.assertLessEqual({"cpu", "reference"}, self.complete("heed translate --backend "))

    def test_models(self):
        self.assertIn("reversing", self.complete("heed translate -m rev"))
        self.assertIn("reversing", self.complete("heed inspect rev"))

    def test_recipes(self):
        offered = self.complete("heed train ")
        self.assertIn("letters", offered)
        self.assertIn("tiny.toml", offered)
        if self.knows_endings:
            self.assertNotIn("notes.txt", offered)

    def test_settings(self):
        self.assertIn("training.batch_sentences=", self.complete("heed train tiny.toml --set training.batch_s"))
        self.assertIn("model.encoder.width=", self.complete("heed train tiny.toml --set model.encoder.w"))

    def test_metrics(self):
        self.assertLessEqual({"chrf"}, self.complete("heed evaluate -m ch"))

    def test_pages(self):
        self.assertIn("evaluate", self.complete("heed manual ev"))


class Bash(Completion, Cli):
    shell = "bash"

    def complete(self, line):
        words = line.split(" ")
        code = f"source {self.script}; COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n_heed\n" \
               'printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True, cwd=self.folder, env=self.environment, timeout=60)
        self.assertEqual(done.stderr, "")
        return set(done.stdout.split())


class Fish(Completion, Cli):
    shell = "fish"
    knows_endings = False  # fish offers any file

    def complete(self, line):
        code = f"source {self.script}; complete -C {line!r}"
        done = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True, check=True, cwd=self.folder,
                              env=self.environment, timeout=60)
        return {one.split("\t")[0] for one in done.stdout.splitlines()}


class Zsh(Completion, Cli):
    """zsh completes only where somebody types, so it gets a terminal."""
    shell = "zsh"
    ready = "@ready@"

    def complete(self, line):
        (self.folder / "setup.zsh").write_text(
            f"unset zle_bracketed_paste; fpath=({self.script.parent} $fpath); autoload -Uz compinit; compinit -u -d {self.folder}/dump\n"
            f"LISTMAX=1000; bindkey '^I' list-choices; PS1={self.ready}\n")
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**self.environment, "TERM": "dumb"})
        try:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 400, 200, 0, 0))
            os.write(terminal, b"source ./setup.zsh\n")
            self.read_until(terminal, lambda text: self.ready in text)
            os.write(terminal, line.encode() + b"\t")
            listed = self.read_until(terminal, lambda text: self.ready + line in text)
        finally:
            os.write(terminal, b"\x03\x04")
            os.close(terminal)
            os.waitpid(process, 0)
        words = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", " ", listed).split()
        return set(words) - {line.split(" ")[-1]} if line.split(" ")[-1] else set(words)

    @staticmethod
    def read_until(terminal, is_done, seconds=20):
        text, end = "", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    text += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    break
            elif is_done(text):
                break
        return text


if __name__ == "__main__":
    unittest.main()
