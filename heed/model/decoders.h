// The catalogue of decoders. To add one: its file in decoder/, and its line in decoders.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/decoder.h"

namespace heed {

std::unique_ptr<Decoder> fixed_decoder();
std::unique_ptr<Decoder> attend_first_decoder();
std::unique_ptr<Decoder> attend_after_decoder();
std::unique_ptr<Decoder> transformer_decoder();
std::unique_ptr<Decoder> labels_decoder();
std::unique_ptr<Decoder> sequence_label_decoder();
std::unique_ptr<Decoder> mask_predict_decoder();
std::unique_ptr<Decoder> ctc_decoder();

const Catalogue<Decoder>& decoders();

}  // namespace heed
