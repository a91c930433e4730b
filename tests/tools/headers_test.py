"""tools/headers.py catches a header that leans on what its users include."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        done = subprocess.run([sys.executable, ROOT / "tools/headers.py", root / "build", root], capture_output=True, text=True)
        return done.returncode, done.stdout


class Headers(unittest.TestCase):
    def test_a_header_alone(self):
        status, said = run({"heed/base/whole.h": "#pragma once\n#include <cstddef>\nstd::size_t f();\n"})
        self.assertEqual((status, said), (0, "1 headers compile alone: 0 shown by their source, 1 here\n"))

    def test_a_header_that_leans_on_others(self):
        status, said = run({"heed/base/leans.h": "#pragma once\nstd::size_t f();\n"})
        self.assertEqual(status, 1)
        self.assertIn("heed/base/leans.h does not compile alone", said)

    def test_a_source_shows_its_header_only_when_it_includes_it_first(self):
        leans = "#pragma once\nstd::size_t f();\n"
        first = '// It says how.\n#include "heed/base/leans.h"\n\n#include <cstddef>\n'
        self.assertEqual(run({"heed/base/leans.h": leans, "heed/base/leans.cpp": first})[1],
                         "1 headers compile alone: 1 shown by their source, 0 here\n")
        second = '#include <cstddef>\n\n#include "heed/base/leans.h"\n'
        self.assertEqual(run({"heed/base/leans.h": leans, "heed/base/leans.cpp": second})[0], 1)


if __name__ == "__main__":
    unittest.main()
