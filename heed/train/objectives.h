// The catalogue of objectives. To add one: its file in objective/, and its line in objectives.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/train/objective.h"

namespace heed {

std::unique_ptr<Objective> teacher_forcing();
std::unique_ptr<Objective> doubly_stochastic();
std::unique_ptr<Objective> diagonal();
std::unique_ptr<Objective> left_to_right();
std::unique_ptr<Objective> alignment();
std::unique_ptr<Objective> lengths();
std::unique_ptr<Objective> reinforce();
std::unique_ptr<Objective> marginal();
std::unique_ptr<Objective> self_critical();
std::unique_ptr<Objective> minimum_risk();
std::unique_ptr<Objective> ctc();

/// A program adds its own objective with `objectives().add({"mine", {}, "its formula",
/// make_mine})`.
Catalogue<Objective>& objectives();

}  // namespace heed
