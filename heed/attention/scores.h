// The catalogue of scores: the one list. To add one: its file in score/, and its line in
// scores.cpp.
#pragma once

#include "heed/attention/score.h"
#include "heed/base/catalogue.h"

namespace heed {

/// A program adds its own score with `scores().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Score>& scores();

}  // namespace heed
