#!/usr/bin/env python3
"""Listen, Attend and Spell on AN4 in PyTorch, with the network of recipes/an4-attention.toml, to see which settings learn.

    pytorch.py FOLDER SECONDS NAME:SETTING=VALUE,… [NAME:…]      FOLDER has train.tsv and train.f32.gz of AN4

trains one set of settings after the other (Settings below has the names), for SECONDS in all, on a GPU if there is one. The last 100
utterances of train validate; every 500 steps a line says the losses, the word error rate of greedy search and, with CTC beside attention, that
of CTC's best path. The test set is never read.
"""
import dataclasses
import gzip
import math
import sys
import time

import numpy
import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
END, LONGEST = 0, 100


@dataclasses.dataclass
class Settings:
    steps: int = 8000
    batch: int = 16
    rate: float = 2e-3
    warm_up: int = 200
    seed: int = 1
    speed: float = 0.15         # recordings run up to this share faster or slower
    noise: float = 0.0
    masks: int = 4              # rows that are hidden, in stretches of at most `mask_rows`
    mask_rows: int = 20
    masks_first: bool = False   # hidden before the rows are normalised, as heed's recipe has it
    width: int = 160            # of the encoder, a direction
    depth: int = 3
    dropout: float = 0.3
    input_dropout: float = 0.1
    decoder: int = 256
    embedding: int = 64
    words_dropped: float = 0.0  # this share of the characters that are fed is replaced by nothing
    output_dropout: float = 0.3
    located: bool = False       # the score sees the weights of the step before
    smoothing: float = 0.1
    guide: float = 0.0          # weight of the diagonal at first; it falls to a hundredth
    ctc: float = 0.0            # share of CTC in the loss


def settings_of(word):
    """NAME:SETTING=VALUE,… → the name, and the settings."""
    name, _, rest = word.partition(":")
    kinds = {field.name: field.type for field in dataclasses.fields(Settings)}
    given = dict(pair.split("=") for pair in rest.split(",") if pair)
    return name, Settings(**{key: kinds[key](float(value)) for key, value in given.items()})


# --- data -----------------------------------------------------------------------------------------------------------------------------

def utterances(folder):
    with gzip.open(f"{folder}/train.f32.gz") as file:
        rows = numpy.frombuffer(file.read(), "<f4").reshape(-1, 13)
    with open(f"{folder}/train.tsv", encoding="utf-8") as file:
        table = [line.rstrip("\n").split("\t") for line in file]
    return [(rows[int(first):int(first) + int(count)], text) for _, first, count, text in table]


def faster_or_slower(rows, share):
    at = numpy.linspace(0, len(rows) - 1, max(4, int(len(rows) / (1 + share))))
    before = numpy.minimum(at.astype(int), len(rows) - 2)
    part = (at - before)[:, None]
    return rows[before] * (1 - part) + rows[before + 1] * part


