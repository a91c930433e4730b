#!/usr/bin/env python3
"""PyTorch's side of bench/vector: reads "case seconds" lines, answers "wall cpu", seconds of one call.

    pytorch.py THREADS
"""
import sys
import time

import torch
import torch.nn.functional as F

MILLION = 1 << 20


def cases():
    x = torch.randn(MILLION)
    y = torch.empty(MILLION)
    yield "copy", lambda: y.copy_(x)
    for name in ("exp", "tanh", "sigmoid", "log"):
        function = getattr(torch, name)
        argument = x.abs() if name == "log" else x
        yield name, lambda function=function, argument=argument: function(argument, out=y)
    yield "gelu", lambda: F.gelu(x)
    yield "silu", lambda: F.silu(x)

    def leaf(*shape):
        return torch.randn(*shape, requires_grad=True)

    def both(leaves, forward, seed=None):
        def run():
            for each in leaves:
                each.grad = None
            forward().backward(seed)
        return run

    rows, weight, bias, seed = leaf(2048, 512), leaf(512), leaf(512), torch.randn(2048, 512)
    yield "layer_norm_both", both([rows, weight, bias], lambda: F.layer_norm(rows, (512,), weight, bias), seed)
    yield "rms_norm_both", both([rows, weight], lambda: F.rms_norm(rows, (512,), weight), seed)
    yield "dropout_both", both([rows], lambda: F.dropout(rows, 0.1), seed)
    scores = leaf(512, 64, 64)
    yield "softmax_both", both([scores], lambda: torch.softmax(scores, -1), torch.randn(512, 64, 64))
    logits, targets = leaf(1024, 8000), torch.full((1024,), 17)
    yield "cross_entropy_both", both([logits], lambda: F.cross_entropy(logits, targets, label_smoothing=0.1))
    weights = torch.randn(MILLION, requires_grad=True)
    weights.grad = torch.randn(MILLION)
    adam = torch.optim.Adam([weights], lr=1e-6, fused=True)
    yield "adam", adam.step


def measure(call, seconds):
    """Wall and processor's seconds of one call, over calls that fill `seconds`."""
    call()
    count = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < seconds:
        call()
        count += 1
    return (time.perf_counter() - wall) / count, (time.process_time() - cpu) / count


def main():
    torch.set_num_threads(int(sys.argv[1]))
    torch.manual_seed(1)
    known = dict(cases())
    for line in sys.stdin:
        name, seconds = line.split()
        print(*(measure(known[name], float(seconds)) if name in known else ("none",)), flush=True)


if __name__ == "__main__":
    main()
