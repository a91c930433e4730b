// The catalogue of normalisers: the one list. To add one: its file in normaliser/, and its line in
// normalisers.cpp.
#pragma once

#include "heed/attention/normaliser.h"
#include "heed/base/catalogue.h"

namespace heed {

/// A program adds its own normaliser with `normalisers().add({"mine", {}, "its formula",
/// make_mine})`.
Catalogue<Normaliser>& normalisers();

}  // namespace heed
