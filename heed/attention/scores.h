// The catalogue of scores: the one list. To add one: its file in score/, and its line in
// scores.cpp.
#pragma once

#include "heed/attention/score.h"
#include "heed/base/catalogue.h"

namespace heed {

std::unique_ptr<Score> dot();
std::unique_ptr<Score> scaled_dot();
std::unique_ptr<Score> bilinear();
std::unique_ptr<Score> cosine();
std::unique_ptr<Score> additive();
std::unique_ptr<Score> location();
std::unique_ptr<Score> location_aware();

/// A program adds its own score with `scores().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Score>& scores();

}  // namespace heed
