#include "heed/model/file/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/sha256.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/data/fields.h"
#include "heed/model/file/file_tensor.h"
#include "heed/nn/precision.h"
#include "heed/ops/cast.h"
#include "heed/text/token_counter.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::model_file_test {
namespace {

using ::testing::HasSubstr;

Place here() { return {&test::forced("reference"), DType::f32}; }

constexpr const char* small = R"({"embedding": 3, "encoder": {"kind": "bag"}, "decoder":
  {"kind": "attend_first", "width": 3, "embedding": 3}})";

TrainedModel small_trained_model(const std::string& more = "{}", const Place& place = here()) {
  const std::vector<std::string> source = {"a b c", "b c"};
  const std::vector<std::string> target = {"x y z", "y"};
  TrainedModel trained;
  trained.fields = FieldChoice().made();
  trained.fields.source->set_vocabulary(
      std::make_shared<const Vocabulary>(learn_vocabulary("words", source)));
  trained.fields.target->set_vocabulary(
      std::make_shared<const Vocabulary>(learn_vocabulary("words", target)));
  trained.about = {{"task", "test"}, {"licence", "none"}};
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(small, "test"));
  apply(*trained.model, parse_json(more, "test"));
  Init init(place, 7);
  trained.model->build(trained.fields, init);
  return trained;
}

void expect_same(const TrainedModel& a, const TrainedModel& b) {
  const auto ours = parameters_of(*a.model);
  const auto theirs = parameters_of(*b.model);
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].name, theirs[i].name);
    EXPECT_TRUE(test::same_bits(*ours[i].tensor, *theirs[i].tensor)) << ours[i].name;
  }
  EXPECT_EQ(a.fields.source->vocabulary().to_bytes(), b.fields.source->vocabulary().to_bytes());
  EXPECT_EQ(a.fields.target->vocabulary().to_bytes(), b.fields.target->vocabulary().to_bytes());
  EXPECT_EQ(a.about, b.about);
}

std::string refusal(const std::function<void(SafetensorsFile&)>& spoil) {
  SafetensorsFile file = model_contents(small_trained_model());
  spoil(file);
  try {
    model_from(file, here(), "m.safetensors");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("m.safetensors"));
    return error.what();
  }
  return "";
}

TEST(ModelFile, AModelThatServesIsNotSaved) {
  const ScratchDirectory scratch;
  const TrainedModel trained = small_trained_model();
  serve(*trained.model, Precision::int8);
  EXPECT_THAT([&] { save_model(scratch / "m.safetensors", trained); },
              ::testing::ThrowsMessage<Error>(HasSubstr("load the model anew")));
}

TEST(ModelFile, HoldsEverythingThatUsingItNeeds) {
  const ScratchDirectory scratch;
  const TrainedModel trained = small_trained_model();
  save_model(scratch / "m.safetensors", trained);
  expect_same(load_model(scratch / "m.safetensors", here()), trained);
}

TEST(ModelFile, BlankParametersAreMadeWithoutDrawing) {
  Model model;
  apply(model, parse_json(R"({"encoder": {"kind": "gru", "width": 4}})", "test"));
  Init init = Init::blank(here());
  model.build(RowForm::ids(5), RowForm::ids(5), init);
  for (const NamedParameter& parameter : parameters_of(model)) {
    EXPECT_TRUE(parameter.tensor->needs_gradient());
    for (const double value : parameter.tensor->values()) {
      EXPECT_TRUE(value == 0 || value == 1) << parameter.name;  // gains and biases are no draws
    }
  }
}

TEST(ModelFile, SameContentsSameBytes) {
  const std::string bytes = format_safetensors(model_contents(small_trained_model()));
  EXPECT_EQ(format_safetensors(model_contents(small_trained_model())), bytes);
  const TrainedModel loaded = model_from(parse_safetensors(bytes, "test"), here(), "test");
  EXPECT_EQ(format_safetensors(model_contents(loaded)), bytes);
}

