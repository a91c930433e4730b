"""Shared by the tests of the program: a tiny model, trained once by each script, and functions to run the program. Every *_test.py here takes HEED.

The quality of the model does not matter here.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = str(pathlib.Path(sys.argv.pop(1)).resolve())
IS_SANITIZED = b"__asan_init" in pathlib.Path(HEED).read_bytes()  # and takes several times the memory
# The unit tests look for leaks; looking for them at the end of each of these many processes would take minutes.
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "NO_COLOR": "", "TERM": "xterm", "COLORTERM": ""}
RECIPE = """\
[about]
languages = "reversed"
domain = "letters for tests"

[data]
synth = "reverse"
train_examples = 60
valid_examples = 8

[model]
embedding = 4
encoder = { kind = "gru", width = 4 }
decoder = { kind = "attend_first", width = 6, embedding = 4 }

[training]
steps = 3
batch_sentences = 8
validate_every = 3
log_every = 1
"""


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    Cli.folder = pathlib.Path(folder.name)
    (Cli.folder / "tiny.toml").write_text(RECIPE)
    Cli.training = Cli.run_in(Cli.folder, "train", "tiny.toml", "-o", "run")


class Cli(unittest.TestCase):
    folder = pathlib.Path()
    model = "run/model.safetensors"
    training = None  # how the one model was trained

    @staticmethod
    def run_in(folder, *words, stdin=b"", program=None, **more):
        return subprocess.run([program or HEED, *words], cwd=folder, input=stdin, capture_output=True, timeout=600,
                              env={**ENVIRONMENT, **more}, check=False)

    def heed(self, *words, code=0, stdin=b"", **more):
        """Runs the program; returns (standard output, standard error) as text. A failure must print nothing on standard output."""
        done = self.run_in(self.folder, *words, stdin=stdin, **more)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, code, f"heed {words}\n{out}{err}")
        return out, err

    def peak_of(self, *words, stdin=b"", code=0):
        """Standard output, standard error and the most memory that the program had, in MB."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen([HEED, *words], cwd=self.folder, env=ENVIRONMENT, stdin=given, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
            self.assertEqual(process.returncode, code, texts[1])
            return *texts, usage.ru_maxrss / 1000

    def fails(self, code, message, *words, stdin=b"", printed="", **more):
        """The program must print exactly one line, `heed: …`, with the message."""
        out, err = self.heed(*words, code=code, stdin=stdin, **more)
        self.assertEqual(out, printed)
        self.assertIn(message, err)
        self.assertRegex(err, r"\Aheed: [^\n]*\n\Z")

    def alone(self):
        """The program without a folder of models beside it."""
        program = self.folder / "alone/heed"
        if not program.exists():
            program.parent.mkdir()
            shutil.copy(HEED, program)
        return program

    def translate(self, *words, **more):
        return self.heed("translate", "-m", self.model, *words, **more)
