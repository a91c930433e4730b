// The catalogue of focuses: the one list. To add one: its file in focus/, and its line in
// focuses.cpp.
#pragma once

#include "heed/attention/focus.h"
#include "heed/base/catalogue.h"

namespace heed {

enum class PriorShape { alibi, diagonal, relative };
/// The prior with its shape set.
std::unique_ptr<Focus> prior_shaped(PriorShape shape, bool bidirectional);

/// A program adds its own focus with `focuses().add({"mine", {}, "its formula", make_mine})`.
Catalogue<Focus>& focuses();

}  // namespace heed
