"""What was checked once and found clean, by a digest of everything the verdict depends on; tools/lint and tools/alone.py share it.

The list lies in the user's cache folder, beside the compiler's cache, so that a fresh clone profits too.
"""
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

OURS = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


@functools.cache
def includes(file, root):
    """The headers of ours that `file` includes itself."""
    return [root / name for name in OURS.findall(file.read_text(encoding="utf-8")) if (root / name).is_file()]


def closure(file, root):
    """`file` and every header of ours that it includes, directly or not."""
    seen, queue = {file}, [file]
    while queue:
        for header in includes(queue.pop(), root):
            if header not in seen:
                seen.add(header)
                queue.append(header)
    return sorted(seen)


def versions(tool):
    """What a change outside the project would change: the tool and the installed libraries."""
    said = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    list_of_packages = pathlib.Path(__file__).with_name("packages.txt").read_text()
    names = [word for line in list_of_packages.splitlines() for word in line.split("#")[0].split()[1:]]
    packages = ""
    if shutil.which("dpkg-query"):
        packages = subprocess.run(["dpkg-query", "-W", *names], capture_output=True, text=True).stdout
    return said + packages


class Verdicts:
    """The clean ones of one checker. `seed`: what all its verdicts depend on."""

    def __init__(self, checker, root, seed):
        self.folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "heed" / checker
        self.folder.mkdir(parents=True, exist_ok=True)
        self.root, self.seed = root, seed

    def key(self, file, command, build):
        """A digest of `command`, which runs in `build`, and of all texts of ours that it reads."""
        digest = hashlib.sha256(self.seed.encode())
        digest.update(command.replace(build, "BUILD").replace(str(self.root), "ROOT").encode())
        for each in closure(file, self.root):
            digest.update(each.name.encode() + b"\0" + each.read_bytes().replace(str(self.root).encode(), b"ROOT") + b"\0")
        return digest.hexdigest()

    def is_clean(self, key):
        return (self.folder / key).exists()

    def keep(self, key):
        (self.folder / key).touch()
