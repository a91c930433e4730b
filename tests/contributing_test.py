"""contributing_test.py: what CONTRIBUTING.md tells people to type works on a fresh clone, and the files that it names are there.

Nothing is built, which `make test` does anyway: the clone is configured as the page says, and then make, ninja and ctest are asked what they
would do.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def fails(message):
    raise SystemExit(f"contributing_test: {message}")


def section(title):
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands():
    """The commands of the table, in its order."""
    found = []
    for row in re.findall(r"^\| [^|]+ \| (.+) \|$", section("Build and test"), re.M):
        found += re.findall(r"`([^`]+)`", row)
    found = [one for one in found if re.match(r"(make|cmake|ninja|tools/|\.ci/)", one)]
    if len(found) < 8:
        fails(f"saw only {found} in the table of commands; has its form changed?")
    return found


def run(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fails(f"{' '.join(words)} fails on a fresh clone:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def check_one(command, clone):
    """Runs what is cheap, and asks of the rest what it would do."""
    words = command.split()
    if words[0] == "make":
        run(["make", "-n", *words[1:]], clone)
    elif words[0] == "cmake" and "--build" in words:
        preset = words[words.index("--preset") + 1]
        run(["cmake", "--build", "--preset", preset, "--", "-n"], clone)
    elif words[0] == "cmake":
        run(words, clone)
    elif words[0] == "ninja":
        run(["ninja", "-n", *words[1:]], clone)
    elif words[0] == "ctest":
        run([*words, "-N"], clone)
    elif words[0].startswith("build/"):
        target = pathlib.Path(words[0]).name
        if f"/{target}:" not in run(["ninja", "-C", "build/release", "-t", "targets", "all"], clone):
            fails(f"{command}: nothing builds {words[0]}")
    elif not (clone / words[0]).exists():
        fails(f"{command}: there is no {words[0]}")


def check_paths(clone):
    """Every path with a folder that the page names exists."""
    count = 0
    for path in re.findall(r"`((?:heed|tests|tools|bench|recipes|docs)/[\w./-]+)`", PAGE):
        if not (clone / path).exists():
            fails(f"CONTRIBUTING.md names {path}, which there is not")
        count += 1
    for folder, header in re.findall(r"`(heed/[\w/]+)/\w+\.cpp`[^|]*? its factory in `(\w+\.h)`", PAGE):
        if not (clone / folder / header).exists():
            fails(f"CONTRIBUTING.md names {header}, which is not in {folder}")
    if count < 20:
        fails(f"saw only {count} paths; has the page's form changed?")


def main():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        print("contributing_test: skipped, because this is no git checkout")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "heed"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", "--depth", "1", ROOT.as_uri(), str(clone)], check=True)
        for name in ("CONTRIBUTING.md", "Makefile"):  # as they are, committed or not
            shutil.copy(ROOT / name, clone / name)
        for command in commands():
            for one in command.split(" && "):
                print(one, flush=True)
                check_one(one, clone)
        check_paths(ROOT)
    print(f"contributing_test: {len(commands())} commands")


if __name__ == "__main__":
    main()