TEST(ModelFile, GoesBetweenElementTypes) {
  const Place precise = here().with(DType::f64);
  const TrainedModel in_double = small_trained_model("{}", precise);
  const TrainedModel loaded = model_from(model_contents(in_double), here(), "test");
  EXPECT_EQ(loaded.model->place(), here());
  const TrainedModel back = model_from(model_contents(loaded), precise, "test");
  EXPECT_EQ(distinct_parameters_of(*back.model).front().tensor->values<float>(),
            distinct_parameters_of(*in_double.model).front().tensor->values<float>());
}

TEST(ModelFile, WeightsMayBeStoredInHalves) {
  const TrainedModel trained = small_trained_model();
  for (const DType half : {DType::bf16, DType::f16}) {
    SafetensorsFile file = model_contents(trained);
    for (const NamedParameter& parameter : distinct_parameters_of(*trained.model)) {
      const auto found = std::find_if(file.tensors.begin(), file.tensors.end(),
                                      [&](const auto& t) { return t.name == parameter.name; });
      *found = file_tensor(parameter.name, cast(parameter.tensor->detached(), half));
      EXPECT_EQ(found->type, half);
    }
    const SafetensorsFile read = parse_safetensors(format_safetensors(file), "halves");
    const TrainedModel loaded = model_from(read, here(), "halves");
    const auto ours = distinct_parameters_of(*loaded.model);
    const auto theirs = distinct_parameters_of(*trained.model);
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].tensor->values(), cast(theirs[i].tensor->detached(), half).values());
    }
  }
}

TEST(ModelFile, TiedParametersAreSavedOnceAndOneVocabularyToo) {
  TrainedModel trained = small_trained_model();
  trained.fields.target->set_vocabulary(trained.fields.source->shared_vocabulary());
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(small, "test"));
  apply(*trained.model, parse_json(R"({"share_embeddings": true})", "test"));
  Init init(here(), 7);
  trained.model->build(trained.fields, init);
  const SafetensorsFile file = model_contents(trained);
  EXPECT_EQ(file.tensors.size(), distinct_parameters_of(*trained.model).size() + 1);
  EXPECT_LT(distinct_parameters_of(*trained.model).size(), parameters_of(*trained.model).size());
  EXPECT_NE(file.find("vocabulary.shared"), nullptr);
  EXPECT_NE(file.metadata.at("aliases"), "{}");
  const TrainedModel loaded = model_from(file, here(), "test");
  expect_same(loaded, trained);
  EXPECT_TRUE(loaded.fields.shares_vocabulary());
  EXPECT_EQ(distinct_parameters_of(*loaded.model).size(),
            distinct_parameters_of(*trained.model).size());
}

TEST(ModelFile, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal([](SafetensorsFile&) {}), "");
  EXPECT_THAT(refusal([](auto& f) { f.metadata["format"] = "heed 9"; }), HasSubstr("heed 9"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata.erase("format"); }), HasSubstr("format"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata.erase("config"); }), HasSubstr("config"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata["config"] = "{"; }), HasSubstr("config"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata["config"] = R"({"embeding": 3})"; }),
              HasSubstr("embedding"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata["config"] = R"({"encoder": "gruu"})"; }),
              HasSubstr("gruu"));
  EXPECT_THAT(refusal([](auto& f) { f.metadata["aliases"] = R"({"a":"b"})"; }), HasSubstr("tied"));
  const auto first = [](SafetensorsFile& f) -> FileTensor& { return f.tensors.front(); };
  EXPECT_THAT(refusal([](auto& f) { f.tensors.erase(f.tensors.begin()); }),
              HasSubstr("incomplete"));
  EXPECT_THAT(refusal([&](auto& f) { first(f).name += "x"; }), HasSubstr("x"));
  EXPECT_THAT(refusal([](auto& f) {
                f.tensors.push_back({"extra", DType::u8, {0}, ""});
              }),
              HasSubstr("extra"));
  EXPECT_THAT(refusal([&](auto& f) { first(f).shape.insert(first(f).shape.begin(), 1); }),
              HasSubstr("shape"));
  EXPECT_THAT(refusal([&](auto& f) {
                const float bad = std::numeric_limits<float>::infinity();
                std::string spoilt = first(f).bytes.text();
                std::memcpy(spoilt.data(), &bad, sizeof bad);
                first(f).bytes = spoilt;
              }),
              HasSubstr("not finite"));
  EXPECT_THAT(refusal([](auto& f) { f.tensors.back().bytes = "what?"; }), HasSubstr("vocabulary"));
  EXPECT_THAT(refusal([](auto& f) { f.tensors.pop_back(); }), HasSubstr("vocabulary.target"));
}

