#!/usr/bin/env python3
"""Show, Attend and Tell on Flickr8k in PyTorch, with the network of recipes/flickr8k-attend-first.toml, to see which settings learn; or, by
kind=transformer with width=256,heads=4,encoder=256,steps=5000,rate=5e-4,warm_up=500,memory_dropout=.2, that of recipes/flickr8k-transformer.toml.

    HEED_DATA=… pytorch.py HEED SECONDS NAME:SETTING=VALUE,… [NAME:…]

trains one set of settings after the other (Settings below has the names; without any it is the recipe), for SECONDS in all, on a GPU if
there is one. The grids of the frozen network are computed once, and once for all processes where HEED_GRIDS names a folder. Every 500 steps
a line says the losses, the mean entropy of the weights, and BLEU-4 and CIDEr-D of greedy search on the validation pictures by HEED
evaluate; at the end there is a line by beam search (5, with the best step's weights). The test set is never read.
"""
import copy
import dataclasses
import fcntl
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
    kind: str = "lstm"          # or "transformer"
    depth: int = 3              # blocks of a Transformer decoder
    dropout: float = 0.3        # in the blocks of a Transformer decoder and of `encoder`
    layer: str = "block21.expand"
    side: int = 224
    steps: int = 3000
    batch: int = 64
    rate: float = 8e-4
    warm_up: int = 200
    seed: int = 1
    embedding: int = 512
    deviation: float = 0.0442   # of the embeddings at first: 1/√embedding, or 1 with scaled_embedding
    width: int = 1024
    attention: int = 512        # width of the additive score
    heads: int = 0              # 0: the additive score; more: scaled dot products with so many heads
    gain: float = 1.0           # scores times this
    encoder: int = 0            # width of the Transformer blocks that read the grid; 0: none
    blocks: int = 1             # number of them
    normalise: int = 1          # layer norm of every cell
    scale: float = 1.0          # the grid times this, where it is not normalised
    memory_dropout: float = 0.5
    word_dropout: float = 0.0   # of the embeddings that are fed
    random_words: float = 0.0   # share of the words that are fed that are random ones
    cell_start: int = 0         # 1: the LSTM's cell begins with the mean of the grid as well, not with zeros
    output_dropout: float = 0.5
    smoothing: float = 0.1
    doubly: float = 0.1         # weight of the doubly stochastic regulariser
    decay: float = 0.0          # weight decay
    average: float = 0.999      # of the weights that are judged; 0: the last ones
    lower: int = 1              # words in lower case
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


def shared(name, compute):
    """compute(), or what another process with the same $HEED_GRIDS (a folder) has computed."""
    folder = os.environ.get("HEED_GRIDS")
    if folder is None:
        return compute()
    path = Path(folder) / f"{name}.pt"
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            torch.save(compute(), path)
    return torch.load(path, map_location=DEVICE)


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
            self.kept = {key: shared(f"{settings.layer}-{settings.side}", lambda: (
                torch.stack([grids(names[0], *key, flip) for flip in (False, True)]), grids(names[1], *key, False)))}
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

class Captioner(nn.Module):
    """What both networks have: a grid that is normalised and read, and beam search."""

    def __init__(self, settings, channels):
        super().__init__()
        self.settings, self.width = settings, settings.encoder or channels
        self.norm = nn.LayerNorm(channels) if settings.normalise else None
        self.encoder = None
        if settings.encoder:
            block = nn.TransformerEncoderLayer(settings.encoder, 8, 4 * settings.encoder, settings.dropout, batch_first=True, norm_first=True)
            self.encoder = nn.Sequential(nn.Linear(channels, settings.encoder), nn.TransformerEncoder(block, settings.blocks, nn.LayerNorm(
                settings.encoder), enable_nested_tensor=False))

    def dropped(self, rows, share):
        return functional.dropout(rows, share, self.training)

    def read(self, cells):
        cells = cells.float() * self.settings.scale if self.norm is None else self.norm(cells.float())
        cells = self.dropped(cells, self.settings.memory_dropout)
        return cells if self.encoder is None else self.encoder(cells)

    def fed_by(self, words):
        """The words before each, from the start on; in training some are random ones."""
        before = torch.cat([torch.full_like(words[:, :1], self.start), words[:, :-1].clamp(min=0)], 1)
        if self.training and self.settings.random_words:
            other = torch.rand(before.shape, device=DEVICE) < self.settings.random_words
            before = torch.where(other, torch.randint_like(before, UNKNOWN, self.start), before)
        return self.dropped(self.embedding(before), self.settings.word_dropout)

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


