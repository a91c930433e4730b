#!/usr/bin/env python3
"""Show, Attend and Tell on Flickr8k in PyTorch, with the network of recipes/flickr8k-attend-first.toml, to see which settings learn.

    HEED_DATA=… pytorch.py HEED SECONDS NAME:SETTING=VALUE,… [NAME:…]

trains one set of settings after the other (Settings below has the names), for SECONDS in all, on a GPU if there is one. The grids of the
frozen network are computed once. Every 500 steps a line says the losses, the mean entropy of the weights, and BLEU-4 and CIDEr-D of greedy
search on the validation pictures by HEED evaluate; at the end there is a line by beam search (5, with the best step's weights). The test
set is never read.
"""
import copy
import dataclasses
import gzip
import io
import json
import math
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "convolve"))
from pytorch import Network, read  # noqa: E402  (bench/convolve: MobileNets from their files)

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DATA = os.environ["HEED_DATA"]
END, UNKNOWN, LONGEST, BEAM = 0, 1, 30, 5


@dataclasses.dataclass
class Settings:
    layer: str = "block17.expand"
    side: int = 160
    steps: int = 6000
    batch: int = 64
    rate: float = 8e-4
    warm_up: int = 200
    seed: int = 1
    embedding: int = 256
    deviation: float = 1.0      # of the embeddings at first; heed's is 1/√embedding, or 1 with scaled_embedding
    width: int = 512
    attention: int = 512        # width of the additive score
    normalise: int = 1          # layer norm of every cell
    scale: float = 1.0          # the grid times this, where it is not normalised
    memory_dropout: float = 0.2
    word_dropout: float = 0.0   # of the embeddings that are fed
    output_dropout: float = 0.5
    smoothing: float = 0.1
    doubly: float = 0.1         # weight of the doubly stochastic regulariser
    decay: float = 0.0          # weight decay
    average: float = 0.999      # of the weights that are judged; 0: the last ones
    lower: int = 0              # words in lower case
    flip: int = 1
    least: int = 5              # words that occur less often are unknown


def settings_of(word):
    """NAME:SETTING=VALUE,… → the name, and the settings."""
    name, _, rest = word.partition(":")
    kinds = {field.name: field.type for field in dataclasses.fields(Settings)}
    given = dict(pair.split("=") for pair in rest.split(",") if pair)
    return name, Settings(**{key: kinds[key](value) for key, value in given.items()})


# --- data -----------------------------------------------------------------------------------------------------------------------------

def table(part):
    with gzip.open(f"{DATA}/flickr8k/{part}.tsv.gz", "rt", encoding="utf-8") as file:
        return [(line[0], line[1:6]) for line in (row.rstrip("\n").split("\t") for row in file)]


@torch.inference_mode()
def grids(names, layer, side, flip):
    """[pictures, cells, channels] as float16: of every picture, or of its mirror image."""
    layers, tensors = read(f"{DATA}/imagenet_cnn/mobilenet_edgetpu_1.0_224.safetensors")
    last = [one["name"] for one in layers].index(layer)
    network = Network(layers[:last + 1], tensors, side).eval().to(DEVICE)
    found = []
    with tarfile.open(f"{DATA}/flickr8k/images.tar") as archive:
        files = {member.name: member for member in archive.getmembers()}
        for first in range(0, len(names), 100):
            some = [Image.open(io.BytesIO(archive.extractfile(files[f"images/{name}"]).read())).convert("RGB")
                    for name in names[first:first + 100]]
            some = [one if one.size == (side, side) else one.resize((side, side), Image.BILINEAR) for one in some]
            pixels = torch.from_numpy(numpy.stack([numpy.asarray(one) for one in some])).to(DEVICE).permute(0, 3, 1, 2).float()
            cells = network((pixels.flip(3) if flip else pixels) / 127.5 - 1)
            found.append(cells.flatten(2).transpose(1, 2).half())
    return torch.cat(found)


class Data:
    """Grids by layer and side, computed once, and captions."""

    def __init__(self):
        self.train, self.dev, self.kept = table("train"), table("dev"), {}

    def grids_of(self, settings):
        key = settings.layer, settings.side
        if key not in self.kept:
            names = [name for name, _ in self.train], [name for name, _ in self.dev]
            self.kept = {key: (torch.stack([grids(names[0], *key, flip) for flip in (False, True)]), grids(names[1], *key, False))}
        return self.kept[key]


def words_of(caption, settings):
    return (caption.lower() if settings.lower else caption).split()


def vocabulary(data, settings):
    counts = Counter(word for _, captions in data.train for caption in captions for word in words_of(caption, settings))
    return ["</s>", "<unk>"] + sorted(word for word, count in counts.items() if count >= settings.least)


