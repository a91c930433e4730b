"""Options that are reserved for what is not there yet are refused when they are set, with the reason."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Reserved(unittest.TestCase):
    def test_they_say_what_is_missing(self):
        for option, missing in (("HEED_CUDA", "no CUDA backend"), ("HEED_PYTHON", "no Python bindings")):
            with tempfile.TemporaryDirectory() as build:
                done = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", f"-D{option}=ON"], capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0, option)
            self.assertIn(f"heed: {option} is ON, but this version has {missing}; leave it OFF", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