class Teller(Captioner):
    """An LSTM that attends first."""

    def __init__(self, settings, channels, words):
        super().__init__(settings, channels)
        channels, state = self.width, settings.width
        self.start, self.embedding = words, nn.Embedding(words + 1, settings.embedding)
        nn.init.normal_(self.embedding.weight, std=settings.deviation)
        self.cell = nn.LSTMCell(settings.embedding + channels, state)
        self.hidden, self.memory = nn.Linear(channels, state), nn.Linear(channels, state)
        self.key, self.query = nn.Linear(channels, settings.attention), nn.Linear(state, settings.attention, bias=False)
        self.v, self.gate = nn.Linear(settings.attention, 1, bias=False), nn.Linear(state, channels)
        self.deep = nn.Linear(state + channels + settings.embedding, settings.embedding)
        self.output = nn.Linear(settings.embedding, words)

    def look(self, cells):
        """What the steps need: cells, keys, and the first state."""
        cells = self.read(cells)
        mean = cells.mean(1)
        return cells, self.key(cells), (torch.tanh(self.hidden(mean)), torch.tanh(self.memory(mean)) * self.settings.cell_start)

    def attend(self, query, cells, keys):
        """The mean weights of the heads, and the context."""
        heads = self.settings.heads
        if heads == 0:
            weights = torch.softmax(self.settings.gain * self.v(torch.tanh(keys + query[:, None]))[..., 0], 1)
            return weights, torch.bmm(weights[:, None], cells)[:, 0]
        query, keys, values = query.unflatten(1, (heads, -1)), keys.unflatten(2, (heads, -1)), cells.unflatten(2, (heads, -1))
        scores = torch.einsum("bhd,bshd->bhs", query, keys) * self.settings.gain / query.shape[2] ** 0.5
        weights = torch.softmax(scores, 2)
        return weights.mean(1), torch.einsum("bhs,bshd->bhd", weights, values).flatten(1)

    def step(self, fed, state, cells, keys):
        weights, context = self.attend(self.query(state[0]), cells, keys)
        context = torch.sigmoid(self.gate(state[0])) * context
        state = self.cell(torch.cat([fed, context], 1), state)
        return state, torch.cat([state[0], context, fed], 1), weights

    def logits(self, features):
        return self.output(self.dropped(torch.tanh(self.deep(features)), self.settings.output_dropout))

    def teach(self, cells, words):
        fed = self.fed_by(words)
        cells, keys, state = self.look(cells)
        features, weights = [], []
        for t in range(words.shape[1]):
            state, feature, weight = self.step(fed[:, t], state, cells, keys)
            features.append(feature)
            weights.append(weight)
        return self.logits(torch.stack(features, 1)), torch.stack(weights, 1)


class Transformer(Captioner):
    """A Transformer decoder; a step reads all words so far again."""

    def __init__(self, settings, channels, words):
        super().__init__(settings, channels)
        width = settings.width
        self.project = nn.Identity() if self.width == width else nn.Linear(self.width, width)
        self.start, self.embedding = words, nn.Embedding(words + 1, width)
        block = nn.TransformerDecoderLayer(width, settings.heads, 4 * width, settings.dropout, batch_first=True, norm_first=True)
        self.decoder = nn.TransformerDecoder(block, settings.depth, nn.LayerNorm(width))
        angles = torch.arange(60)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
        self.register_buffer("places", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))
        self.output = nn.Linear(width, words)

    def look(self, cells):
        cells = self.project(self.read(cells))
        return cells, cells, (cells[:, :0],)

    def hidden(self, fed, cells):
        length = fed.shape[1]
        mask = torch.ones(length, length, dtype=torch.bool, device=DEVICE).triu(1)
        return self.decoder(self.dropped(fed + self.places[:length], self.settings.dropout), cells, tgt_mask=mask)

    def step(self, fed, state, cells, _):
        fed = torch.cat([state[0], fed[:, None]], 1)
        return (fed,), self.hidden(fed, cells)[:, -1], None

    def logits(self, features):
        return self.output(features)

    def teach(self, cells, words):
        return self.logits(self.hidden(self.fed_by(words), self.look(cells)[0])), None


# --- training and judging -------------------------------------------------------------------------------------------------------------

def loss_of(net, cells, words):
    logits, weights = net.teach(cells, words)
    loss = functional.cross_entropy(logits.flatten(0, 1), words.flatten(), ignore_index=-1,
                                    label_smoothing=net.settings.smoothing if net.training else 0)
    if not net.training:
        return loss, 0, weights
    if weights is None:
        return loss, 0, None
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
            if weights is not None:
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
    return {"loss": round(loss, 4), "entropy": round(sum(entropies) / max(1, len(entropies)), 2)} | scores


def train(name, settings, data, heed, until):
    torch.manual_seed(settings.seed)
    names = vocabulary(data, settings)
    ids = {word: i for i, word in enumerate(names)}
    cells, dev = data.grids_of(settings)
    net = {"lstm": Teller, "transformer": Transformer}[settings.kind](settings, cells.shape[3], len(names)).to(DEVICE)
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
