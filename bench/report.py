"""A file of figures: what another needs to get them again, and one line a result."""
import json


def text_of(about, results):
    """JSON with a line for `about` and one for each result; `results` is a list, or a table of named results."""
    if isinstance(results, dict):
        lines, ends = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in results.items()], "{}"
    else:
        lines, ends = [json.dumps(one) for one in results], "[]"
    listed = ",\n".join(f"  {line}" for line in lines)
    return f'{{\n "about": {json.dumps(about)},\n "results": {ends[0]}\n{listed}\n {ends[1]}\n}}\n'


def save(path, about, results):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text_of(about, results), encoding="utf-8")
