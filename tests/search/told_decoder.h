// A decoder with prescribed probabilities: log p(y | words before, sentence) depends on its seed
// only, so that a test can enumerate all sentences.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/base/philox.h"
#include "heed/model/decoder.h"
#include "heed/search/search.h"
#include "heed/text/special_tokens.h"
#include "tests/support/backends.h"

namespace heed::test {

/// The sentences of a ToldDecoder may contain any word, so that a test can enumerate them.
struct AnyWord : SearchOptions {
  AnyWord() { allow_unk = true; }
};

class ToldDecoder : public Autoregressive {
 public:
  ToldDecoder(uint64_t seed, int64_t words, double spread = 1, const Place& at = place())
      : seed_(seed), words_(words), spread_(spread), at_(at) {}

  static constexpr int32_t slots = 4;

  void describe(Describer&) override {}
  void build(const DecoderWidths&, Init&) override {}
  Remembered remember(const Encoded&, Pass&) const override { return {}; }
  State begin(std::shared_ptr<const Remembered> memory,
              std::span<const int32_t> memory_of) const override {
    State state(std::move(memory), memory_of, at_);
    state.carried = {Tensor::zeros({state.hypotheses(), 1}, at_)};
    return state;
  }
  Decoded teach(const Remembered&, const Lesson&, Pass&) const override { return {}; }
  int64_t reporting_blocks() const override { return 1; }
  Embedding& embedding() override { return embedding_; }

  Decoded step(State& state, const Tensor& ids, const Report& report, Pass&) const override {
    rows_.push_back(ids.size(0));
    const auto fed = ids.values<int32_t>();
    const auto memory_of = state.memory_of().values<int32_t>();
    auto codes = state.carried[0].values<double>();
    std::vector<double> logits;
    std::vector<double> weights;
    for (size_t q = 0; q < fed.size(); ++q) {
      codes[q] = fed[q] == specials().start() ? 0 : codes[q] * static_cast<double>(words_) + fed[q];
      const auto code = static_cast<uint64_t>(codes[q]);
      for (const double logit : logits_at(memory_of[q], code)) {
        logits.push_back(logit);
      }
      for (const double weight : weights_at(memory_of[q], code)) {
        weights.push_back(weight);
      }
    }
    const auto rows = static_cast<int64_t>(fed.size());
    state.carried[0] = Tensor::of(codes, {rows, 1}, at_);
    state.advance();
    Decoded out;
    out.logits = Tensor::of(logits, {rows, words_}, at_);
    if (report.weights) {
      Attended attended;
      attended.weights = Tensor::of(weights, {rows, 1, slots}, at_);
      out.reports.push_back(attended);
    }
    return out;
  }

  /// log p(· | said) for a sentence, where `said` are the words so far.
  std::vector<double> log_probabilities(int32_t sentence, const std::vector<int32_t>& said) const {
    std::vector<double> out = logits_at(sentence, code_of(said));
    double total = 0;
    for (const double logit : out) {
      total += std::exp(logit);
    }
    for (double& logit : out) {
      logit -= std::log(total);
    }
    return out;
  }
  /// The attention weights of the word after `said`.
  std::vector<double> weights(int32_t sentence, const std::vector<int32_t>& said) const {
    return weights_at(sentence, code_of(said));
  }
  /// Rows of every step so far.
  const std::vector<int64_t>& rows() const { return rows_; }
  int64_t words() const { return words_; }
  static Place place() { return {&forced("cpu"), DType::f32}; }

  /// A member that remembers this many sources of `slots` − 1 words.
  Scorer member(int64_t sentences = 1) const {
    auto memory = std::make_shared<Remembered>();
    memory->lengths.assign(static_cast<size_t>(sentences), slots);
    return {.decoder = this, .memory = memory};
  }

 private:
  uint64_t code_of(const std::vector<int32_t>& said) const {
    uint64_t code = 0;
    for (const int32_t id : said) {
      code = code * static_cast<uint64_t>(words_) + static_cast<uint64_t>(id);
    }
    return code;
  }
  // Two histories of unequal length may share a code (leading end tokens), but no sentence has such
  // a history.
  std::vector<double> logits_at(int32_t sentence, uint64_t code) const {
    const Draws draws({seed_, code, static_cast<uint64_t>(sentence)});
    std::vector<double> out;
    for (int64_t id = 0; id < words_; ++id) {
      // The values a float holds, so that tests and decoder start from the same numbers.
      out.push_back(static_cast<float>(spread_ * draws.normal_double(static_cast<uint64_t>(id))));
    }
    return out;
  }
  std::vector<double> weights_at(int32_t sentence, uint64_t code) const {
    const Draws draws({seed_ + 1000, code, static_cast<uint64_t>(sentence)});
    std::vector<double> out;
    double total = 0;
    for (uint64_t j = 0; j < slots; ++j) {
      out.push_back(0.01 + draws.uniform_double(j));
      total += out.back();
    }
    for (double& weight : out) {
      weight = static_cast<float>(weight / total);
    }
    return out;
  }

  uint64_t seed_;
  int64_t words_;
  double spread_;
  Place at_;
  Embedding embedding_;
  mutable std::vector<int64_t> rows_;
};

/// Every sentence of at most `limit` words, those of exactly `limit` cut without an end.
inline std::vector<Hypothesis> every_sentence(const ToldDecoder& decoder, int64_t limit,
                                              int32_t sentence = 0) {
  std::vector<Hypothesis> all;
  std::vector<Hypothesis> open(1);
  const std::vector<TokenId> suppressed = decoder.specials().suppressed();
  while (!open.empty()) {
    Hypothesis from = open.back();
    open.pop_back();
    const auto log_p = decoder.log_probabilities(sentence, from.ids);
    const auto looked = decoder.weights(sentence, from.ids);
    from.weights.emplace_back(looked.begin(), looked.end());
    for (int32_t id = 0; id < decoder.words(); ++id) {
      Hypothesis next = from;
      next.log_probability += log_p[static_cast<size_t>(id)];
      if (id == decoder.specials().end()) {
        next.ended = true;
        all.push_back(next);
      } else if (std::find(suppressed.begin(), suppressed.end(), id) == suppressed.end()) {
        next.ids.push_back(id);
        (static_cast<int64_t>(next.ids.size()) == limit ? all : open).push_back(next);
      }
    }
  }
  return all;
}

}  // namespace heed::test
