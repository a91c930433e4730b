// The catalogue of BLEU's tokenisations. To add one: a file in tokenisation/, a line here and one
// in tokenisations.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/metric/tokenisation.h"

namespace heed {

std::unique_ptr<Tokenisation> mteval_13a();

const Catalogue<Tokenisation>& tokenisations();

}  // namespace heed
