// How a model file is changed. libFuzzer's own changes would nearly all end at the length of the
// header or at an offset, before anything interesting has begun. So most changes take the file apart
// (model_tensors.h) and change one thing on purpose: a number of the settings becomes absurd, a
// vocabulary has other bytes, a tensor another shape, type or name. The rest of the file is in order.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/model_parts.h"
#include "fuzz/model_tensors.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace heed::fuzz {
namespace {

constexpr std::array<std::string_view, 30> absurd = {"0",
                                                     "-1",
                                                     "1",
                                                     "2",
                                                     "7",
                                                     "255",
                                                     "4095",
                                                     "16384",
                                                     "65535",
                                                     "65536",
                                                     "1000000",
                                                     "16777216",
                                                     "2147483647",
                                                     "2147483648",
                                                     "4294967295",
                                                     "4294967296",
                                                     "1099511627776",
                                                     "1000000000000000000",
                                                     "2305843009213693952",
                                                     "2305843009213693953",
                                                     "4611686018427387904",
                                                     "9223372036854775807",
                                                     "-9223372036854775808",
                                                     "18446744073709551615",
                                                     "18446744073709551616",
                                                     "1e300",
                                                     "-1e300",
                                                     "0.5",
                                                     "1e-300",
                                                     "null"};

using Random = std::minstd_rand;

std::string mutated(const std::string& text, std::size_t most) {
  std::string room = text;
  room.resize(std::max(most, text.size()));
  const std::size_t size =
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(room.data()), text.size(), room.size());
  room.resize(size);
  return room;
}

/// Replaces one of the numbers that stand after a colon, a comma or a bracket.
std::string with_absurd_number(const std::string& text, Random& random) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  for (std::size_t tries = 0; tries < 64 && !text.empty(); ++tries) {
    std::size_t begin = random() % text.size();
    while (begin < text.size() && !(is_digit(text[begin]) && begin > 0 &&
                                    std::strchr(":,[ ", text[begin - 1]) != nullptr)) {
      ++begin;
    }
    std::size_t end = begin;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
      ++end;
    }
    if (begin < end) {
      return text.substr(0, begin) + std::string(absurd[random() % absurd.size()]) +
             text.substr(end);
    }
  }
  return text;
}

std::string& settings_of(ModelTensors& model, Random& random) {
  for (auto& [key, value] : model.metadata) {
    if (key == (random() % 8 == 0 ? "fields" : "config")) {
      return value;
    }
  }
  return model.metadata[random() % model.metadata.size()].second;
}

/// As many bytes as shape and type promise, if they are few.
void fit_data(TensorPart& tensor) {
  constexpr std::size_t most = 4096;
  std::size_t bytes = element_bytes(tensor.type);
  for (const std::int64_t length : tensor.shape) {
    if (length < 0 || static_cast<std::size_t>(length) > most) {
      return;
    }
    bytes *= static_cast<std::size_t>(length);
    if (bytes > most) {
      return;
    }
  }
  tensor.data.resize(bytes);
}

void change_shape(TensorPart& tensor, Random& random) {
  constexpr std::array<std::int64_t, 8> lengths = {0, 1, 2, 3, 5, 64, 1LL << 31, 1LL << 62};
  const std::int64_t length = lengths[random() % lengths.size()];
  if (tensor.shape.empty() || random() % 4 == 0) {
    tensor.shape.push_back(length);
  } else if (random() % 4 == 0) {
    tensor.shape.pop_back();
  } else {
    tensor.shape[random() % tensor.shape.size()] = length;
  }
  fit_data(tensor);
}

void change_type(TensorPart& tensor, Random& random) {
  constexpr std::array<const char*, 7> types = {"F32", "F64", "BF16", "F16", "I32", "U8", "F8"};
  tensor.type = types[random() % types.size()];
  fit_data(tensor);
}

/// The list of tensors itself: one of them goes, comes twice or has another's name.
void change_list(std::vector<TensorPart>& tensors, Random& random) {
  const std::size_t which = random() % tensors.size();
  switch (random() % 3) {
    case 0:
      tensors.erase(tensors.begin() + static_cast<std::ptrdiff_t>(which));
      break;
    case 1:
      tensors.push_back(tensors[which]);
      tensors.back().name += quoted(mutated("x", 8));
      break;
    default:
      std::swap(tensors[which].name, tensors[random() % tensors.size()].name);
  }
}

void change_data(TensorPart& tensor, std::size_t room) {
  if (tensor.type == "U8" && tensor.shape.size() == 1) {  // a vocabulary, which may have any length
    tensor.data = mutated(tensor.data, tensor.data.size() + room);
    tensor.shape[0] = static_cast<std::int64_t>(tensor.data.size());
    return;
  }
  const std::size_t size = tensor.data.size();
  if (size > 0) {
    tensor.data = mutated(tensor.data, size);
    tensor.data.resize(size);
  }
}

TensorPart& vocabulary_of(ModelTensors& model, Random& random) {
  std::vector<TensorPart*> all;
  for (TensorPart& tensor : model.tensors) {
    if (tensor.type == "U8") {
      all.push_back(&tensor);
    }
  }
  return all.empty() ? model.tensors[random() % model.tensors.size()] : *all[random() % all.size()];
}

void change_one_thing(ModelTensors& model, std::size_t room, Random& random) {
  TensorPart& tensor = model.tensors[random() % model.tensors.size()];
  switch (random() % 16) {
    case 0:
    case 1:
      change_shape(tensor, random);
      break;
    case 2:
      change_type(tensor, random);
      break;
    case 3:
      change_list(model.tensors, random);
      break;
    case 4:
      change_data(tensor, room);
      break;
    case 5:
    case 6:
    case 7:
    case 8:
      change_data(vocabulary_of(model, random), room);
      break;
    case 9:
    case 10:
    case 11: {
      std::string& settings = settings_of(model, random);
      settings = quoted(mutated(unquoted(settings), settings.size() + room));
      break;
    }
    default: {
      std::string& settings = settings_of(model, random);
      settings = with_absurd_number(settings, random);
    }
  }
}

/// The file taken apart. libFuzzer changes what it has just changed several times over, so the last
/// one is remembered.
struct TakenApart {
  std::string file;
  std::optional<ModelTensors> model;
};
TakenApart& last() {
  static TakenApart only;
  return only;
}

std::string changed(const std::string& file, std::size_t room, Random& random) {
  TakenApart& apart = last();
  if (apart.file != file) {
    apart = {file, tensors_of(parts_of(file))};
  }
  std::optional<ModelTensors>& model = apart.model;
  if (!model || model->tensors.empty() || model->metadata.empty() || random() % 8 == 0) {
    ModelParts whole = parts_of(file);
    whole.header = random() % 2 == 0 ? with_absurd_number(whole.header, random)
                                     : mutated(whole.header, whole.header.size() + room);
    return file_of(whole);
  }
  change_one_thing(*model, room, random);
  apart.file = file_of(parts_of(*model));
  return apart.file;
}

}  // namespace
}  // namespace heed::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  using namespace heed::fuzz;
  Random random(seed);
  if (random() % 16 == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  const std::string file = changed(text_of(data, size), most > size ? most - size : 0, random);
  if (file.size() > most) {
    return LLVMFuzzerMutate(data, size, most);
  }
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
