"""readme_test.py HEED: what the README tells people to type works.

Every ```sh block that stands right after a line `<!-- run -->` runs in README.md's order, in one temporary folder that holds
the project's recipes, with HEED's folder first on PATH. The two languages must give the same commands.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```$", re.M | re.S)


def blocks(name):
    found = BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))
    if not found:
        raise SystemExit(f"readme_test: {name} has no ```sh block after <!-- run -->")
    return found


def commands(name):
    return [line for block in blocks(name) for line in block.splitlines() if line and not line.startswith("#")]


def main():
    heed = pathlib.Path(sys.argv[1]).resolve()
    if commands("README.md") != commands("README.zh.md"):
        raise SystemExit("readme_test: README.md and README.zh.md give different commands; keep them the same")
    environment = {**os.environ, "PATH": f"{heed.parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        for shared in ("recipes", "models"):
            if (ROOT / shared).is_dir():
                (pathlib.Path(folder) / shared).symlink_to(ROOT / shared)
        for block in blocks("README.md"):
            print(block, flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", block], cwd=folder, env=environment, check=True,
                           stdin=subprocess.DEVNULL)
    print(f"readme_test: {len(blocks('README.md'))} blocks ran")


if __name__ == "__main__":
    main()
