#include "heed/cli/peer_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace heed {
namespace {

struct PeerName {
  std::string_view theirs;
  std::string_view ours;         // perhaps with a value behind it; empty where heed has none
  std::string_view advice = {};  // then a sentence that says what to do instead,
  std::string_view beside = {};  // for verbs with this option; empty: for all
};

constexpr std::string_view no_gpu = "this verb computes on the CPU only; leave it out";
constexpr std::string_view one_device = "heed computes on one device; leave it out";
constexpr std::string_view has_vocabularies = "a model file has its vocabularies; leave it out";

constexpr PeerName peer_options[] = {
    {"-n", "--n-best"},
    {"-v", "--version"},
    {"--src", "--input"},
    {"--source", "--input"},
    {"--input-file", "--input"},
    {"--file", "--input"},
    {"--tgt", "--output"},
    {"--output-file", "--output"},
    {"--out", "--output"},
    {"--out", "--run"},
    {"--output", "--run"},
    {"--outdir", "--run"},
    {"--quantize", "--precision int8"},
    {"--quantise", "--precision int8"},
    {"--quantization", "--precision int8"},
    {"--int8", "--precision int8"},
    {"--compute-type", "--precision"},
    {"--gemm-type", "--precision"},
    {"--dtype", "--precision"},
    {"--fp16", "--precision bf16"},
    {"--half", "--precision bf16"},
    {"--bf16", "--precision bf16"},
    {"--length-penalty", "--alpha"},
    {"--lenpen", "--alpha"},
    {"--num-beams", "--beam"},
    {"--num-hypotheses", "--n-best"},
    {"--best-of", "--n-best"},
    {"--mini-batch", "--batch"},
    {"--maxi-batch", "--batch"},
    {"--bs", "--batch"},
    {"--max-len", "--max-length"},
    {"--max-len-b", "--max-length-margin"},
    {"--max-len-a", "--max-length-factor"},
    {"--max-decoding-length", "--max-length"},
    {"--min-decoding-length", "--min-length"},
    {"--min-len", "--min-length"},
    {"--coverage-penalty", "--coverage"},
    {"--no-repeat-ngram-size", "--no-repeat-ngram"},
    {"--replace-unk", "--replace-unknowns"},
    {"--sampling", "--sample"},
    {"--do-sample", "--sample"},
    {"--output-sampling", "--sample"},
    {"--temp", "--temperature"},
    {"--nucleus", "--top-p"},
    {"--sampling-topk", "--top-k"},
    {"--sampling-topp", "--top-p"},
    {"--sampling-temperature", "--temperature"},
    {"--num-threads", "--threads"},
    {"--cpu-threads", "--threads"},
    {"--workers", "--threads"},
    {"--workspace", "--memory-limit"},
    {"--ckpt", "--model"},
    {"--checkpoint", "--model"},
    {"--path", "--model"},
    {"--config", "--set"},
    {"--ref", "--reference"},
    {"--refs", "--reference"},
    {"--overwrite", "--fresh"},
    {"--no-resume", "--fresh"},
    {"--save-dir", "--run"},
    {"--output-dir", "--run"},
    {"--visualize", "--draw"},
    {"--heatmap", "--draw"},
    {"--attention", "--draw"},
    {"--silent", "--quiet"},
    {"--format", "--json"},
    {"--gpu", "--backend cuda"},
    {"--gpu", {}, no_gpu},
    {"--gpus", "--backend cuda"},
    {"--gpus", {}, no_gpu},
    {"--cuda", "--backend cuda"},
    {"--cuda", {}, no_gpu},
    {"--device", "--backend"},
    {"--device", {}, no_gpu},
    {"--device-index", "--backend cuda:1"},
    {"--device-index", {}, no_gpu},
    {"--devices", {}, one_device},
    {"--num-gpus", {}, one_device},
    {"--disable-unk", {}, "that is so unless --allow-unk is given; leave it out", "--allow-unk"},
    {"--word-scores", {}, "heed score --words and heed translate --json print them"},
    {"--block-ngram-repeat", "--no-repeat-ngram"},
    {"--report-score", {}, "--json prints it", "--json"},
    {"--report-scores", {}, "--json prints them", "--json"},
    {"--with-scores", {}, "--json prints them", "--json"},
    {"--report-align", "--alignment hard"},
    {"--with-alignment", "--alignment hard"},
    {"--report-time", "--verbose"},
    {"--vocab", "--vocabulary"},
    {"--vocab", {}, has_vocabularies, "--model"},
    {"--vocabs", {}, has_vocabularies, "--model"},
    {"--src-vocab", {}, has_vocabularies, "--model"},
    {"--tgt-vocab", {}, has_vocabularies, "--model"},
    {"--config", {}, "there is no file of options; write them here"},
    {"--repetition-penalty",
     {},
     "there is none; --no-repeat-ngram N keeps sequences from repeating",
     "--no-repeat-ngram"},
    {"--inter-threads", "--threads"},
    {"--intra-threads", "--threads"},
    {"-t", "--threads"},
    {"-j", "--threads"},
    {"--random-sampling-topk", "--top-k"},
    {"--random-sampling-topp", "--top-p"},
    {"--random-sampling-temp", "--temperature"},
    {"--lower", "--lowercase"},
    {"--lower", {}, "there is none; write the input in small letters", "--model"},
    {"--target", "--prefix"},
    {"--target-prefix", "--prefix"},
    {"--tok", "--tokenize"},
    {"-lc", "--lowercase"},
    {"--hyp", {}, "give the file of the output without an option", "--metric"},
    {"--hypothesis", {}, "give the file of the output without an option", "--metric"},
    {"--force", "--fresh"},
    {"--force", {}, "there is nothing to force; leave it out", "--metric"},
    {"--chrf-word-order", "--metric chrf++"},
};

constexpr PeerName peer_verbs[] = {
    {"decode", "translate"},
    {"decoder", "translate"},
    {"infer", "translate"},
    {"inference", "translate"},
    {"predict", "translate"},
    {"generate", "translate"},
    {"run", "translate"},
    {"interactive", "translate"},
    {"chat", "translate"},
    {"fit", "train"},
    {"learn", "train"},
    {"finetune", "train"},
    {"fine-tune", "train"},
    {"resume", "train"},
    {"test", "evaluate"},
    {"bleu", "evaluate"},
    {"sacrebleu", "evaluate"},
    {"validate", "evaluate"},
    {"benchmark", "doctor"},
    {"check", "doctor"},
    {"info", "inspect"},
    {"show", "inspect"},
    {"summary", "inspect"},
    {"convert", "quantise"},
    {"quantize", "quantise"},
    {"compress", "quantise"},
    {"list", "models"},
    {"ppl", "score"},
    {"perplexity", "score"},
    {"rescore", "score"},
    {"scorer", "score"},
    {"visualize", "align"},
    {"visualise", "align"},
    {"tag", "label"},
    {"classify", "label"},
    {"speech", "transcribe"},
    {"asr", "transcribe"},
    {"man", "manual"},
    {"draw", "translate --draw"},
    {"vocab", "inspect --vocabulary"},
    {"vocabulary", "inspect --vocabulary"},
    {"server", "serve"},
    {"average", {}, "training averages checkpoints itself, as training.average of a recipe says"},
    {"export", {}, "every verb reads model files as they are; heed quantise writes smaller ones"},
    {"tokenize", {}, "every verb reads plain text; a model file says how it is split"},
    {"tokenise", {}, "every verb reads plain text; a model file says how it is split"},
};

/// In small letters, with '-' for '_'.
std::string as_an_option(std::string_view name) {
  std::string out(name);
  for (char& letter : out) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    letter = letter == '_' ? '-' : is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

std::string question(std::string_view ours) { return fmt::format("; did you mean \"{}\"?", ours); }

}  // namespace

std::string peers_option(std::string_view name, std::span<const std::string> known) {
  const auto is_known = [known](std::string_view option) {
    return std::find(known.begin(), known.end(), option) != known.end();
  };
  const std::string wanted = as_an_option(name);
  for (const PeerName& one : peer_options) {
    if (one.theirs != wanted) {
      continue;
    }
    const std::string_view option = one.ours.substr(0, one.ours.find(' '));
    if (one.advice.empty() && is_known(option)) {
      return question(one.ours);
    }
    if (!one.advice.empty() && (one.beside.empty() || is_known(one.beside))) {
      return fmt::format("; {}", one.advice);
    }
  }
  return "";
}

std::string peers_verb(std::string_view name) {
  const std::string wanted = as_an_option(name);
  const auto* const found =
      std::find_if(std::begin(peer_verbs), std::end(peer_verbs),
                   [&wanted](const PeerName& one) { return one.theirs == wanted; });
  if (found == std::end(peer_verbs)) {
    return "";
  }
  return found->advice.empty() ? question(found->ours) : fmt::format("; {}", found->advice);
}

}  // namespace heed