def masked(rows, settings, draw):
    rows = rows.copy()
    for _ in range(settings.masks):
        count = min(int(draw.integers(0, settings.mask_rows + 1)), len(rows) // 5)
        first = int(draw.integers(0, max(1, len(rows) - count)))
        rows[first:first + count] = 0
    return rows


def prepared(rows, settings, draw, trains):
    if trains:
        rows = faster_or_slower(rows, draw.uniform(-settings.speed, settings.speed))
        rows = rows + settings.noise * draw.standard_normal(rows.shape)
    if trains and settings.masks_first:
        rows = masked(rows, settings, draw)
    rows = (rows - rows.mean(0)) / (rows.std(0) + 1e-5)
    return masked(rows, settings, draw) if trains and not settings.masks_first else rows


def padded(sequences, kind):
    full = numpy.zeros((len(sequences), max(map(len, sequences)), *numpy.shape(sequences[0])[1:]), kind)
    for one, sequence in zip(full, sequences):
        one[:len(sequence)] = sequence
    return torch.from_numpy(full).to(DEVICE), torch.tensor([len(sequence) for sequence in sequences], device=DEVICE)


def batch_of(some, settings, draw, trains, ids):
    rows, lengths = padded([prepared(one, settings, draw, trains) for one, _ in some], numpy.float32)
    words, counts = padded([[ids[letter] for letter in text] + [END] for _, text in some], numpy.int64)
    return rows, lengths, words, counts


def batches(train, settings, draw):
    """Recordings of like lengths together, for ever."""
    while True:
        order, pool = draw.permutation(len(train)), 8 * settings.batch
        pools = [sorted(order[i:i + pool], key=lambda k: len(train[k][0])) for i in range(0, len(order), pool)]
        cut = [one[i:i + settings.batch] for one in pools for i in range(0, len(one), settings.batch)]
        for i in draw.permutation(len(cut)):
            yield [train[k] for k in cut[i]]


# --- network --------------------------------------------------------------------------------------------------------------------------

def inside(lengths, longest):
    return torch.arange(longest, device=DEVICE)[None] < lengths[:, None]


class Speller(nn.Module):
    def __init__(self, settings, words):
        super().__init__()
        self.settings, memory, state = settings, 2 * settings.width, settings.decoder
        self.convolutions = nn.ModuleList([nn.Conv1d(channels, 160, 5, 2, 2) for channels in (13, 160)])
        self.layers = nn.ModuleList([nn.LSTM(160 if k == 0 else memory, settings.width, bidirectional=True, batch_first=True)
                                     for k in range(settings.depth)])
        self.start, self.embedding = words, nn.Embedding(words + 1, settings.embedding)
        self.cell, self.initial = nn.LSTMCell(settings.embedding + memory, state), nn.Linear(memory, state)
        self.key, self.query, self.v = nn.Linear(memory, 128), nn.Linear(state, 128, bias=False), nn.Linear(128, 1, bias=False)
        self.filters, self.place = nn.Conv1d(1, 10, 31, padding=15), nn.Linear(10, 128, bias=False)
        self.deep, self.output, self.frames = nn.Linear(state + memory, state), nn.Linear(state, words), nn.Linear(memory, words)

    def dropped(self, rows, share):
        return functional.dropout(rows, share, self.training)

    def encode(self, rows, lengths):
        for convolution in self.convolutions:
            rows, lengths = functional.relu(convolution(rows.transpose(1, 2))).transpose(1, 2), (lengths + 1) // 2
            rows = self.dropped(rows * inside(lengths, rows.shape[1])[..., None], self.settings.input_dropout)
        for layer in self.layers:
            packed = nn.utils.rnn.pack_padded_sequence(rows, lengths.cpu(), batch_first=True, enforce_sorted=False)
            rows = self.dropped(nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)[0], self.settings.dropout)
        return rows, lengths

    def begin(self, memory, lengths):
        hidden = torch.tanh(self.initial(memory.sum(1) / lengths[:, None]))
        return hidden, torch.zeros_like(hidden), torch.zeros_like(memory[:, 0]), torch.zeros_like(memory[..., 0])

    def step(self, fed, carried, memory, keys, closed):
        hidden, cell, context, weights = carried
        hidden, cell = self.cell(torch.cat([fed, context], 1), (hidden, cell))
        compared = keys + self.query(hidden)[:, None]
        if self.settings.located:
            compared = compared + self.place(self.filters(weights[:, None]).transpose(1, 2))
        weights = torch.softmax(self.v(torch.tanh(compared))[..., 0].masked_fill(closed, -1e9), 1)
        return hidden, cell, torch.bmm(weights[:, None], memory)[:, 0], weights

    def logits(self, hidden, context):
        return self.output(self.dropped(torch.tanh(self.deep(torch.cat([hidden, context], -1))), self.settings.output_dropout))

    def teach(self, memory, lengths, words):
        """Logits of every position, and where each looked."""
        before = torch.cat([torch.full_like(words[:, :1], self.start), words[:, :-1]], 1)
        fed = self.dropped(self.embedding(before), self.settings.input_dropout)
        if self.training:
            fed = fed * (torch.rand(before.shape, device=DEVICE) >= self.settings.words_dropped)[..., None]
        keys, closed, carried, states = self.key(memory), ~inside(lengths, memory.shape[1]), self.begin(memory, lengths), []
        for t in range(words.shape[1]):
            carried = self.step(fed[:, t], carried, memory, keys, closed)
            states.append(carried)
        hidden, _, context, weights = (torch.stack(each, 1) for each in zip(*states))
        return self.logits(hidden, context), weights

    def spell(self, memory, lengths):
        keys, closed, carried = self.key(memory), ~inside(lengths, memory.shape[1]), self.begin(memory, lengths)
        word, said = torch.full_like(lengths, self.start), []
        while len(said) < LONGEST and not (said and torch.stack(said, 1).eq(END).any(1).all()):
            carried = self.step(self.embedding(word), carried, memory, keys, closed)
            word = self.logits(carried[0], carried[2]).argmax(1)
            said.append(word)
        return torch.stack(said, 1).tolist()


