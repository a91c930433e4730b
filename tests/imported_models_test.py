"""imported_models_test.py HEED [--count N] [--seed N]: random MarianMT models, made and asked by transformers, say the same in heed.

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


def drawn(draw):
    """Settings of a random model. Few outputs reach the length at which an end is forced, because heed's length norm does not count that end."""
    heads = draw.choice([1, 2, 4])
    two = draw.random() < 0.4
    beams = draw.choice([1, 4, 6])
    of_beams = dict(num_beams=beams, length_penalty=draw.choice([0.0, 0.6, 1.0, 2.0]), early_stopping=draw.random() < 0.5)
    return dict(
        how=draw.choice(["safetensors", "zip", "before zip"]), dtype=draw.choice([torch.float32, torch.float16, torch.bfloat16]), two_tables=two,
        tied=two is False or draw.random() < 0.5, languages=[] if two else draw.choice([[], [">>fra<<"], [">>deu<<", ">>fra<<", ">>nb_NO<<"]]),
        kind=draw.choice(["unigram", "bpe"]), renormalises=draw.random() < 0.5, steps=250, d_model=heads * draw.choice([4, 5, 8]),
        encoder_attention_heads=heads, decoder_attention_heads=draw.choice([1, heads]), encoder_layers=draw.choice([1, 2, 3]),
        decoder_layers=draw.choice([1, 2]), encoder_ffn_dim=draw.choice([8, 24, 40]), decoder_ffn_dim=draw.choice([8, 24]),
        activation_function=draw.choice(["relu", "gelu", "swish", "gelu_new"]), scale_embedding=draw.random() < 0.5,
        search=dict(of_beams if beams > 1 else {"num_beams": 1}, **draw.choice([dict(max_length=8, forced_eos_token_id=None),
                                                                                dict(max_length=30, forced_eos_token_id=None),
                                                                                dict(max_length=60, forced_eos_token_id=0)])))


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

    def compare(self, folder):
        said = json.loads((folder / "said.json").read_text())
        pairs = [pair for pair in said["pairs"] if pair["source"]]
        scored = self.says("score", "-m", str(folder), "--json", "--words", lines=[f"{pair['source']}\t{pair['target']}" for pair in pairs])
        for pair, score in zip(pairs, scored):
            found = [log_p for _, log_p in score["words"]]
            assert len(found) == len(pair["log_p"]), (pair, score)
            self.worst = max([self.worst, *(abs(a - b) for a, b in zip(found, pair["log_p"]))])
            self.tokens += len(found)
        two = json.loads((folder / "tokenizer_config.json").read_text()).get("separate_vocabs")
        tokens = {i: token for token, i in json.loads((folder / ("target_vocab.json" if two else "vocab.json")).read_text()).items()}
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
    given = parser.parse_args()
    compared = Compared(str(pathlib.Path(given.heed).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        for i in range(given.count):
            settings = drawn(random.Random(given.seed * 1000 + i))
            print(i, {key: value for key, value in settings.items()}, flush=True)
            made = pathlib.Path(folder) / f"model-{i}"
            imported.marian(made, given.seed * 1000 + i, **settings)
            compared.compare(made)
    print(f"{given.count} models: worst log p of {compared.tokens} tokens {compared.worst:.2g}; {compared.outputs} outputs, "
          f"{compared.near} others with a score within {CLOSE}, {len(compared.faults)} different")
    if compared.worst > CLOSE or compared.faults:
        sys.exit(1)


if __name__ == "__main__":
    main()
