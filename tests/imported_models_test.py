"""imported_models_test.py HEED [--count N] [--seed N] [--family NAME]: random models of every family, made and asked by transformers, say the same in heed.

It needs the packages of tools/fixtures/imported-requirements.txt and is skipped without them. Log p of every token must be within 1e-4. Outputs of every search must be
equal; where two differ, their scores must be within 1e-4 of each other, and the pair is printed.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tools" / "fixtures"))
CLOSE = 1e-4
try:
    import imported
    import torch
except ImportError as error:
    print(f"imported_models: skipped: {error}")
    sys.exit(77)


def options_of(settings):
    """Settings of generate() as options of heed translate."""
    words = []
    for key, value in settings.items():
        words += {"num_beams": ["--beam", str(value)], "length_penalty": ["--length-norm", "length", "--alpha", str(value)],
                  "early_stopping": ["--until", "full" if value else "settled"], "no_repeat_ngram_size": ["--no-repeat-ngram", str(value)],
                  "min_new_tokens": ["--min-length", str(value)]}[key]
    return words


def drawn_search(draw):
    beams = draw.choice([1, 4, 6])
    of_beams = dict(num_beams=beams, length_penalty=draw.choice([0.0, 0.6, 1.0, 2.0]), early_stopping=draw.random() < 0.5)
    return of_beams if beams > 1 else {"num_beams": 1}


def drawn_t5(draw):
    """Settings of a random model. Its decoder is no deeper than its encoder, because generate() has a cache for as many blocks as that. Few outputs reach the
    longest length, because heed leaves out what is cut there where a full beam ends the search in that step (docs/import.md)."""
    tied = draw.random() < 0.5
    layers = draw.choice([1, 2, 3])
    return dict(
        how=draw.choice(["safetensors", "zip", "before zip", "sharded"]), dtype=draw.choice([torch.float32, torch.float16, torch.bfloat16]), tied=tied,
        kind=draw.choice(["t5", "umt5"] if tied else ["t5", "mt5", "umt5"]), extra=draw.choice([0, 3, 12]), unused=draw.choice([0, 1, 20]),
        named_in=draw.choice(["extra_ids", "added_tokens", "added_tokens_decoder"]), steps=250, size=draw.choice([90, 110]),
        d_model=draw.choice([8, 15, 24]), num_heads=draw.choice([1, 2, 3, 5]), d_kv=draw.choice([3, 4, 7, 8]), d_ff=draw.choice([8, 24, 40]),
        num_layers=layers, num_decoder_layers=draw.choice([1, layers]), layer_norm_epsilon=draw.choice([1e-6, 1e-5]),
        feed_forward_proj=draw.choice(["relu", "gelu", "gated-gelu", "gated-silu", "gated-relu"]),
        relative_attention_num_buckets=draw.choice([4, 8, 32]), relative_attention_max_distance=draw.choice([17, 20, 128]),
        search=dict(drawn_search(draw), max_length=draw.choice([30, 60]), bad_words_ids=[[0]]))


def drawn_marian(draw):
    """Settings of a random model. Few outputs reach the length at which an end is forced, because heed's length norm does not count that end."""
    heads = draw.choice([1, 2, 4])
    two = draw.random() < 0.4
    of_search = drawn_search(draw)
    return dict(
        how=draw.choice(["safetensors", "zip", "before zip"]), dtype=draw.choice([torch.float32, torch.float16, torch.bfloat16]), two_tables=two,
        tied=two is False or draw.random() < 0.5, languages=[] if two else draw.choice([[], [">>fra<<"], [">>deu<<", ">>fra<<", ">>nb_NO<<"]]),
        kind=draw.choice(["unigram", "bpe"]), renormalises=draw.random() < 0.5, steps=250, d_model=heads * draw.choice([4, 5, 8]),
        encoder_attention_heads=heads, decoder_attention_heads=draw.choice([1, heads]), encoder_layers=draw.choice([1, 2, 3]),
        decoder_layers=draw.choice([1, 2]), encoder_ffn_dim=draw.choice([8, 24, 40]), decoder_ffn_dim=draw.choice([8, 24]),
        activation_function=draw.choice(["relu", "gelu", "swish", "gelu_new"]), scale_embedding=draw.random() < 0.5,
        search=dict(of_search, **draw.choice([dict(max_length=8, forced_eos_token_id=None),
                                                                                dict(max_length=30, forced_eos_token_id=None),
                                                                                dict(max_length=60, forced_eos_token_id=0)])))


FAMILIES = {"marian": (drawn_marian, imported.marian), "t5": (drawn_t5, imported.t5)}


class Compared:
    def __init__(self, heed):
        self.heed = heed
        self.tokens = self.outputs = self.near = 0
        self.worst = 0.0
        self.faults = []

    def says(self, *words, lines):
        done = subprocess.run([self.heed, *words], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"imported_models: {done.stderr}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    @staticmethod
    def tokens_of(folder, said):
        if "tokens" in said:
            return said["tokens"]
        two = json.loads((folder / "tokenizer_config.json").read_text()).get("separate_vocabs")
        return {i: token for token, i in json.loads((folder / ("target_vocab.json" if two else "vocab.json")).read_text()).items()}

    def compare(self, folder):
        said = json.loads((folder / "said.json").read_text())
        pairs = [pair for pair in said["pairs"] if pair["source"]]
        scored = self.says("score", "-m", str(folder), "--json", "--words", lines=[f"{pair['source']}\t{pair['target']}" for pair in pairs])
        for pair, score in zip(pairs, scored):
            found = [log_p for _, log_p in score["words"]]
            assert len(found) == len(pair["log_p"]), (pair, score)
            self.worst = max([self.worst, *(abs(a - b) for a, b in zip(found, pair["log_p"]))])
            self.tokens += len(found)
        tokens = self.tokens_of(folder, said)
        for name, output in said["outputs"].items():
            rows = [row for row in zip(output["sources"], output["ids"], output["scores"]) if row[0]]
            found = self.says("translate", "-m", str(folder), "--whole", "--json", *options_of(output["settings"]), lines=[row[0] for row in rows])
            for (source, ids, score), one in zip(rows, found):
                self.outputs += 1
                wanted, got = [tokens[i] for i in ids], [token for token in one["tokens"] if token != "</s>"]
                if wanted == got:
                    continue
                is_near = score is not None and abs(score - one["score"]) < CLOSE
                self.near += is_near
                line = f"{folder.name}, {name}: {source!r}: {wanted} with {score}, {got} with {one['score']}"
                print(line)
                if not is_near:
                    self.faults.append(line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heed")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=FAMILIES, help="this one alone")
    given = parser.parse_args()
    is_well = True
    for family in [given.family] if given.family else FAMILIES:
        drawn, make = FAMILIES[family]
        compared = Compared(str(pathlib.Path(given.heed).resolve()))
        with tempfile.TemporaryDirectory() as folder:
            for i in range(given.count):
                settings = drawn(random.Random(given.seed * 1000 + i))
                print(family, i, settings, flush=True)
                made = pathlib.Path(folder) / f"model-{i}"
                make(made, given.seed * 1000 + i, **settings)
                compared.compare(made)
        print(f"{given.count} models of {family}: worst log p of {compared.tokens} tokens {compared.worst:.2g}; {compared.outputs} outputs, "
              f"{compared.near} others with a score within {CLOSE}, {len(compared.faults)} different")
        is_well = is_well and compared.worst <= CLOSE and not compared.faults
    if not is_well:
        sys.exit(1)


if __name__ == "__main__":
    main()
