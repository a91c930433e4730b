"""readme_test.py HEED [PAGE]: the commands in a page work and print what it shows; without PAGE, those of README.md.

Every ```sh block right after a line `<!-- run -->` is run, in the page's order, in one temporary folder with the project's recipes and
models, with HEED's folder first on PATH. A block after a line `<!-- prints -->` is what the block before it must print. Both languages must have the
same commands.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```\n(?:<!-- prints -->\n```\n(.*?)^```\n)?", re.M | re.S)


def blocks(name):
    """[(commands, what they print or "")]"""
    found = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
    if not found:
        raise SystemExit(f"readme_test: {name} has no ```sh block after <!-- run -->")
    return found


def main():
    heed = pathlib.Path(sys.argv[1]).resolve()
    page = sys.argv[2] if len(sys.argv) > 2 else "README.md"
    twin = page.replace(".md", ".zh.md")
    if blocks(page) != blocks(twin):
        raise SystemExit(f"readme_test: {page} and {twin} give different commands; keep them the same")
    environment = {**os.environ, "PATH": f"{heed.parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        given = ("recipes", "models")
        for name in given:
            (pathlib.Path(folder) / name).symlink_to(ROOT / name)
        for commands, printed in blocks(page):
            print(commands, flush=True)
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, check=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8")
            print(done.stdout, flush=True)
            if printed and printed != done.stdout:
                raise SystemExit(f"readme_test: {page} says that this prints\n{printed}")
        left = sorted(path.name + "/" * path.is_dir() for path in pathlib.Path(folder).iterdir() if path.name not in given)
        seen = subprocess.run(["git", "check-ignore", "--no-index", "--", *left], cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8", check=False)
        if seen.returncode <= 1 and (shown := set(left) - set(seen.stdout.splitlines())):  # 128: this is no clone
            raise SystemExit(f"readme_test: whoever follows {page} in a clone has changes there: {', '.join(sorted(shown))}; add them to .gitignore")
    print(f"readme_test: {len(blocks(page))} blocks of {page} ran")


if __name__ == "__main__":
    main()
