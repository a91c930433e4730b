#include "heed/cli/peer_names.h"

#include <fmt/core.h>

#include <algorithm>

namespace heed {
namespace {

struct PeerName {
  std::string_view theirs;
  std::string_view ours;  // perhaps with a value behind it
};

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
    {"--gpu", "--backend"},
    {"--device", "--backend"},
    {"--devices", "--backend"},
    {"--cuda", "--backend"},
    {"--num-gpus", "--backend"},
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
    {"--disable-unk", "--allow-unk"},
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
};

constexpr PeerName peer_verbs[] = {
    {"decode", "translate"},    {"decoder", "translate"},     {"infer", "translate"},
    {"inference", "translate"}, {"predict", "translate"},     {"generate", "translate"},
    {"run", "translate"},       {"interactive", "translate"}, {"server", "translate"},
    {"serve", "translate"},     {"chat", "translate"},        {"fit", "train"},
    {"learn", "train"},         {"finetune", "train"},        {"fine-tune", "train"},
    {"resume", "train"},        {"test", "evaluate"},         {"bleu", "evaluate"},
    {"sacrebleu", "evaluate"},  {"validate", "evaluate"},     {"benchmark", "doctor"},
    {"check", "doctor"},        {"info", "inspect"},          {"show", "inspect"},
    {"summary", "inspect"},     {"convert", "quantise"},      {"quantize", "quantise"},
    {"compress", "quantise"},   {"list", "models"},           {"ppl", "score"},
    {"perplexity", "score"},    {"rescore", "score"},         {"scorer", "score"},
    {"visualize", "align"},     {"visualise", "align"},       {"tag", "label"},
    {"classify", "label"},      {"speech", "transcribe"},     {"asr", "transcribe"},
    {"man", "manual"},
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

/// The first that a peer calls so and that is here; empty if there is none.
template <class IsHere>
std::string_view ours_for(std::string_view name, std::span<const PeerName> names,
                          const IsHere& is_here) {
  const std::string wanted = as_an_option(name);
  const auto found = std::find_if(names.begin(), names.end(), [&](const PeerName& one) {
    return one.theirs == wanted && is_here(one.ours);
  });
  return found == names.end() ? std::string_view() : found->ours;
}

std::string question(std::string_view ours) { return fmt::format("; did you mean \"{}\"?", ours); }

}  // namespace

std::string peers_option(std::string_view name, std::span<const std::string> known) {
  const auto is_here = [known](std::string_view ours) {
    return std::find(known.begin(), known.end(), ours.substr(0, ours.find(' '))) != known.end();
  };
  const std::string_view ours = ours_for(name, peer_options, is_here);
  return ours.empty() ? "" : question(ours);
}

std::string peers_verb(std::string_view name) {
  const std::string_view ours =
      ours_for(name, peer_verbs, [](std::string_view /*verb*/) { return true; });
  return ours.empty() ? "" : question(ours);
}

}  // namespace heed
