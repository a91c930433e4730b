#include "heed/attention/attend_within.h"

namespace heed {

SelfWeights::SelfWeights(Pass& pass) : pass_(pass), before_(pass.exchange_self_weights(this)) {}
SelfWeights::~SelfWeights() { pass_.exchange_self_weights(before_); }

Attended attend_within(const Attention& how, Lookup lookup, Pass& pass) {
  SelfWeights* const onlooker = pass.self_weights();
  lookup.report.weights = lookup.report.weights || onlooker != nullptr;
  lookup.is_within = true;
  Attended seen = attend(how, lookup, pass);
  if (onlooker != nullptr) {
    onlooker->blocks_.push_back(seen.weights);
  }
  return seen;
}

}  // namespace heed
