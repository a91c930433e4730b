"""The same attention in PyTorch: reads names ("both/64x64x64x512", the form and the floor in seconds behind), writes seconds per call
by the clock and by the processor.

    python pytorch.py THREADS

Forms: "sum" is Σ v·tanh(q + k), "product" is tanh(q + k) @ v; "compiled" hands the faster way to write it to torch.compile.
"""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from timing import seconds  # noqa: E402


def by_sum(q, k, v, values):
    e = (v * torch.tanh(q[:, :, None] + k[:, None])).sum(-1)
    return torch.softmax(e, -1) @ values


def by_product(q, k, v, values):
    e = torch.tanh(q[:, :, None] + k[:, None]) @ v
    return torch.softmax(e, -1) @ values


def task(name, form):
    what, sizes = name.split("/")
    b, t, s, a = map(int, sizes.split("x"))
    torch.manual_seed(1)
    q, k, v, values = torch.randn(b, t, a), torch.randn(b, s, a), torch.randn(a), torch.randn(b, s, a)
    f = {"sum": by_sum, "product": by_product, "compiled": torch.compile(by_sum)}[form]
    if what != "both":
        def run():
            with torch.inference_mode():
                return f(q, k, v, values)
        return run
    inputs = (q, k, v, values)
    for x in inputs:
        x.requires_grad_()
    dcontext = torch.randn(b, t, a)

    def run_both():
        torch.autograd.grad(f(*inputs), inputs, dcontext)
    return run_both


def main():
    torch.set_num_threads(int(sys.argv[1]))
    kept = {}
    for line in sys.stdin:
        name, form, floor = line.split()
        if not any(key[0] == name for key in kept):
            kept.clear()
        try:
            if (name, form) not in kept:
                kept[name, form] = task(name, form)
            print(*seconds(kept[name, form], float(floor)), flush=True)
        except RuntimeError as error:
            print(f"{name} {form}: {error}", file=sys.stderr)
            print("none", flush=True)


if __name__ == "__main__":
    main()