TEST(ModelFile, PassesOverWhatItIsToldTo) {
  SafetensorsFile file = model_contents(small_trained_model());
  file.tensors.push_back({"optimiser.first", DType::u8, {0}, ""});
  EXPECT_THROW(model_from(file, here(), "test"), Error);
  expect_same(model_from(file, here(), "test", "optimiser."), small_trained_model());
}

TEST(ModelFile, WeightsThatAreNotFiniteAreNotSaved) {
  const ScratchDirectory scratch;
  const TrainedModel trained = small_trained_model();
  const Tensor& weight = *distinct_parameters_of(*trained.model).front().tensor;
  weight.backend().fill(weight.view(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(save_model(scratch / "m.safetensors", trained), Error);
  EXPECT_FALSE(file_exists(scratch / "m.safetensors"));
}

/// Whether a file of these bytes loads; if not, the Error must be a fault of the file.
bool loads(const std::string& bytes) {
  try {
    model_from(parse_safetensors(bytes, "m"), here(), "m");
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file) << error.what();
    EXPECT_THAT(error.what(), ::testing::StartsWith("m:"));
    return false;
  }
}

/// As the safetensors tests do, through the whole of loading: every length, and every byte with one
/// bit, with all bits and with some bits changed.
TEST(ModelFile, EveryTruncationAndChangedByteIsRefused) {
  std::string bytes = format_safetensors(model_contents(small_trained_model()));
  ASSERT_TRUE(loads(bytes));
  std::mt19937 random(1);
  for (size_t i = 0; i < bytes.size(); ++i) {
    ASSERT_FALSE(loads(bytes.substr(0, i))) << i;
    for (const unsigned change : {1U << i % 8, 0xFFU, 1U + static_cast<unsigned>(random() % 254)}) {
      const char right = bytes[i];
      bytes[i] = static_cast<char>(static_cast<unsigned char>(right) ^ change);
      ASSERT_FALSE(loads(bytes)) << i << " by " << change;
      bytes[i] = right;
    }
  }
  EXPECT_FALSE(loads(bytes + '\0'));
  EXPECT_FALSE(loads(bytes + bytes));
  EXPECT_TRUE(loads(bytes));
}

/// The hash of a file this large is computed while the weights are read.
TEST(ModelFile, ALargeDamagedFileIsCalledDamagedWhateverElseIsWrong) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "m.safetensors";
  const TrainedModel trained = small_trained_model(R"({"decoder": {"embedding": 600}})");
  save_model(path, trained);
  expect_same(load_model(path, here()), trained);
  const std::string bytes = read_file(path);
  ASSERT_GT(bytes.size(), size_t{1} << 20);
  const auto refusal_of = [&path](const std::string& changed) -> std::string {
    write_atomically(path, changed);
    try {
      load_model(path, here());
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::file);
      return error.what();
    }
    return "";
  };
  std::string spoilt = bytes;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(spoilt.data() + bytes.size() / 8 * 4, &bad, sizeof bad);
  EXPECT_THAT(refusal_of(spoilt), HasSubstr("do not match their sha256"));
  spoilt = bytes;
  spoilt[bytes.size() / 2] ^= 1;
  EXPECT_THAT(refusal_of(spoilt), HasSubstr("do not match their sha256"));
  EXPECT_EQ(refusal_of(bytes), "");
}

