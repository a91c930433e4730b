"""The same products in PyTorch: reads names ("f32/nt/512x512x512", the floor in seconds behind), writes seconds per call, of the
wall's clock and of the processor's.

    python pytorch.py THREADS
"""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from timing import seconds  # noqa: E402


def product(name):
    """What a name asks for, as a function without arguments; nothing where PyTorch has nothing to set against it."""
    precision, pattern, sizes = name.split("/")
    m, n, k = map(int, sizes.split("x"))
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "int8": torch.float32}[precision]
    normal = lambda *shape: torch.randn(*shape).to(dtype)
    if precision == "int8":
        if m * n > 1 << 24:
            return None
        layer = torch.nn.Sequential(torch.nn.Linear(k, n, bias=False))
        layer = torch.ao.quantization.quantize_dynamic(layer, {torch.nn.Linear}, dtype=torch.qint8)
        x = torch.randn(m, k)
        return lambda: layer(x)
    if pattern in ("nt", "packed"):
        x, w = normal(m, k), normal(n, k)
        return lambda: torch.nn.functional.linear(x, w)
    if pattern == "nn":
        dy, w = normal(m, k), normal(k, n)
        return lambda: dy @ w
    if pattern == "tn":
        dy, x, dw = normal(k, m), normal(k, n), normal(m, n)
        return lambda: dw.addmm_(dy.t(), x)
    a, b = normal(256, m, k), normal(256, n, k)
    return lambda: torch.bmm(a, b.transpose(1, 2))


def main():
    torch.set_num_threads(int(sys.argv[1]))
    kept = {}
    with torch.inference_mode():
        for line in sys.stdin:
            name, floor = line.split()
            if name not in kept:
                kept.clear()
                try:
                    kept[name] = product(name)
                except RuntimeError as error:
                    print(f"{name}: {error}", file=sys.stderr)
                    kept[name] = None
            run = kept[name]
            print(*(seconds(run, float(floor)) if run else ["none"]), flush=True)


if __name__ == "__main__":
    main()