def batches(pairs, settings):
    """[pictures], [words] for ever; captions of like lengths stand together."""
    draw = random.Random(settings.seed)
    while True:
        draw.shuffle(pairs)
        pool = 20 * settings.batch
        cut = []
        for first in range(0, len(pairs), pool):
            some = sorted(pairs[first:first + pool], key=lambda pair: len(pair[1]))
            cut += [some[i:i + settings.batch] for i in range(0, len(some), settings.batch)]
        draw.shuffle(cut)
        for some in cut:
            longest = max(len(words) for _, words in some)
            yield (torch.tensor([picture for picture, _ in some], device=DEVICE),
                   torch.tensor([words + [-1] * (longest - len(words)) for _, words in some], device=DEVICE))


# --- network --------------------------------------------------------------------------------------------------------------------------

class Teller(nn.Module):
    def __init__(self, settings, channels, words):
        super().__init__()
        self.settings, state = settings, settings.width
        self.norm = nn.LayerNorm(channels) if settings.normalise else None
        self.start, self.embedding = words, nn.Embedding(words + 1, settings.embedding)
        nn.init.normal_(self.embedding.weight, std=settings.deviation)
        self.cell = nn.LSTMCell(settings.embedding + channels, state)
        self.hidden, self.memory = nn.Linear(channels, state), nn.Linear(channels, state)
        self.key, self.query = nn.Linear(channels, settings.attention), nn.Linear(state, settings.attention, bias=False)
        self.v, self.gate = nn.Linear(settings.attention, 1, bias=False), nn.Linear(state, channels)
        self.deep = nn.Linear(state + channels + settings.embedding, settings.embedding)
        self.output = nn.Linear(settings.embedding, words)

    def dropped(self, rows, share):
        return functional.dropout(rows, share, self.training)

    def look(self, cells):
        """What the steps need: cells, keys, and the first state."""
        cells = cells.float() * self.settings.scale if self.norm is None else self.norm(cells.float())
        cells = self.dropped(cells, self.settings.memory_dropout)
        mean = cells.mean(1)
        return cells, self.key(cells), (torch.tanh(self.hidden(mean)), torch.tanh(self.memory(mean)))

    def step(self, fed, state, cells, keys):
        scores = self.v(torch.tanh(keys + self.query(state[0])[:, None]))[..., 0]
        weights = torch.softmax(scores, 1)
        context = torch.sigmoid(self.gate(state[0])) * torch.bmm(weights[:, None], cells)[:, 0]
        state = self.cell(torch.cat([fed, context], 1), state)
        return state, torch.cat([state[0], context, fed], 1), weights

    def logits(self, features):
        return self.output(self.dropped(torch.tanh(self.deep(features)), self.settings.output_dropout))

    def teach(self, cells, words):
        before = torch.cat([torch.full_like(words[:, :1], self.start), words[:, :-1].clamp(min=0)], 1)
        fed = self.dropped(self.embedding(before), self.settings.word_dropout)
        cells, keys, state = self.look(cells)
        features, weights = [], []
        for t in range(words.shape[1]):
            state, feature, weight = self.step(fed[:, t], state, cells, keys)
            features.append(feature)
            weights.append(weight)
        return self.logits(torch.stack(features, 1)), torch.stack(weights, 1)

    def tell(self, cells, beam):
        """The best of a beam's captions a picture, by log p / ((5 + length) / 6)^0.6 as heed divides it."""
        count = len(cells)
        cells, keys, state = self.look(cells)
        cells, keys = (rows.repeat_interleave(beam, 0) for rows in (cells, keys))
        state = tuple(rows.repeat_interleave(beam, 0) for rows in state)
        word = torch.full((count * beam,), self.start, device=DEVICE)
        total = torch.full((count, beam), -math.inf, device=DEVICE)
        total[:, 0] = 0
        said, best = [[[] for _ in range(beam)] for _ in range(count)], [(-math.inf, []) for _ in range(count)]
        for t in range(LONGEST):
            state, features, _ = self.step(self.embedding(word), state, cells, keys)
            log_p = torch.log_softmax(self.logits(features), 1)
            log_p[:, UNKNOWN] = -math.inf
            scores, at = (total[..., None] + log_p.view(count, beam, -1)).flatten(1).topk(2 * beam)
            parents, words = at // log_p.shape[1], at % log_p.shape[1]
            divisor, kept = ((6 + t) / 6) ** 0.6, []
            for i, (p, w, s) in enumerate(zip(parents.tolist(), words.tolist(), scores.tolist())):
                living = []
                for parent, one, score in zip(p, w, s):
                    if one == END and score / divisor > best[i][0]:
                        best[i] = score / divisor, said[i][parent]
                    elif one != END and len(living) < beam:
                        living.append((parent, one, score))
                kept.append(living)
                said[i] = [said[i][parent] + [one] for parent, one, _ in living]
            rows = torch.tensor([i * beam + parent for i, living in enumerate(kept) for parent, _, _ in living], device=DEVICE)
            word = torch.tensor([one for living in kept for _, one, _ in living], device=DEVICE)
            total = torch.tensor([[score for _, _, score in living] for living in kept], device=DEVICE)
            state = tuple(part[rows] for part in state)
        return [words or said[i][0] for i, (_, words) in enumerate(best)]


