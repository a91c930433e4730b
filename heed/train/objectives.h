// The catalogue of objectives. To add one: its file in objective/, and its line in objectives.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/objective.h"

namespace heed {

/// A program adds its own objective with `objectives().add({"mine", {}, "its formula",
/// make_mine})`.
Catalogue<Objective>& objectives();

}  // namespace heed