/// The bytes with a hash that fits them.
std::string sealed_again(std::string bytes) {
  const std::string before = "\"sha256\":\"";
  const size_t at = bytes.find(before);
  if (at != std::string::npos && at + before.size() + 64 <= bytes.size()) {
    bytes.replace(at + before.size(), 64, std::string(64, '0'));
    bytes.replace(at + before.size(), 64, sha256_hex(bytes));
  }
  return bytes;
}

/// Changes made on purpose by somebody who knows the format: other weights load, everything else is
/// refused with a message, and nothing crashes.
TEST(ModelFile, WhatWasChangedOnPurposeIsCheckedToo) {
  std::string bytes = format_safetensors(model_contents(small_trained_model()));
  EXPECT_EQ(sealed_again(bytes), bytes);
  std::mt19937 random(2);
  size_t loaded = 0;
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned change : {1U << i % 8, 1U + static_cast<unsigned>(random() % 255)}) {
      const char right = bytes[i];
      bytes[i] = static_cast<char>(static_cast<unsigned char>(right) ^ change);
      ++(loads(sealed_again(bytes)) ? loaded : refused);
      bytes[i] = right;
    }
  }
  EXPECT_GT(loaded, bytes.size() / 10);
  EXPECT_GT(refused, bytes.size() / 10);
}

/// A copy of the first tensor in another type, its first value replaced.
template <class T>
FileTensor first_as(const FileTensor& tensor, DType type, T value) {
  std::vector<T> values(tensor.bytes.size() / sizeof(float), T(1));
  values.front() = value;
  return {tensor.name, type, tensor.shape,
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}

TEST(ModelFile, WeightsHaveTypesOfWeightsAndAreFiniteAsTheyAreUsed) {
  EXPECT_EQ(refusal([](auto& f) {
              f.tensors.front() = first_as<double>(f.tensors.front(), DType::f64, 3e38);
            }),
            "");
  EXPECT_THAT(refusal([](auto& f) {
                f.tensors.front() = first_as<double>(f.tensors.front(), DType::f64, 1e300);
              }),
              HasSubstr("not finite as f32"));
  EXPECT_THAT(refusal([](auto& f) {
                f.tensors.front() = first_as<int32_t>(f.tensors.front(), DType::i32, 1);
              }),
              HasSubstr("stored as i32, not f32, f64, bf16 or f16"));
  EXPECT_THAT(refusal([](auto& f) {
                f.tensors.front() = first_as<uint8_t>(f.tensors.front(), DType::u8, 1);
              }),
              HasSubstr("weight.scale, which its configuration needs"));
}

/// Memory is taken for what a file holds, not for what its settings say.
TEST(ModelFile, SettingsThatNeedMoreThanTheFileHoldsTakeNoMemory) {
  CachingAllocator& allocator = here().backend->allocator();
  const SafetensorsFile whole = model_contents(small_trained_model());
  allocator.trim();
  allocator.reset_peak();
  const int64_t before = allocator.statistics().peak_bytes;
  for (const char* huge :
       {R"({"embedding": 65536})", R"({"encoder": {"kind": "lstm", "width": 65536}})",
        R"({"decoder": {"kind": "attend_first", "width": 65536}})",
        R"({"encoder": {"kind": "transformer", "depth": 256}})",
        R"({"encoder": {"kind": "cnn", "width": 65536, "kernel": 65535}})"}) {
    const std::string refused = refusal([&](SafetensorsFile& file) {
      Model model;
      apply(model, parse_json(small, "test"));
      apply(model, parse_json(huge, "test"));
      file.metadata["config"] = config_of(model).write();
    });
    EXPECT_THAT(refused, HasSubstr("config: its settings need"));
  }
  EXPECT_LE(allocator.statistics().peak_bytes - before, 1 << 20);
}

}  // namespace
}  // namespace heed::model_file_test
