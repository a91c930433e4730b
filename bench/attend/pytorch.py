#!/usr/bin/env python3
"""PyTorch's side of bench/attend: scaled_dot_product_attention, which has the same shapes and takes no reports.

    pytorch.py FOCUS PASS B H T S D THREADS CLOCK     says "ready", then answers each line's count with that many seconds
"""
import sys
import time

import torch
import torch.nn.functional as F

focus, passes = sys.argv[1:3]
b, h, t, s, d, threads = map(int, sys.argv[3:9])
clock = time.process_time if sys.argv[9] == "cpu" else time.perf_counter
torch.set_num_threads(threads)
torch.manual_seed(0)
trains = passes == "both"
q = torch.randn(b, h, t, d, requires_grad=trains)
k, v = (torch.randn(b, h, s, d, requires_grad=trains) for _ in range(2))
seed = torch.randn(b, h, t, d)


def look():
    if not trains:
        with torch.no_grad():
            return F.scaled_dot_product_attention(q, k, v, is_causal=focus == "causal")
    F.scaled_dot_product_attention(q, k, v, is_causal=focus == "causal").backward(seed)
    q.grad = k.grad = v.grad = None


print("ready", flush=True)
for line in sys.stdin:
    seconds = []
    for _ in range(int(line)):
        begin = clock()
        look()
        seconds.append(clock() - begin)
    print(" ".join(map(str, seconds)), flush=True)
