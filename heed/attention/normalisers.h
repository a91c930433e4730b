// The catalogue of normalisers: the one list. To add one: its file in normaliser/, and its line in
// normalisers.cpp.
#pragma once

#include "heed/attention/normaliser.h"
#include "heed/base/catalogue.h"

namespace heed {

std::unique_ptr<Normaliser> softmax_normaliser();
std::unique_ptr<Normaliser> relu_normaliser();
std::unique_ptr<Normaliser> sigmoid_normaliser();
std::unique_ptr<Normaliser> sparsemax();
std::unique_ptr<Normaliser> entmax15();
std::unique_ptr<Normaliser> topk_normaliser();
std::unique_ptr<Normaliser> gumbel();
std::unique_ptr<Normaliser> hard();

/// A program adds its own normaliser with `normalisers().add({"mine", {}, "its formula",
/// make_mine})`.
Catalogue<Normaliser>& normalisers();

}  // namespace heed
