#!/usr/bin/env python3
"""The peers' side of bench/translate:

    peers.py ctranslate2|transformers FOLDER PRECISION BATCH BEAM WORDS THREADS
        says "ready", then answers each count with that many seconds, a run over the sentences each; "say" with what it said
"""
import sys
import time
from pathlib import Path

peer, folder, precision = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
batch, beam, words, threads = map(int, sys.argv[4:8])
START, END = 2, 0
sentences = [[int(word) for word in line.split()] for line in (folder / "source.txt").read_text().splitlines()]
sentences = sentences[:8] if batch == 1 else sentences
batches = [sentences[i : i + batch] for i in range(0, len(sentences), batch)]


def ctranslate2_translator():
    import ctranslate2

    translator = ctranslate2.Translator(str(folder / "ctranslate2"), device="cpu", compute_type={"f32": "float32"}.get(precision, precision),
                                        inter_threads=1, intra_threads=threads)
    inputs = [[[f"w{id}" for id in ids] + ["</s>"] for ids in some] for some in batches]

    def translate():
        said = []
        for some in inputs:
            found = translator.translate_batch(some, beam_size=beam, max_decoding_length=words, max_batch_size=0)
            said += [[int(token[1:]) if token[0] == "w" else -1 for token in each.hypotheses[0]] for each in found]
        return said

    return translate


def transformers_translator():
    import torch
    from model import blank
    from transformers.utils import logging

    logging.set_verbosity_error()
    torch.set_num_threads(threads)
    weights = torch.load(folder / "marian.pt")
    model = blank(weights["lm_head.weight"].shape[0])
    model.load_state_dict(weights)
    inputs = []
    for some in batches:
        longest = max(len(ids) for ids in some) + 1
        rows = torch.tensor([ids + [END] + [START] * (longest - len(ids) - 1) for ids in some])  # <s> stands for padding
        inputs.append((rows, (rows != START).long()))

    def translate():
        said = []
        for rows, mask in inputs:
            with torch.no_grad():
                found = model.generate(input_ids=rows, attention_mask=mask, num_beams=beam, do_sample=False, max_new_tokens=words)
            said += [row[1:] for row in found.tolist()]
        return said

    return translate


translate = {"ctranslate2": ctranslate2_translator, "transformers": transformers_translator}[peer]()
print("ready", flush=True)
for line in sys.stdin:
    if line.strip() == "say":
        print(" ".join(str(id) for ids in translate() for id in [*ids, -2]), flush=True)
        continue
    seconds = []
    for _ in range(int(line)):
        begin = time.perf_counter()
        translate()
        seconds.append(time.perf_counter() - begin)
    print(" ".join(map(str, seconds)), flush=True)
