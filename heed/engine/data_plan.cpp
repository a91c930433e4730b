#include "heed/engine/data_plan.h"

#include <cstdlib>

#include "heed/data/examples.h"
#include "heed/data/synths.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

std::vector<std::string> or_none(std::vector<std::string> names) {
  names.insert(names.begin(), "");
  return names;
}

/// A path that begins with $HEED_DATA stands in the folder of that variable, by default
/// ../shared/data.
std::string located(const std::string& path) {
  const std::string variable = "$HEED_DATA";
  if (path.rfind(variable, 0) != 0) {
    return path;
  }
  const char* folder = std::getenv("HEED_DATA");
  return (folder == nullptr ? "../shared/data" : folder) + path.substr(variable.size());
}

std::vector<Example> read(const std::string& path, const std::string& target) {
  return target.empty() ? read_pairs(located(path)) : read_parallel(located(path), located(target));
}

}  // namespace

void DataPlan::describe(Describer& d) {
  d.setting("synth", synth_,
            {.help = "a made-up task in place of files", .choices = or_none(synths().names())});
  d.setting("synth_seed", synth_seed_, {.help = "of the made-up task", .least = 0});
  d.setting("train_examples", train_examples_,
            {.help = "of the made-up task, for training", .least = 1});
  d.setting("valid_examples", valid_examples_,
            {.help = "of the made-up task, for validation", .least = 1});
  d.setting("train", train_, {"training pairs (source TAB target), or source lines"});
  d.setting("train_target", train_target_, {"target lines, where `train` holds source lines"});
  d.setting("valid", valid_, {"validation pairs, or source lines"});
  d.setting("valid_target", valid_target_, {"target lines, where `valid` holds source lines"});
  d.setting("source_tokens", source_tokens_,
            {.help = "what a source token is", .choices = tokenisers().names()});
  d.setting("target_tokens", target_tokens_,
            {.help = "what a target token is", .choices = tokenisers().names()});
  d.setting("source_vocabulary", source_vocabulary_,
            {.help = "tokens at most; 0: all there are, of subwords 8000", .least = 0});
  d.setting("target_vocabulary", target_vocabulary_,
            {.help = "tokens at most; 0: all there are, of subwords 8000", .least = 0});
  d.setting("min_count", min_count_, {.help = "rarer tokens are unknown", .least = 1});
  d.setting("byte_fallback", byte_fallback_,
            {"bpe, unigram: spell in bytes what no subword covers, so that nothing is unknown"});
  d.setting("character_coverage", character_coverage_,
            {.help = "bpe, unigram: the share of the text's characters that are subwords",
             .least = 0.98,
             .most = 1});
  d.setting("normalise", normalise_,
            {.help = "bpe, unigram: of Unicode's forms of a text, the one to learn",
             .choices = {"nfc", "nfkc", "nmt_nfkc", "none"}});
  d.setting("share_vocabulary", shares_vocabulary_, {"one vocabulary for both sides"});
  d.setting("max_source", max_source_,
            {.help = "longer sources are left out; 0: none is", .least = 0});
  d.setting("max_target", max_target_,
            {.help = "longer targets are left out; 0: none is", .least = 0});
}

std::vector<Example> DataPlan::part(Split split) const {
  if (!synth_.empty()) {
    const bool trains = split == Split::train;
    return made_up_examples({synth_, static_cast<uint64_t>(synth_seed_), split,
                             trains ? train_examples_ : valid_examples_});
  }
  const bool trains = split == Split::train;
  return read(trains ? train_ : valid_, trains ? train_target_ : valid_target_);
}

DataPlan::Texts DataPlan::texts() const {
  if (synth_.empty() && (train_.empty() || valid_.empty())) {
    fail(Fault::usage,
         "data: saw neither `synth` nor both `train` and `valid`; name a task or the files");
  }
  if (!synth_.empty() && !(train_.empty() && valid_.empty())) {
    fail(Fault::usage,
         "data: saw the task \"{}\" and files, needs one of them; leave out `synth` (--set "
         "data.synth=) or the files",
         synth_);
  }
  return {part(Split::train), part(Split::valid)};
}

Corpora DataPlan::encoded(Texts texts, const VocabularyPair& vocabularies) const {
  const LengthLimits limits{.max_source = max_source_, .max_target = max_target_};
  Corpora out{vocabularies, Corpus(std::move(texts.train), vocabularies, limits),
              Corpus(std::move(texts.valid), vocabularies, limits)};
  if (out.train.size() == 0 || out.valid.size() == 0) {
    fail(Fault::file,
         "data: saw {} training and {} validation pairs, needs some of both; {} were left out for "
         "an empty side or their length",
         out.train.size(), out.valid.size(), out.train.dropped() + out.valid.dropped());
  }
  return out;
}

Corpora DataPlan::load() const {
  Texts read = texts();
  const VocabularyPair vocabularies =
      learn_vocabularies(read.train, {.source = source_tokens_,
                                      .target = target_tokens_,
                                      .max_source = source_vocabulary_,
                                      .max_target = target_vocabulary_,
                                      .min_count = min_count_,
                                      .byte_fallback = byte_fallback_,
                                      .character_coverage = character_coverage_,
                                      .normalise = normalise_,
                                      .is_shared = shares_vocabulary_});
  return encoded(std::move(read), vocabularies);
}

Corpora DataPlan::load(const VocabularyPair& vocabularies) const {
  return encoded(texts(), vocabularies);
}

}  // namespace heed
