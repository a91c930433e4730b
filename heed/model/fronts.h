// The catalogue of fronts. To add one: its file in front/, and its line in fronts.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/front.h"

namespace heed {

std::unique_ptr<Front> words_front();
std::unique_ptr<Front> frames_front();
std::unique_ptr<Front> subsample_front();
std::unique_ptr<Front> convolutional_front();
std::unique_ptr<Front> stages_front();
std::unique_ptr<Front> patches_front();

const Catalogue<Front>& fronts();

/// Fault::usage where this front does not read such a field; the message names those that do.
void check_pairing(const Front& front, const Field& source);

}  // namespace heed
