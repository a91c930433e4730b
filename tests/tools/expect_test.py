"""tools/expect counts what is still to be compiled and says how long it takes; nothing when there is little."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Expect(unittest.TestCase):
    def expect(self, what, product, tests, built=0):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            objects = [f"CMakeFiles/heed_ops.dir/{i}.cpp.o" for i in range(product)]
            objects += [f"tests/CMakeFiles/ops_test.dir/{i}.cpp.o" for i in range(tests)] + ["bench/CMakeFiles/bench_ops.dir/heed.cpp.o"]
            (build / "compile_commands.json").write_text(json.dumps([{"command": f"c++ -MD -o {name} -c x.cpp"} for name in objects]))
            for name in objects[:built]:
                (build / name).parent.mkdir(parents=True, exist_ok=True)
                (build / name).touch()
            (build / "nproc").write_text("#!/bin/sh\necho 2\n")
            (build / "nproc").chmod(0o755)
            return subprocess.run([ROOT / "tools/expect", build, what], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
                                  check=True, capture_output=True, text=True).stdout

    def test_the_product(self):
        self.assertEqual(self.expect("heed", 60, 100), "building heed: 60 objects to compile, about 3 minutes on 2 cores where none is "
                                                       "in ccache's cache\n")

    def test_with_tests(self):
        self.assertIn("building heed and its tests: 160 objects to compile, about 5 minutes on 2 cores", self.expect("all", 60, 100))

    def test_what_is_built_counts_no_more(self):
        self.assertIn("100 objects to compile, about 3 minutes on 2 cores", self.expect("all", 60, 100, built=60))

    def test_little_is_not_worth_a_word(self):
        self.assertEqual(self.expect("heed", 60, 100, built=51), "")


if __name__ == "__main__":
    unittest.main()
