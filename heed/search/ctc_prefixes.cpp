#include "heed/search/ctc_prefixes.h"

namespace heed {

void CtcPrefixes::admit(const Remembered& memory, std::span<const int32_t> memory_of) {
  Pass pass = Pass::serving();
  const Decoded said = decoder_->at_frames(memory, {}, pass);
  place_ = said.logits.place();
  std::vector<std::shared_ptr<const CtcFrames>> sources;
  for (CtcFrames& frames : ctc_frames(said)) {
    sources.push_back(std::make_shared<const CtcFrames>(std::move(frames)));
  }
  for (const int32_t source : memory_of) {
    prefixes_.emplace_back(sources.at(static_cast<size_t>(source)));
  }
}

Tensor CtcPrefixes::step(const Tensor& ids) {
  const std::vector<int32_t> words = ids.values<int32_t>();
  const SpecialTokens& specials = decoder_->specials();
  std::vector<float> all;
  for (size_t q = 0; q < prefixes_.size(); ++q) {
    if (words[q] != specials.start()) {
      prefixes_[q].extend(words[q]);
    }
    const std::vector<float> steps = prefixes_[q].continuations(specials.end());
    all.insert(all.end(), steps.begin(), steps.end());
  }
  const auto rows = static_cast<int64_t>(prefixes_.size());
  return Tensor::of(all, {rows, static_cast<int64_t>(all.size()) / rows}, place_);
}

void CtcPrefixes::reorder(const Tensor& parent) { select(parent.values<int32_t>()); }

void CtcPrefixes::select(std::span<const int32_t> rows) {
  std::vector<CtcPrefix> chosen;
  chosen.reserve(rows.size());
  for (const int32_t row : rows) {
    chosen.push_back(prefixes_.at(static_cast<size_t>(row)));
  }
  prefixes_ = std::move(chosen);
}

}  // namespace heed
