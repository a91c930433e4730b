// Whole searches: sentences are admitted at once and stepped to their ends.
#include "heed/search/label.h"
#include "heed/search/mask_predict.h"
#include "heed/search/search.h"
#include "heed/search/voices.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

void check_goes_on(const IsCancelled& is_cancelled) {
  if (is_cancelled && is_cancelled()) {
    fail(Fault::cancelled, "search: it was cancelled before its end");
  }
}

/// Fault::usage if the options need an autoregressive decoder, which the main one is not.
void check_alone(std::span<const Model* const> models, std::span<const SentenceOptions> sentences,
                 const SearchOptions& options) {
  const std::string kind = models.front()->decoder().kind();
  if (models.size() > 1 || !options.combine.empty()) {
    fail(Fault::usage,
         "search: saw {} and the main decoder {}, needs decoders that write one word after the "
         "other to combine them; leave it out",
         models.size() > 1 ? "several models" : "--combine", kind);
  }
  for (const SentenceOptions& own : sentences) {
    if (!own.prefix.empty() || !own.phrases.empty()) {
      fail(
          Fault::usage,
          "search: saw {} and the main decoder {}, needs one that writes one word after the other; "
          "leave it out",
          own.prefix.empty() ? "a phrase to say" : "a prefix", kind);
    }
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> search(std::span<const Member> members,
                                            std::span<const SentenceOptions> sentences,
                                            const Place& place, const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  std::vector<Voice> voices;
  std::vector<std::shared_ptr<const Remembered>> memories;
  for (const Member& member : members) {
    voices.push_back({member.decoder, member.weight});
    memories.push_back(member.memory);
  }
  Search run(voices, place, options);
  const int64_t first = run.admit(memories, sentences);
  while (!run.is_done()) {
    check_goes_on(is_cancelled);
    run.step();
  }
  std::vector<std::vector<Hypothesis>> out;
  for (size_t s = 0; s < memories.front()->lengths.size(); ++s) {
    out.push_back(run.take(first + static_cast<int64_t>(s)));
  }
  return out;
}

std::vector<std::vector<Hypothesis>> search(std::span<const Model* const> models,
                                            const Batch& batch,
                                            std::span<const SentenceOptions> sentences,
                                            const SearchOptions& options,
                                            const IsCancelled& is_cancelled) {
  check_goes_on(is_cancelled);
  require(!models.empty(), "search: saw no model, needs one");
  const Decoder& main = models.front()->decoder();
  if (dynamic_cast<const Autoregressive*>(&main) == nullptr) {
    check_alone(models, sentences, options);
    return dynamic_cast<const Labelling*>(&main) != nullptr
               ? label(*models.front(), batch, options)
               : mask_predict(*models.front(), batch, options);
  }
  if (options.length > 0) {
    fail(Fault::usage,
         "search: saw --length {} and the main decoder {}, which ends by itself, needs one that "
         "fills all positions; leave it out",
         options.length, main.kind());
  }
  const NoGrad no_grad;
  Pass pass = Pass::serving();
  std::vector<Member> members;
  for (const Model* model : models) {
    const Encoded encoded = model->encode(batch.source, pass);
    for (const Voice& voice : voices_of(*model, options.combine)) {
      members.push_back({voice.decoder,
                         std::make_shared<const Remembered>(voice.decoder->remember(encoded, pass)),
                         voice.weight});
    }
  }
  return search(members, sentences, models.front()->place(), options, is_cancelled);
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  const Model* one[] = {&model};
  return search(one, batch, {}, options);
}

}  // namespace heed
