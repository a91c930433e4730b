// The catalogue of encoders. To add one: its file in encoder/, and its line in encoders.cpp.
#pragma once

#include "heed/base/catalogue.h"
#include "heed/model/encoder.h"

namespace heed {

std::unique_ptr<Encoder> rnn_encoder();
std::unique_ptr<Encoder> gru_encoder();
std::unique_ptr<Encoder> lstm_encoder();
std::unique_ptr<Encoder> cnn_encoder();
std::unique_ptr<Encoder> transformer_encoder();
std::unique_ptr<Encoder> pyramid_encoder();
std::unique_ptr<Encoder> conformer_encoder();
std::unique_ptr<Encoder> bag_encoder();
std::unique_ptr<Encoder> identity_encoder();
std::unique_ptr<Encoder> no_encoder();

const Catalogue<Encoder>& encoders();

}  // namespace heed
