#!/usr/bin/env python3
"""tables.py HEED [--write]: checks that the tables of parts and settings in the pages are what HEED prints, or writes them.

Without --write it fails on a table that is out of date. A table is between `<!-- NAME -->` and `<!-- /NAME -->`.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Where a recipe names a part of each kind, and what must be chosen for that place to be there.
PLACES = {
    "score": ("model.decoder.attention.score", []),
    "normaliser": ("model.decoder.attention.normaliser", []),
    "focus": ("model.decoder.attention.focus", []),
    "field": ("data.source", []),
    "front": ("model.front", []),
    "encoder": ("model.encoder", []),
    "decoder": ("model.decoder", []),
    "norm": ("model.encoder.norm", ["model.encoder=transformer"]),
    "cell": ("model.decoder.cell", []),
    "position": ("model.encoder.position", ["model.encoder=transformer"]),
    "activation": ("model.encoder.feed_forward.activation", ["model.encoder=transformer"]),
    "tokeniser": ("data.source_tokens", []),
    "synth": ("data.synth", []),
    "objective": ("training.objectives", []),
    "feed": ("training.feed", []),
    "optimiser": ("training.optimiser", []),
    "schedule": ("training.schedule", []),
    "average": ("training.average", []),
    "metric": ("training.metric", []),
    "tokenisation": ("training.scoring.tokenize", []),
    "strategy": (None, []),
    "rule": (None, []),
}
# Where a kind is chosen that no recipe names.
ELSEWHERE = {"strategy": "`heed translate --strategy`", "rule": "`heed translate`, an option for each"}
# What other toolkits have.
IMPORTS = ("format", "family")
CHINESE = {"score": "打分", "normaliser": "归一化", "focus": "焦点", "front": "输入层", "field": "数据字段", "encoder": "编码器", "decoder": "解码器", "norm": "层归一化", "cell": "循环单元", "position": "位置编码",
           "tokeniser": "分词", "synth": "合成任务", "objective": "训练目标", "feed": "训练时的输入词", "optimiser": "优化器", "schedule": "学习率计划", "average": "权重平均", "metric": "指标", "tokenisation": "指标的分词", "strategy": "搜索策略", "rule": "搜索规则", "activation": "激活函数"}


class Heed:
    def __init__(self, program, folder):
        self.program = program
        self.recipe = pathlib.Path(folder) / "empty.toml"
        self.recipe.write_text("")

    def says(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=True).stdout

    def parts(self):
        """kind → [(name, aliases, formula)], in the catalogues' order."""
        kinds = {}
        for line in self.says("inspect", "--parts").splitlines():
            if not line.startswith(" "):
                kind = kinds.setdefault(line, [])
                continue
            name, aliases, formula = re.fullmatch(r"  (\S+)((?: \([\w+-]+\))*) +(.*)", line).groups()
            kind.append((name, re.findall(r"\((\S+)\)", aliases), formula))
        for kind in ("verb", *IMPORTS):  # no parts of a model
            kinds.pop(kind, None)
        return kinds

    def imports(self):
        """The rows of what can be imported: kind, name, what it is."""
        rows, kind = [], ""
        for line in self.says("inspect", "--parts").splitlines():
            if not line.startswith(" "):
                kind = line
            elif kind in IMPORTS:
                name, formula = re.fullmatch(r"  (\S+) +(.*)", line).groups()
                rows.append(f"| {kind} | `{name}` | {cell(formula)} |")
        return rows

    def settings(self, *choices):
        """[(path, value, help, allowed)] of a recipe that says nothing but `choices`."""
        lines = self.says("train", str(self.recipe), "--show", *(word for choice in choices for word in ("--set", choice)))
        rows = []
        for line in lines.splitlines():
            path, rest = line.split(maxsplit=1)
            value, end = json.JSONDecoder().raw_decode(rest)
            rows.append((path, value, *re.fullmatch(r" +(.*) \((.*)\)", rest[end:]).groups()))
        return rows


def cell(text):
    return text.replace("|", "\\|")


def toml(value):
    return "" if value in ("", None) else f"`{json.dumps(value, ensure_ascii=False)}`"


def names_table(parts, head, translate=None):
    rows = [head, "|---|---|"]
    for kind, entries in parts.items():
        names = ", ".join(f"`{name}`" for name, _, _ in entries)
        rows.append(f"| {translate[kind] + ' ' if translate else ''}{kind} | {names} |")
    return rows


def settings_table(heed, table, *choices):
    """The settings right in [table], not those of its parts."""
    rows = [f"| `[{table}]` | default | meaning |", "|---|---|---|"]
    for path, value, help_, allowed in heed.settings(*choices):
        below = path.removeprefix(table + ".")
        if below != path and "." not in below and "[" not in below:
            rows.append(f"| `{below}` | {toml(value)} | {cell(help_)} ({cell(allowed)}) |")
    return rows


