"""`make test` does not compile again what `make build` has compiled: both have the same command for every object of the product."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def product(develop, build):
    """{object: the command that makes it}"""
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DHEED_DEVELOP={develop}"],
                   check=True, capture_output=True)
    entries = json.loads((build / "compile_commands.json").read_text())
    commands = [entry["command"].replace(str(build), "BUILD") for entry in entries]
    objects = {re.search(r" -o (\S+)", command)[1]: command for command in commands}
    return {name: command for name, command in objects.items() if re.match(r"CMakeFiles/heed(_\w+)?\.dir/", name)}


class Reuse(unittest.TestCase):
    def test_the_product_is_compiled_the_same_way_with_and_without_tests(self):
        with tempfile.TemporaryDirectory() as folder:
            off, on = (product(develop, pathlib.Path(folder, develop)) for develop in ("OFF", "ON"))
        self.assertGreater(len(off), 20)
        self.assertEqual(off, on)


if __name__ == "__main__":
    unittest.main()
