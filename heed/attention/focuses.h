// The catalogue of focuses: the one list. To add one: its file in focus/, and its line in
// focuses.cpp.
#pragma once

#include "heed/attention/focus.h"
#include "heed/base/catalogue.h"

namespace heed {

std::unique_ptr<Focus> everywhere();
std::unique_ptr<Focus> causal();
std::unique_ptr<Focus> strictly_causal();
std::unique_ptr<Focus> window();
std::unique_ptr<Focus> local_m();
std::unique_ptr<Focus> local_p();
std::unique_ptr<Focus> monotonic();
std::unique_ptr<Focus> prior();

enum class PriorShape { alibi, diagonal, relative };
/// The prior with its shape set.
std::unique_ptr<Focus> prior_shaped(PriorShape shape, bool bidirectional);

/// A program adds its own focus with `focuses().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Focus>& focuses();

}  // namespace heed
