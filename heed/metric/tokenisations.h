// The catalogue of BLEU's tokenisations. To add one: a file in tokenisation/, a line here and one
// in tokenisations.cpp.
#pragma once

#include <memory>

#include "heed/base/catalogue.h"
#include "heed/metric/tokenisation.h"

namespace heed {

std::unique_ptr<Tokenisation> mteval_13a();
std::unique_ptr<Tokenisation> chinese();
std::unique_ptr<Tokenisation> single_characters();
std::unique_ptr<Tokenisation> blanks_only();
std::unique_ptr<Tokenisation> international();

const Catalogue<Tokenisation>& tokenisations();

}  // namespace heed
