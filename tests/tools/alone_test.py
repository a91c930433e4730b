"""tools/alone.py finds a header or a source that depends on the includes of others, and knows how each layer is compiled."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEANS = "#pragma once\nstd::size_t f();\n"
WHOLE = "#pragma once\n#include <cstddef>\nstd::size_t f();\n"


class Alone(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def run_alone(self, files, *options, flags=None):
        """`flags`: what each layer's target is compiled with."""
        self.write(files)
        build = self.root / "build"
        build.mkdir(exist_ok=True)
        flags = {"base": ""} if flags is None else flags
        entries = [{"directory": str(build), "file": f"{build}/CMakeFiles/heed_{layer}.dir/Unity/unity_0.cxx",
                    "command": f"/usr/bin/env A=b /usr/bin/ccache /usr/bin/c++ -I{self.root} {flag} -std=c++20 -Wall -MD -MT x -MF y "
                               f"-o CMakeFiles/heed_{layer}.dir/Unity/unity_0.cxx.o -c {build}/CMakeFiles/heed_{layer}.dir/Unity/unity_0.cxx"}
                   for layer, flag in flags.items()]
        (build / "compile_commands.json").write_text(json.dumps(entries))
        done = subprocess.run([sys.executable, ROOT / "tools/alone.py", *options, build, self.root], capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.root / "cache")})
        return done.returncode, done.stdout + done.stderr

    def test_a_header_alone(self):
        status, said = self.run_alone({"heed/base/whole.h": WHOLE})
        self.assertEqual(status, 0, said)
        self.assertIn("1 headers, 0 of them shown by their source, compile alone: 0 known, 1 parsed", said)

    def test_a_header_that_leans_on_others(self):
        status, said = self.run_alone({"heed/base/leans.h": LEANS})
        self.assertEqual(status, 1)
        self.assertIn("heed/base/leans.h does not compile alone", said)

    def test_warnings_are_errors(self):
        status, said = self.run_alone({"heed/base/warns.h": "#pragma once\ninline void f() { int unused; }\n"})
        self.assertEqual(status, 1, said)

    def test_a_source_shows_its_header_only_when_it_includes_it_first(self):
        first = '// It says how.\n#include "heed/base/leans.h"\n\n#include <cstddef>\n'
        status, said = self.run_alone({"heed/base/leans.h": LEANS, "heed/base/leans.cpp": first})
        self.assertIn("1 headers, 1 of them shown by their source, compile alone: 0 known, 0 parsed", said)
        self.assertEqual(self.run_alone({}, "--sources")[0], 1)
        second = '#include <cstddef>\n\n#include "heed/base/leans.h"\n'
        self.assertEqual(self.run_alone({"heed/base/leans.cpp": second})[0], 1)

    def test_a_source_that_leans_on_the_one_compiled_before_it(self):
        files = {"heed/base/a.cpp": "#include <cstddef>\nstd::size_t f();\n", "heed/base/b.cpp": "std::size_t g();\n"}
        status, said = self.run_alone(files, "--sources")
        self.assertEqual(status, 1)
        self.assertIn("heed/base/b.cpp does not compile alone", said)
        self.assertNotIn("heed/base/a.cpp", said)

    def test_a_layer_has_its_own_flags(self):
        needs = "#pragma once\n#ifndef VECTORS\n#error compiled for nothing\n#endif\n"
        files = {"heed/base/whole.h": WHOLE, "heed/backend/cpu/attend/needs.h": needs}
        status, said = self.run_alone(files, flags={"base": "", "backend_cpu": "-DVECTORS"})
        self.assertEqual(status, 0, said)
        status, said = self.run_alone({}, flags={"base": "-DVECTORS", "backend_cpu": ""})
        self.assertEqual(status, 1, said)
        self.assertIn("heed/backend/cpu/attend/needs.h does not compile alone", said)

    def test_a_layer_that_nothing_compiles(self):
        status, said = self.run_alone({"heed/base/whole.h": WHOLE}, flags={"ops": ""})
        self.assertEqual(status, 1)
        self.assertIn("heed/base/whole.h: no source of its layer", said)

    def test_what_was_clean_is_parsed_again_when_a_header_below_or_a_flag_changes(self):
        files = {"heed/base/low.h": WHOLE, "heed/base/high.h": '#pragma once\n#include "heed/base/low.h"\n'}
        self.assertIn("0 known, 2 parsed", self.run_alone(files)[1])
        self.assertIn("2 known, 0 parsed", self.run_alone({})[1])
        self.assertIn("0 known, 2 parsed", self.run_alone({}, flags={"base": "-DOTHER"})[1])
        status, said = self.run_alone({"heed/base/low.h": LEANS})
        self.assertEqual(status, 1)
        self.assertIn("heed/base/high.h does not compile alone", said)


if __name__ == "__main__":
    unittest.main()
