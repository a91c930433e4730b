"""tools/lint fails on a finding, skips what was clean, and looks again when a header changed; clang-tidy is played by a script."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLANG_TIDY = """#!/bin/bash
[ "$1" = --version ] && { echo played; exit; }
file=${@: -1}
if grep -q BAD "$file"; then echo "$file:1:1: error: BAD"; exit 1; fi
"""


class Lint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name, text in {
            "bin/clang-tidy": CLANG_TIDY, ".clang-tidy": "Checks: all\n", "tools/packages.txt": "product nothing\n",
            "heed/base/a.h": "int a();\n", "heed/base/a.cpp": '#include "heed/base/a.h"\n', "heed/base/b.cpp": "int b();\n",
            "tests/base/a_test.cpp": "BAD\n",
        }.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "bin/clang-tidy").chmod(0o755)
        shutil.copy(ROOT / "tools/lint", self.root / "tools/lint")
        entries = [{"directory": str(self.root / "build"), "command": f"c++ -c {self.root / name}", "file": str(self.root / name)}
                   for name in ("heed/base/a.cpp", "heed/base/b.cpp", "tests/base/a_test.cpp")]
        (self.root / "build").mkdir()
        (self.root / "build/compile_commands.json").write_text(json.dumps(entries))

    def lint(self, *arguments):
        environment = {**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "XDG_CACHE_HOME": str(self.root / "cache")}
        done = subprocess.run([self.root / "tools/lint", *arguments, self.root / "build"], env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def says(self, status, checked, *arguments):
        actual, said = self.lint(*arguments)
        self.assertEqual(actual, status, said)
        self.assertIn(f" {checked} checked", said)
        return said

    def test_clean_ones_are_remembered_until_something_changes(self):
        self.says(0, 2)
        self.says(0, 0)
        self.says(0, 2, "--all")
        (self.root / "heed/base/a.h").write_text("long a();\n")
        self.says(0, 1)
        (self.root / ".clang-tidy").write_text("Checks: none\n")
        self.says(0, 2)

    def test_a_finding_fails_and_is_not_remembered(self):
        (self.root / "heed/base/b.cpp").write_text("BAD\n")
        self.assertIn("b.cpp:1:1: error: BAD", self.says(1, 2))
        self.says(1, 1)
        (self.root / "heed/base/b.cpp").write_text("int b();\n")
        self.says(0, 1)


if __name__ == "__main__":
    unittest.main()
