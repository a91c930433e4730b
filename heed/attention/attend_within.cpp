#include "heed/attention/attend_within.h"

#include <utility>

namespace heed {
namespace {

thread_local SelfWeights* looking_on = nullptr;

}  // namespace

SelfWeights::SelfWeights() : before_(std::exchange(looking_on, this)) {}
SelfWeights::~SelfWeights() { looking_on = before_; }

Attended attend_within(const Attention& how, Lookup lookup, Pass& pass) {
  lookup.report.weights = lookup.report.weights || looking_on != nullptr;
  Attended seen = attend(how, lookup, pass);
  if (looking_on != nullptr) {
    looking_on->blocks_.push_back(seen.weights);
  }
  return seen;
}

}  // namespace heed
