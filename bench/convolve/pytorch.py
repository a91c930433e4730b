"""The same MobileNets in PyTorch: reads names ("network/v1/224/32", the floor in seconds behind), writes seconds per call, of the
wall's clock and of the processor's. It is the fastest of three: eager with channels first, eager with channels last, and traced
and prepared for inference (torch.jit.optimize_for_inference, which packs the weights and joins activations to convolutions).

    HEED_DATA=… python pytorch.py THREADS
"""
import json
import os
import struct
import sys
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from timing import seconds  # noqa: E402


def read(path):
    """(the list of layers, tensors as float32) of a safetensors file of F16."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    layers = json.loads(header.pop("__metadata__")["layers"])
    tensors = {}
    for name, about in header.items():
        begin, end = about["data_offsets"]
        values = numpy.frombuffer(data[begin:end], dtype=numpy.float16).astype(numpy.float32)
        tensors[name] = torch.from_numpy(values.reshape(about["shape"]))
    return layers, tensors


def same(n, k, stride):
    total = max((-(-n // stride) - 1) * stride + k - n, 0)
    return total // 2, total - total // 2


class Network(torch.nn.Module):
    def __init__(self, layers, tensors, size):
        super().__init__()
        self.layers = layers
        self.modules_of = torch.nn.ModuleDict()
        self.pads = {}
        sides = {"input": size}
        for layer in layers:
            name, side = layer["name"], sides[layer["src"][0]]
            if layer["op"] in ("conv", "dwconv"):
                k, stride = layer["k"], layer["stride"]
                before, after = same(side, k, stride)
                groups = layer["cin"] if layer["op"] == "dwconv" else 1
                inside = before if before == after else 0
                module = torch.nn.Conv2d(layer["cin"], layer["cout"], k, stride, padding=inside, groups=groups)
                module.weight.data = tensors[name + ".weight"]
                module.bias.data = tensors[name + ".bias"]
                self.modules_of[name.replace(".", "_")] = module
                self.pads[name] = None if before == after else (before, after, before, after)
                side = -(-side // stride)
            elif layer["op"] == "linear":
                module = torch.nn.Linear(layer["cin"], layer["cout"])
                module.weight.data = tensors[name + ".weight"]
                module.bias.data = tensors[name + ".bias"]
                self.modules_of[name.replace(".", "_")] = module
            sides[name] = side

    def forward(self, x):
        results = {"input": x}
        for layer in self.layers:
            name, op = layer["name"], layer["op"]
            y = results[layer["src"][0]]
            if op == "add":
                y = y + results[layer["src"][1]]
            elif op == "gap":
                y = y.mean((2, 3))
            else:
                if op != "linear" and self.pads[name]:
                    y = F.pad(y, self.pads[name])
                y = self.modules_of[name.replace(".", "_")](y)
                y = {"none": lambda z: z, "relu": F.relu, "relu6": F.relu6}[layer["act"]](y)
            results[name] = y
        return y


def ways(name):
    """What a name asks for in three ways, as functions without arguments."""
    _, net, size, batch = name.split("/")
    path = f"{os.environ['HEED_DATA']}/imagenet_cnn/mobilenet_{net}_1.0_224.safetensors"
    size, batch = int(size), int(batch)
    network = Network(*read(path), size).eval()
    x = torch.randn(batch, 3, size, size)
    last = x.to(memory_format=torch.channels_last)
    network_last = Network(*read(path), size).eval().to(memory_format=torch.channels_last)
    traced = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(network, x)))
    return [lambda: network(x), lambda: network_last(last), lambda: traced(x)]


def main():
    torch.set_num_threads(int(sys.argv[1]))
    kept = {}
    with torch.inference_mode():
        for line in sys.stdin:
            name, floor = line.split()
            if not name.startswith("network/"):
                print("none", flush=True)
                continue
            if name not in kept:
                kept.clear()
                kept[name] = ways(name)
            best = min(seconds(run, float(floor)) for run in kept[name])
            print(*best, flush=True)


if __name__ == "__main__":
    main()
