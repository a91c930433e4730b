"""contributing_test.py BUILD: what CONTRIBUTING.md tells people to type works on a fresh clone, and the files that it names are there.

Nothing is built, which `make test` does anyway: the clone is configured as the page says, and then make, ninja and ctest are asked what they
would do. The test programs that the page starts are those of BUILD.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WOULD_DO = ["-t", "commands"]  # ninja prints the commands; -n would stop at configuring again
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


def check_one(command, clone, built):
    """Runs what is cheap, and asks of the rest what it would do."""
    words = shlex.split(command)
    if words[0] == "make":
        run(["make", "-n", *words[1:]], clone)
    elif words[0] == "cmake" and "--build" in words:
        preset = words[words.index("--preset") + 1]
        run(["cmake", "--build", "--preset", preset, "--", *WOULD_DO], clone)
    elif words[0] == "cmake":
        run(words, clone)
    elif words[0] == "ninja":
        run([*words[:3], *WOULD_DO, *words[3:]], clone)  # ninja -C FOLDER TARGET…
    elif words[0] == "ctest":
        run([*words, "-N"], clone)
    elif words[0].startswith("build/"):
        target = pathlib.Path(words[0]).name
        if f"/{target}:" not in run(["ninja", "-C", "build/release", "-t", "targets", "all"], clone):
            fails(f"{command}: nothing builds {words[0]}")
        listed = run([str(built / "tests" / target), *words[1:], "--gtest_list_tests"], clone)
        if not re.search(r"^  \S", listed, re.M):
            fails(f"{command}: no test has such a name; --gtest_list_tests lists them")
    elif not (clone / words[0]).exists():
        fails(f"{command}: there is no {words[0]}")


def check_install(clone):
    """`make build` makes every file of the build folder that `cmake --install` takes."""
    build = clone / "build/release"
    script = (build / "cmake_install.cmake").read_text(encoding="utf-8")
    taken = {pathlib.Path(path) for path in re.findall(rf'^ *file\(INSTALL .*"({re.escape(str(build))}/[^"]+)"', script, re.M)}
    names = {path.name for path in taken if not path.exists()}  # configuring has made the others
    if not {"heed", "libheed.a"} <= names:
        fails(f"saw only {sorted(names)} in cmake_install.cmake; has its form changed?")
    asked = re.search(r"^cmake --build .*", run(["make", "-n", "build"], clone), re.M)
    does = run([*asked[0].split(), "--", *WOULD_DO], clone)
    missing = [name for name in sorted(names) if not re.search(rf" (?:-o|qc) {re.escape(name)} ", does)]
    if missing:
        fails(f"`make build` does not make {', '.join(missing)}, which `cmake --install` takes; name its target in the Makefile")


def check_paths(clone):
    """Every path with a folder that the page names exists."""
    count = 0
    for path in re.findall(r"`((?:heed|tests|tools|bench|recipes|docs)/[\w./-]+)`", PAGE):
        if not (clone / path).exists():
            fails(f"CONTRIBUTING.md names {path}, which there is not")
        count += 1
    if count < 20:
        fails(f"saw only {count} paths; has the page's form changed?")


def main():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        print("contributing_test: skipped, because this is no git checkout")
        sys.exit(77)
    built = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        clone = pathlib.Path(folder) / "heed"
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", "--depth", "1", ROOT.as_uri(), str(clone)], check=True)
        for name in ("CONTRIBUTING.md", "Makefile"):  # as they are, committed or not
            shutil.copy(ROOT / name, clone / name)
        for command in commands():
            for one in command.split(" && "):
                print(one, flush=True)
                check_one(one, clone, built)
        check_install(clone)
        check_paths(ROOT)
    print(f"contributing_test: {len(commands())} commands")


if __name__ == "__main__":
    main()