# --- training and judging -------------------------------------------------------------------------------------------------------------

def loss_of(net, cells, words):
    logits, weights = net.teach(cells, words)
    loss = functional.cross_entropy(logits.flatten(0, 1), words.flatten(), ignore_index=-1,
                                    label_smoothing=net.settings.smoothing if net.training else 0)
    if not net.training:
        return loss, 0, weights
    inside = (words >= 0).float()
    missing = 1 - (weights * inside[..., None]).sum(1)
    return loss, net.settings.doubly * (missing ** 2).sum() / inside.sum(), weights


@torch.inference_mode()
def judged(net, data, cells, ids, names, heed, beam):
    """Loss and entropy over all captions, BLEU-4 and CIDEr-D of the outputs."""
    net.eval()
    losses, entropies, outputs = [], [], []
    for first in range(0, len(cells), 100):
        captions = [captions for _, captions in data.dev[first:first + 100]]
        for k in range(5):
            some = [[ids.get(word, UNKNOWN) for word in words_of(one[k], net.settings)] + [END] for one in captions]
            longest = max(map(len, some))
            words = torch.tensor([one + [-1] * (longest - len(one)) for one in some], device=DEVICE)
            loss, _, weights = loss_of(net, cells[first:first + 100], words)
            losses.append((loss.item(), sum(map(len, some))))
            entropy = -(weights * weights.clamp(min=1e-20).log()).sum(2)
            entropies.append(entropy[words >= 0].mean().item())
        outputs += net.tell(cells[first:first + 100], beam)
    net.train()
    with tempfile.TemporaryDirectory() as folder:
        command = [heed, "evaluate", "-m", "coco_bleu4,cider_d", "-w", "2", "--json"]
        for k in range(5):
            Path(f"{folder}/{k}").write_text("".join(f"{captions[k]}\n" for _, captions in data.dev), encoding="utf-8")
            command += ["-r", f"{folder}/{k}"]
        text = "".join(" ".join(names[word] for word in words) + "\n" for words in outputs)
        said = json.loads(subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, check=True).stdout)
    scores = {"bleu4": said[0]["score"], "cider_d": said[1]["score"]}
    loss = sum(loss * count for loss, count in losses) / sum(count for _, count in losses)
    return {"loss": round(loss, 4), "entropy": round(sum(entropies) / len(entropies), 2)} | scores


def train(name, settings, data, heed, until):
    torch.manual_seed(settings.seed)
    names = vocabulary(data, settings)
    ids = {word: i for i, word in enumerate(names)}
    cells, dev = data.grids_of(settings)
    net = Teller(settings, cells.shape[3], len(names)).to(DEVICE)
    mean = copy.deepcopy(net)
    optimiser = torch.optim.AdamW(net.parameters(), settings.rate, weight_decay=settings.decay)
    pairs = [(i, [ids.get(word, UNKNOWN) for word in words_of(caption, settings)] + [END])
             for i, (_, captions) in enumerate(data.train) for caption in captions]
    source, begun, best, kept = batches(pairs, settings), time.time(), None, None
    for step in range(1, settings.steps + 1):
        pictures, words = next(source)
        mirrored = (torch.rand(len(pictures), device=DEVICE) < 0.5).long() * settings.flip
        loss, spread, _ = loss_of(net, cells[mirrored, pictures], words)
        share = min(step / settings.warm_up, 0.5 * (1 + math.cos(math.pi * step / settings.steps)))
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * share
        optimiser.zero_grad()
        (loss + spread).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1)
        optimiser.step()
        share = min(settings.average, (1 + step) / (10 + step))
        with torch.no_grad():
            for average, now in zip(mean.parameters(), net.parameters()):
                average.lerp_(now, 1 - share)
        if step % 500 == 0 or step == settings.steps or time.time() > until:
            scores = judged(mean, data, dev, ids, names, heed, 1)
            print(name, step, f"{time.time() - begun:.0f} s", f"train {loss.item():.3f}", scores, flush=True)
            if best is None or scores["cider_d"] > best:
                best, kept = scores["cider_d"], copy.deepcopy(mean)
        if time.time() > until:
            break
    print(name, "beam", BEAM, judged(kept, data, dev, ids, names, heed, BEAM), dataclasses.asdict(settings), flush=True)


def main():
    heed, until = sys.argv[1], time.time() + float(sys.argv[2])
    data = Data()
    for word in sys.argv[3:]:
        if time.time() < until:
            train(*settings_of(word), data, heed, until)


if __name__ == "__main__":
    main()
