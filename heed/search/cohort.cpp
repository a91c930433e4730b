#include "heed/search/cohort.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/ops/gather.h"

namespace heed {
namespace {

std::unique_ptr<Strategy> prepared(const std::string& name, const SentenceSettings& settings,
                                   const SpecialTokens& specials,
                                   const std::vector<TokenId>& suppressed) {
  auto strategy = settings.strategies.at(name).copy();
  strategy->set_specials(specials, suppressed);
  strategy->prepare(settings);
  return strategy;
}

/// The words after which no hypothesis goes on.
std::vector<TokenId> last_words(const SpecialTokens& specials, std::vector<TokenId> suppressed) {
  suppressed.push_back(specials.end());
  return suppressed;
}

}  // namespace

Cohort::Cohort(const std::string& strategy, const SentenceSettings& settings,
               const SpecialTokens& specials, const Place& place)
    : allow_unk_(settings.allow_unk),
      suppressed_(suppressed_words(specials, settings)),
      place_(place),
      frontier_(1, {}, place) {
  strategy_ = prepared(strategy, settings, specials, suppressed_);
  frontier_ = Frontier(strategy_->width(), last_words(specials, suppressed_), place);
}

bool Cohort::takes(const SentenceSettings& settings) const {
  if (settings.allow_unk != allow_unk_) {
    return false;
  }
  const auto other = settings.strategies.at(strategy_->kind()).copy();
  other->prepare(settings);
  return other->likeness() == strategy_->likeness();
}

bool Cohort::is_said(TokenId word) const {
  return std::find(suppressed_.begin(), suppressed_.end(), word) == suppressed_.end();
}

void Cohort::place(std::vector<int32_t> cells, std::vector<float> scores, size_t rows_alone) {
  std::vector<int32_t> rows(rows_alone);
  std::iota(rows.begin(), rows.end(), 0);
  if (rows_alone == 0) {
    for (int32_t& cell : cells) {
      if (cell >= 0) {
        rows.push_back(std::exchange(cell, static_cast<int32_t>(rows.size())));
      }
    }
  }
  if (rows_alone > 0) {
    at_ = Tensor();
  } else if (rows != rows_ || !at_.defined()) {
    at_ = Tensor::of(rows, {static_cast<int64_t>(rows.size())}, place_.with(DType::i32));
  }
  if (cells_ != cells) {
    frontier_.arrange(cells, scores);
  } else if (scores_ != scores) {
    frontier_.rescore(scores);
  }
  rows_ = std::move(rows);
  cells_ = std::move(cells);
  scores_ = std::move(scores);
}

Tensor Cohort::own(const Tensor& x) const { return at_.defined() ? gather_rows(x, at_) : x; }

}  // namespace heed
