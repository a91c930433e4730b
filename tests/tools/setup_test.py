"""tools/setup names every missing package at once and installs them; dpkg, apt, id, sudo and sleep are played by small scripts."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Knows the packages in $INSTALLED and, like the real one, fails for any other.
DPKG_QUERY = """status=0
for name in "${@:4}"; do
  case " $INSTALLED " in *" $name "*) echo "installed $name" ;; *) status=1 ;; esac
done
exit $status"""


def packages(*kinds):
    lines = [line.split("#")[0].split() for line in (ROOT / "tools/packages.txt").read_text().splitlines()]
    return [name for words in lines if words and words[0] in kinds for name in words[1:]]


class Setup(unittest.TestCase):
    def run_setup(self, *arguments, installed=(), user=0, sudo=True, apt=""):
        """(exit status, what it said, the commands that apt-get was given). `apt`: what apt-get does besides writing them down."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            scripts = {"dpkg-query": DPKG_QUERY, "apt-get": 'echo "apt-get $*" >>"$LOG"\n' + apt, "id": f"echo {user}", "sleep": 'echo . >>"$SLEPT"',
                       "dpkg": "echo toaster"}
            if sudo:
                scripts["sudo"] = 'echo -n "sudo " >>"$LOG"; exec "$@"'
            for name, body in scripts.items():
                (place / name).write_text(f"#!/bin/bash\n{body}\n")
                (place / name).chmod(0o755)
            for tool in ("bash", "dirname", "sed", "awk", "grep", "env", "wc"):
                (place / tool).symlink_to(next(p for p in map(pathlib.Path, (f"/usr/bin/{tool}", f"/bin/{tool}")) if p.exists()))
            log = place / "log"
            environment = {"PATH": folder, "LOG": str(log), "SLEPT": str(place / "slept"), "INSTALLED": " ".join(installed), "HOME": folder,
                           "LANG": os.environ.get("LANG", "C")}
            done = subprocess.run([ROOT / "tools/setup", *arguments], env=environment, capture_output=True, text=True)
            return done.returncode, done.stderr, log.read_text().splitlines() if log.exists() else []

    def test_nothing_is_missing(self):
        self.assertEqual(self.run_setup(installed=packages("product")), (0, "", []))

    def test_all_that_is_missing_is_named_at_once_and_installed(self):
        status, said, commands = self.run_setup("develop", installed=["cmake", "zlib1g-dev"])
        missing = [name for name in packages("product", "develop") if name not in ("cmake", "zlib1g-dev")]
        self.assertEqual(status, 0, said)
        self.assertIn(f"missing {len(missing)} Debian packages: {' '.join(missing)}\n", said)
        self.assertEqual(len(commands), 2)
        self.assertTrue(commands[1].startswith("apt-get install -y"), commands)
        self.assertTrue(commands[1].endswith(" ".join(missing)), commands)

    def test_product_needs_no_test_tools(self):
        status, said, commands = self.run_setup("product")
        self.assertEqual(status, 0, said)
        self.assertNotIn("libgtest-dev", " ".join(commands))

    def test_an_emulator_needs_the_other_architecture_s_compiler(self):
        status, said, commands = self.run_setup("emulate")
        self.assertEqual(status, 0, said)
        self.assertIn("qemu-user", commands[1])
        self.assertNotIn("g++-", commands[1])  # a toaster has none

    # As apt-get says it, and for dpkg's lock in the same words.
    LOCKED = """if [ "$(wc -l <"$SLEPT" 2>/dev/null || echo 0)" -lt %d ]; then
  echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 17 (apt-get)' >&2
  exit 100
fi"""

    def test_another_apt_is_waited_for(self):
        status, said, commands = self.run_setup(apt=self.LOCKED % 2)
        self.assertEqual(status, 0, said)
        self.assertEqual([command.split()[1] for command in commands], ["update"] * 3 + ["install"])
        self.assertEqual(said.count("waiting for it"), 1, said)
        self.assertIn("held by process 17", said)

    def test_not_for_ever(self):
        status, said, commands = self.run_setup(apt=self.LOCKED % 1000)
        self.assertEqual((status, len(commands)), (1, 300))
        self.assertIn("run this again", said)

    def test_other_failures_are_not_waited_for(self):
        status, said, commands = self.run_setup(apt="echo 'E: Unable to locate package' >&2; exit 100")
        self.assertEqual((status, len(commands)), (1, 1))
        self.assertIn("Unable to locate", said)

    def test_sudo_where_the_user_is_not_root(self):
        status, said, commands = self.run_setup(user=1000)
        self.assertEqual(status, 0, said)
        self.assertTrue(all(command.startswith("sudo apt-get ") for command in commands), commands)

    def test_neither_root_nor_sudo(self):
        status, said, commands = self.run_setup(user=1000, sudo=False, installed=packages("product")[1:])
        self.assertEqual((status, commands), (1, []))
        self.assertIn(f"run as root: apt-get install {packages('product')[0]}\n", said)


if __name__ == "__main__":
    unittest.main()