def own_settings(heed, place, before, name):
    """What a part adds: its own settings, and the children that have settings of theirs (`self.…`)."""
    own, children = [], []
    for path, value, _, _ in heed.settings(*before, f"{place}={name}"):
        below = re.sub(r"^\[0\]", "", path.removeprefix(place))
        if below == path or not below.startswith("."):
            continue
        first, *rest = below[1:].split(".")
        if not rest:
            own.append((re.sub(r"\[.*", "", first), value))
        elif first not in children and first not in [key for key, _ in own]:
            children.append(first)
    return [f"`{key} = {json.dumps(value, ensure_ascii=False)}`" for key, value in own] + [f"`{child}.…`" for child in children]


def parts_tables(heed, parts):
    rows = []
    for kind, entries in parts.items():
        place, before = PLACES[kind]
        has_own = place and kind != "metric"  # the settings of metrics are [training.scoring]
        settings = {name: own_settings(heed, place, before, name) if has_own else [] for name, _, _ in entries}
        last = any(settings.values())
        rows += [f"### {kind}", "", f"`{place}`" if place else ELSEWHERE[kind], "",
                 f"| name | what it is |{' settings and their defaults |' if last else ''}", "|---|---|" + ("---|" if last else "")]
        for name, aliases, formula in entries:
            also = "".join(f", `{alias}`" for alias in aliases)
            rows.append(f"| `{name}`{also} | {cell(formula)} |" + (f" {', '.join(settings[name])} |" if last else ""))
        rows.append("")
    return rows[:-1]


def serve_tables(heed):
    """The routes of the server, and the fields of a translation."""
    paths = json.loads(heed.says("serve", "--openapi"))["paths"]
    rows = ["| route | does |", "|---|---|"]
    rows += [f"| `{method.upper()} {path}` | {cell(one['summary'])} |" for path, methods in paths.items() for method, one in methods.items()]
    yield "docs/serve.md", "routes", rows
    body = paths["/v1/translate"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    rows = ["| field | default | meaning |", "|---|---|---|"]
    for name, field in body.items():
        default = field.get("default")
        limits = [f"{word} {field[key]:g}" for word, key in (("from", "minimum"), ("to", "maximum")) if key in field]
        names = ["one of " + ", ".join(field["enum"])] if "enum" in field else []
        rows.append(f"| `{name}` | {toml(default if default != [] else None)} | {cell(field['description'])}"
                    + (f" ({cell(' '.join(limits + names))})" if limits or names else "") + " |")
    yield "docs/serve.md", "fields", rows


def tables(heed):
    parts = heed.parts()
    yield "README.md", "parts", names_table(parts, "| part of a recipe | choices |")
    yield "README.zh.md", "parts", names_table(parts, "| 配方中的 | 可以是 |", CHINESE)
    for page in ("docs/import.md", "docs/import.zh.md"):
        yield page, "imports", ["| | name | what it is |" if page == "docs/import.md" else "| | 名称 | 是什么 |", "|---|---|---|", *heed.imports()]
    for table in ("about", "data", "model", "training"):
        yield "docs/recipes.md", table, settings_table(heed, table)
    for table in ("curriculum", "search", "scoring"):
        yield "docs/recipes.md", table, settings_table(heed, f"training.{table}")
    yield "docs/recipes.md", "attention", settings_table(heed, "model.decoder.attention")
    yield "docs/recipes.md", "feed_forward", settings_table(heed, "model.encoder.feed_forward", "model.encoder=transformer")
    yield "docs/recipes.md", "parts", parts_tables(heed, parts)
    yield from serve_tables(heed)


def main():
    program, writes = str(pathlib.Path(sys.argv[1]).resolve()), "--write" in sys.argv[2:]
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for page, name, rows in tables(Heed(program, folder)):
            path = ROOT / page
            text = path.read_text(encoding="utf-8")
            begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
            if text.count(begin) != 1 or text.count(end) != 1:
                raise SystemExit(f"tables: {page} needs one {begin.strip()} and one {end}")
            first, last = text.index(begin) + len(begin), text.index(end)
            fresh = text[:first] + "\n".join(rows) + "\n" + text[last:]
            if fresh != text:
                stale.append(f"{page}: {name}")
                if writes:
                    path.write_text(fresh, encoding="utf-8")
    if stale and not writes:
        raise SystemExit(f"tables: out of date: {', '.join(stale)}; run tools/tables.py HEED --write")
    print(f"tables: {'wrote ' + ', '.join(stale) if stale else 'as heed says'}")


if __name__ == "__main__":
    main()