# --- training and judging -------------------------------------------------------------------------------------------------------------

def diagonal(weights, counts, lengths):
    """The mean weight far from the diagonal (Tachibana 2018)."""
    said = torch.arange(weights.shape[1], device=DEVICE)[None, :, None] / counts[:, None, None]
    slot = torch.arange(weights.shape[2], device=DEVICE)[None, None] / lengths[:, None, None]
    far = 1 - torch.exp(-(said - slot) ** 2 / (2 * 0.2 ** 2))
    return (weights * far * inside(counts, weights.shape[1])[..., None]).sum() / counts.sum()


def loss_of(net, batch, share_done):
    settings, (rows, lengths, words, counts) = net.settings, batch
    memory, lengths = net.encode(rows, lengths)
    logits, weights = net.teach(memory, lengths, words)
    each = functional.cross_entropy(logits.transpose(1, 2), words, reduction="none", label_smoothing=settings.smoothing)
    loss = (each * inside(counts, words.shape[1])).sum() / counts.sum()
    if settings.guide:
        loss = loss + settings.guide * 0.01 ** share_done * diagonal(weights, counts, lengths)
    if settings.ctc:
        log_p = functional.log_softmax(net.frames(memory), -1).transpose(0, 1)
        paths = functional.ctc_loss(log_p, words, lengths, counts - 1, blank=END, reduction="none", zero_infinity=True)
        loss = (1 - settings.ctc) * loss + settings.ctc * (paths / (counts - 1)).mean()
    return loss


def word_errors(references, texts):
    errors = 0
    for reference, text in zip(references, texts):
        right, said = reference.split(), text.split()
        row = list(range(len(said) + 1))
        for i, word in enumerate(right, 1):
            corner, row[0] = row[0], i
            for j, other in enumerate(said, 1):
                corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (word != other))
        errors += row[-1]
    return 100 * errors / sum(len(reference.split()) for reference in references)


def judged(net, valid, letters, ids):
    """The word error rates of attention and of CTC."""
    net.eval()
    with torch.no_grad():
        rows, lengths, _, _ = batch_of(valid, net.settings, None, False, ids)
        memory, lengths = net.encode(rows, lengths)
        spelt = [row[:row.index(END)] if END in row else row for row in net.spell(memory, lengths)]
        best = [path[:length] for path, length in zip(net.frames(memory).argmax(-1).tolist(), lengths.tolist())]
    heard = [[id for before, id in zip([END, *path], path) if id not in (END, before)] for path in best]
    net.train()
    return [word_errors([text for _, text in valid], ["".join(letters[id] for id in row) for row in said]) for said in (spelt, heard)]


def train(name, settings, data, until):
    torch.manual_seed(settings.seed)
    draw = numpy.random.default_rng(settings.seed)
    letters = ["", *sorted({letter for _, text in data for letter in text})]
    ids = {letter: id for id, letter in enumerate(letters)}
    net = Speller(settings, len(letters)).to(DEVICE)
    optimiser = torch.optim.Adam(net.parameters(), settings.rate)
    began = time.time()
    for step, some in enumerate(batches(data[:-100], settings, draw), 1):
        done = (step - settings.warm_up) / (settings.steps - settings.warm_up)
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * (step / settings.warm_up if done < 0 else 0.5 * (1 + math.cos(math.pi * done)))
        loss = loss_of(net, batch_of(some, settings, draw, True, ids), step / settings.steps)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        if step % 500 == 0 or step == settings.steps:
            attention, ctc = judged(net, data[-100:], letters, ids)
            beside = f", CTC {ctc:.1f}" if settings.ctc else ""
            print(f"{name} {step} {time.time() - began:.0f} s: loss {loss.item():.3f}, WER {attention:.1f}{beside}", flush=True)
        if step == settings.steps or time.time() > until:
            return


def main():
    data, until = utterances(sys.argv[1]), time.time() + float(sys.argv[2])
    for word in sys.argv[3:]:
        train(*settings_of(word), data, until)


if __name__ == "__main__":
    main()
