#!/usr/bin/env python3
"""PyTorch's side of bench/train_step: the same models, batches of the same size, whole steps (forward, loss, backward, clip, fused
Adam), with its own best settings (fused Adam, foreach clipping, its fused LSTM and attention).

    pytorch.py TASK[:SENTENCES,LENGTH,WORDS] THREADS     reads how many steps to take from each line, answers with their seconds of wall and cores
"""
import math
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH = 512
FRAME, FRAMES = 13, 268  # numbers in a frame, frames of a recording
SIZES = {"additive": (64, 32, 8000), "pyramid": (16, 20, 31), "transformer_short": (32, 32, 8000), "transformer_long": (8, 128, 8000)}  # sentences, length, words


class BiLstm(nn.Module):
    """Two layers of both directions, 512 each; the loss is the sum of the output."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(WIDTH, WIDTH, 2, bidirectional=True, batch_first=True)

    def loss(self, batch):
        return self.cells(batch["rows"])[0].sum()


class Additive(nn.Module):
    """bi-LSTM encoder, LSTM decoder with input feeding over additive attention."""

    def __init__(self, words):
        super().__init__()
        self.source, self.target = nn.Embedding(words, WIDTH), nn.Embedding(words, WIDTH)
        self.encoder = nn.LSTM(WIDTH, WIDTH // 2, 2, bidirectional=True, batch_first=True)
        self.cell = nn.LSTMCell(2 * WIDTH, WIDTH)
        self.key, self.query = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.v = nn.Parameter(torch.randn(WIDTH) * 0.05)
        self.initial = nn.Linear(WIDTH, WIDTH)
        self.combine, self.output = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, words)

    def loss(self, batch):
        memory, (last, _) = self.encoder(self.source(batch["source"]))
        keys, embedded = self.key(memory), self.target(batch["target"])
        h = torch.tanh(self.initial(torch.cat([last[-2], last[-1]], -1)))
        c, fed, features = torch.zeros_like(h), torch.zeros_like(h), []
        for t in range(embedded.shape[1]):
            h, c = self.cell(torch.cat([embedded[:, t], fed], -1), (h, c))
            weights = torch.softmax(torch.tanh(self.query(h).unsqueeze(1) + keys) @ self.v, -1)
            context = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
            fed = torch.tanh(self.combine(torch.cat([context, h], -1)))
            features.append(fed)
        logits = self.output(torch.stack(features, 1)).flatten(0, 1)
        return F.cross_entropy(logits, batch["out"].flatten(), label_smoothing=0.1)


class Pyramid(nn.Module):
    """Listen, Attend and Spell: three bi-LSTMs, the upper two read every two rows joined to one; an LSTM that attends before its step."""

    def __init__(self, words, width=160, hidden=256, embedding=64, attention=128):
        super().__init__()
        self.front, self.target = nn.Linear(FRAME, 128), nn.Embedding(words, embedding)
        self.layers = nn.ModuleList([nn.LSTM(128 if level == 0 else 4 * width, width, bidirectional=True, batch_first=True) for level in range(3)])
        self.cell = nn.LSTMCell(embedding + 2 * width, hidden)
        self.key, self.query = nn.Linear(2 * width, attention, bias=False), nn.Linear(hidden, attention)
        self.v = nn.Parameter(torch.randn(attention) * 0.05)
        self.initial = nn.Linear(2 * width, hidden)
        self.deep, self.output = nn.Linear(hidden + 2 * width + embedding, embedding), nn.Linear(embedding, words)

    def loss(self, batch):
        rows = self.front(batch["frames"])
        for level, layer in enumerate(self.layers):
            if level > 0:
                rows = F.pad(rows, (0, 0, 0, rows.shape[1] % 2)).reshape(rows.shape[0], -1, 2 * rows.shape[2])
            rows, (last, _) = layer(rows)
        keys, embedded = self.key(rows), self.target(batch["target"])
        h = torch.tanh(self.initial(torch.cat([last[0], last[1]], -1)))
        c, features = torch.zeros_like(h), []
        for t in range(embedded.shape[1]):
            weights = torch.softmax(torch.tanh(self.query(h).unsqueeze(1) + keys) @ self.v, -1)
            context = torch.bmm(weights.unsqueeze(1), rows).squeeze(1)
            h, c = self.cell(torch.cat([embedded[:, t], context], -1), (h, c))
            features.append(torch.cat([h, context, embedded[:, t]], -1))
        logits = self.output(torch.tanh(self.deep(torch.stack(features, 1)))).flatten(0, 1)
        return F.cross_entropy(logits, batch["out"].flatten(), label_smoothing=0.1)


class Transformer(nn.Module):
    """Transformer-base, one table for source, target and output."""

    def __init__(self, length, words):
        super().__init__()
        self.table = nn.Embedding(words, WIDTH)
        nn.init.normal_(self.table.weight, std=WIDTH**-0.5)
        self.body = nn.Transformer(WIDTH, 8, 6, 6, 2048, 0.1, batch_first=True, norm_first=True)
        at = torch.arange(length).unsqueeze(1) / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        self.register_buffer("waves", torch.stack([at.sin(), at.cos()], -1).flatten(1))
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(length))
        self.drop = nn.Dropout(0.1)

    def embedded(self, ids):
        return self.drop(self.table(ids) * math.sqrt(WIDTH) + self.waves)

    def loss(self, batch):
        y = self.body(self.embedded(batch["source"]), self.embedded(batch["target"]), tgt_mask=self.mask, tgt_is_causal=True)
        return F.cross_entropy((y @ self.table.weight.t()).flatten(0, 1), batch["out"].flatten(), label_smoothing=0.1)


def task_named(name):
    if name == "bilstm":
        return BiLstm(), {"rows": torch.randn(64, 32, WIDTH)}
    name, _, sizes = name.partition(":")
    sentences, length, words = map(int, sizes.split(",")) if sizes else SIZES[name]
    batch = {key: torch.randint(0, words, (sentences, length)) for key in ("source", "target", "out")}
    if name == "pyramid":
        return Pyramid(words), batch | {"frames": torch.randn(sentences, FRAMES, FRAME)}
    return Additive(words) if name == "additive" else Transformer(length, words), batch


def main():
    torch.manual_seed(0)
    torch.set_num_threads(int(sys.argv[2]))
    is_rounded = sys.argv[1].endswith("_bf16")
    model, batch = task_named(sys.argv[1].removesuffix("_bf16"))
    parameters = list(model.parameters())
    optimiser = torch.optim.Adam(parameters, 1e-4, (0.9, 0.98), fused=True)

    def step():
        optimiser.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=is_rounded):
            loss = model.loss(batch)
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0, foreach=True)
        optimiser.step()
        return loss.item()

    print("ready", flush=True)
    for line in sys.stdin:
        seconds = []
        for _ in range(int(line)):
            start = time.perf_counter(), time.process_time()
            step()
            seconds += time.perf_counter() - start[0], time.process_time() - start[1]
        print(*seconds, flush=True)


main()
