#!/usr/bin/env python3
"""One Transformer-base with fixed random weights in three forms, and sentences for it:

    model.py FOLDER [WORDS]     writes heed.safetensors, ctranslate2/, marian.pt and source.txt (ids, a sentence a line)

Six and six post-norm layers, 512 channels, 8 heads, 2048 in the middle, sinusoidal positions, and words scored by a matrix of
their own: tied to the embedding, a model that never learnt says its last word again. The bias of </s>, <unk> and <s> is so low
that no sentence ends by itself: every contender says as many words as it is asked for. Ids are heed's: 0 </s>, 1 <unk>, 2 <s>.
"""
import hashlib
import json
import math
import random
import struct
import sys
from pathlib import Path

import torch
from transformers import MarianConfig, MarianMTModel

try:
    import ctranslate2
    from ctranslate2.converters.transformers import BartLoader
    from ctranslate2.specs import common_spec, transformer_spec
except ImportError:
    ctranslate2 = None  # its form is not written then

WIDTH, WIDE, HEADS, DEPTH = 512, 2048, 8, 6
SPECIALS = ["</s>", "<unk>", "<s>"]
LINEAR = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}


def waves(positions):
    place = torch.arange(positions)[:, None].double()
    wave = torch.exp(-math.log(10000) * torch.arange(0, WIDTH, 2).double() / WIDTH)
    return torch.stack([torch.sin(place * wave), torch.cos(place * wave)], 2).flatten(1).float()


def blank(words):
    """A Marian model of this shape, its weights as they may be."""
    config = MarianConfig(
        vocab_size=words, decoder_vocab_size=words, share_encoder_decoder_embeddings=False, tie_word_embeddings=False, d_model=WIDTH,
        encoder_layers=DEPTH, decoder_layers=DEPTH, encoder_ffn_dim=WIDE, decoder_ffn_dim=WIDE, encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS, activation_function="relu", scale_embedding=True, pad_token_id=2, eos_token_id=0,
        forced_eos_token_id=None, decoder_start_token_id=2, max_position_embeddings=512)
    model = MarianMTModel(config).eval()
    model.lm_head.weight = torch.nn.Parameter(torch.empty(words, WIDTH))
    return model


def marian(words):
    torch.manual_seed(1)
    model = blank(words)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() == 2 and "embed" not in name:
                torch.nn.init.xavier_uniform_(value)
                is_branch = "out_proj" in name or "fc2" in name  # small, or the last word and the source fade on the way up
                value *= (0.6 if "encoder_attn" in name else 0.4) if is_branch else 1
            elif name.endswith("bias"):
                value.normal_(0, 0.05)
        for side in (model.model.encoder, model.model.decoder):
            side.embed_positions.weight.copy_(waves(512))
            side.embed_tokens.weight.normal_(0, 1 / math.sqrt(WIDTH))
        model.lm_head.weight.normal_(0, 4 / math.sqrt(WIDTH))  # likely words stand out
        model.final_logits_bias.normal_(0, 0.05)
        model.final_logits_bias[0, : len(SPECIALS)] = -100
    return model


def heed_tensors(model):
    """heed's names and the peer's tensors."""
    yield "source.table", model.model.encoder.embed_tokens.weight
    yield "decoder.embedding.table", model.model.decoder.embed_tokens.weight
    yield "decoder.output.weight", model.lm_head.weight
    yield "decoder.output.bias", model.final_logits_bias[0]
    for side, stack in (("encoder", model.model.encoder), ("decoder", model.model.decoder)):
        for n, layer in enumerate(stack.layers):
            parts = {"feed_forward.inner": layer.fc1, "feed_forward.outer": layer.fc2, "self_norm": layer.self_attn_layer_norm,
                     "feed_forward_norm": layer.final_layer_norm}
            parts |= {f"self.{ours}": getattr(layer.self_attn, theirs) for ours, theirs in LINEAR.items()}
            if side == "decoder":
                parts |= {f"cross.{ours}": getattr(layer.encoder_attn, theirs) for ours, theirs in LINEAR.items()}
                parts["cross_norm"] = layer.encoder_attn_layer_norm
            for name, part in parts.items():
                for kind in ("weight", "bias"):
                    yield f"{side}.block.{n}.{name}.{kind}", getattr(part, kind)


def write_heed(path, model, tokens):
    """A safetensors file with heed's metadata and the hash of all of it (heed/model/file/safetensors.h)."""
    block = {"kind": "transformer", "width": WIDTH, "depth": DEPTH, "placement": "post", "self": {"heads": HEADS},
             "feed_forward": {"width": WIDE, "activation": "relu"}}
    config = {"embedding": WIDTH, "encoder": block, "decoder": block | {"cross": {"heads": HEADS}, "tied": False}}
    vocabulary = "".join(f"{line}\n" for line in [f"heed vocabulary 1: words, {len(tokens)} tokens, 0 bytes of state", *tokens]).encode()
    parts = [(name, "F32", list(t.shape), t.detach().float().contiguous().numpy().tobytes()) for name, t in heed_tensors(model)]
    parts += [(f"vocabulary.{side}", "U8", [len(vocabulary)], vocabulary) for side in ("source", "target")]
    zeros = "0" * 64
    header = {"__metadata__": {"sha256": zeros, "format": "heed 1", "config": json.dumps(config), "aliases": "{}"}}
    at = 0
    for name, dtype, shape, data in parts:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + b"".join(data for *_, data in parts)
    path.write_bytes(whole.replace(zeros.encode(), hashlib.sha256(whole).hexdigest().encode(), 1))


def write_ctranslate2(folder, model, tokens):
    spec = transformer_spec.TransformerSpec.from_config((DEPTH, DEPTH), HEADS, pre_norm=False, activation=common_spec.Activation.RELU)
    loader = BartLoader()
    loader.set_encoder(spec.encoder, model.model.encoder)
    loader.set_decoder(spec.decoder, model.model.decoder)
    loader.set_linear(spec.decoder.projection, model.lm_head)
    spec.decoder.projection.bias = model.final_logits_bias[0]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.decoder_start_token, spec.config.eos_token, spec.config.unk_token, spec.config.bos_token = "<s>", "</s>", "<unk>", "<s>"
    spec.validate()
    spec.optimize()
    folder.mkdir(exist_ok=True)
    spec.save(str(folder))


def main():
    folder, words = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 16000
    folder.mkdir(parents=True, exist_ok=True)
    tokens = SPECIALS + [f"w{i}" for i in range(len(SPECIALS), words)]
    draw = random.Random(1)
    lengths = [draw.randint(8, 32) for _ in range(32)]
    (folder / "source.txt").write_text("".join(
        " ".join(str(draw.randrange(len(SPECIALS), words)) for _ in range(length)) + "\n" for length in lengths))
    model = marian(words)
    torch.save(model.state_dict(), folder / "marian.pt")
    write_heed(folder / "heed.safetensors", model, tokens)
    if ctranslate2:
        write_ctranslate2(folder / "ctranslate2", model, tokens)
    print(f"{sum(p.numel() for p in model.parameters())} parameters; ctranslate2 {ctranslate2.__version__ if ctranslate2 else 'is not there'}",
          file=sys.stderr)


if __name__ == "__main__":
    main()
