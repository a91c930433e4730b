// Model files in fewer bits: worked out by hand, and there and back.
#include "heed/model/file/quantised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "heed/base/error.h"
#include "tests/support/backends.h"

namespace heed::test::quantised_test {
namespace {

using ::testing::HasSubstr;

FileTensor matrix(const std::string& name, std::vector<int64_t> shape, std::vector<float> values) {
  return {name, DType::f32, std::move(shape),
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

std::vector<float> floats(const FileTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  tensor.bytes.read(0, reinterpret_cast<char*>(values.data()), tensor.bytes.size());
  return values;
}

std::vector<int> bytes(const FileTensor& tensor) {
  std::string text(tensor.bytes.size(), '\0');
  tensor.bytes.read(0, text.data(), text.size());
  std::vector<int> out;
  for (const char one : text) {
    out.push_back(static_cast<unsigned char>(one));
  }
  return out;
}

/// Rows with largest values 1.27 and 254, and one of zeros; a bias and a vocabulary.
SafetensorsFile example() {
  SafetensorsFile file;
  file.metadata["format"] = "heed 1";
  file.tensors = {matrix("w", {3, 2}, {1.27F, -0.014F, 254, 3, 0, 0}),
                  matrix("b", {2}, {0.1F, 0.2F}),
                  {"vocabulary.target", DType::u8, {3}, std::string("abc")}};
  return file;
}

TEST(Quantised, MatricesAreBytesWithAScaleForEachRow) {
  const SafetensorsFile small = in_precision(example(), Precision::int8, "test");
  ASSERT_EQ(small.tensors.size(), 4U);
  EXPECT_EQ(small.metadata, example().metadata);
  EXPECT_EQ(small.find("w")->type, DType::u8);
  EXPECT_EQ(small.find("w")->shape, (std::vector<int64_t>{3, 2}));
  // 1.27/0.01 = 127, −0.014/0.01 + ½ = −0.9 → −1;  254/2 = 127, 3/2 + ½ = 2 → 2;  zeros
  EXPECT_EQ(bytes(*small.find("w")), (std::vector<int>{255, 127, 255, 130, 128, 128}));
  const std::vector<float> scales = floats(*small.find("w.scale"));
  EXPECT_FLOAT_EQ(scales[0], 0.01F);
  EXPECT_FLOAT_EQ(scales[1], 2);
  EXPECT_EQ(scales[2], 0);
  EXPECT_EQ(floats(*small.find("b")), (std::vector<float>{0.1F, 0.2F}));
  EXPECT_EQ(bytes(*small.find("vocabulary.target")), (std::vector<int>{'a', 'b', 'c'}));
}

TEST(Quantised, WidensAgain) {
  const SafetensorsFile wide =
      in_precision(in_precision(example(), Precision::int8, "test"), Precision::f32, "test");
  ASSERT_EQ(wide.tensors.size(), 3U);
  const std::vector<float> values = floats(*wide.find("w"));
  EXPECT_FLOAT_EQ(values[0], 1.27F);
  EXPECT_FLOAT_EQ(values[1], -0.01F);
  EXPECT_FLOAT_EQ(values[3], 4);
  // What was quantised once loses nothing more.
  const SafetensorsFile again = in_precision(wide, Precision::int8, "test");
  EXPECT_EQ(bytes(*again.find("w")),
            bytes(*in_precision(example(), Precision::int8, "test").find("w")));
}

TEST(Quantised, Bf16HalvesMatrices) {
  const SafetensorsFile half = in_precision(example(), Precision::bf16, "test");
  EXPECT_EQ(half.find("w")->type, DType::bf16);
  EXPECT_EQ(half.find("w")->bytes.size(), 12U);
  EXPECT_EQ(half.find("b")->type, DType::f32);
  const float first = floats(*in_precision(half, Precision::f32, "test").find("w"))[0];
  EXPECT_NEAR(first, 1.27F, 1.27F / 256);
  EXPECT_NE(first, 1.27F);
}

TEST(Quantised, FillsATensor) {
  const SafetensorsFile small = in_precision(example(), Precision::int8, "test");
  for (const char* name : {"cpu", "reference", "far"}) {
    const Tensor to = Tensor::zeros({3, 2}, {&forced(name), DType::f32});
    fill_from_quantised(to, *small.find("w"), *small.find("w.scale"), "test");
    const auto values = to.values<float>();
    EXPECT_FLOAT_EQ(values[0], 1.27F);
    EXPECT_FLOAT_EQ(values[1], -0.01F);
    EXPECT_FLOAT_EQ(values[2], 254);
    EXPECT_EQ(values[4], 0);
  }
}

TEST(Quantised, FillsATensorOfManyRows) {
  // More than the 16384 values that are read at once. Row r is a multiple of r, with 127 r in it.
  const int64_t rows = 400;
  const int64_t width = 100;
  std::vector<float> values(rows * width);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto row = static_cast<float>(i / width + 1);
    values[i] = row * (i % width == 0 ? 127.0F : static_cast<float>(i % 101) - 50);
  }
  SafetensorsFile file;
  file.tensors = {matrix("w", {rows, width}, values)};
  const SafetensorsFile small = in_precision(file, Precision::int8, "test");
  for (const char* name : {"cpu", "reference", "far"}) {
    const Tensor to = Tensor::zeros({rows, width}, {&forced(name), DType::f32});
    fill_from_quantised(to, *small.find("w"), *small.find("w.scale"), "test");
    EXPECT_EQ(to.values<float>(), values) << name;  // whole numbers times the row's scale
  }
}

std::string fault_of(const FileTensor& from, const FileTensor& scale) {
  const Tensor to = Tensor::zeros({3, 2}, {&forced("cpu"), DType::f32});
  try {
    fill_from_quantised(to, from, scale, "test");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "nothing failed";
}

TEST(Quantised, RefusesScalesThatDoNotFit) {
  const SafetensorsFile small = in_precision(example(), Precision::int8, "test");
  const FileTensor& w = *small.find("w");
  EXPECT_THAT(fault_of(w, matrix("w.scale", {2}, {1, 1})), HasSubstr("do not fit"));
  EXPECT_THAT(fault_of(w, matrix("w.scale", {3, 1}, {1, 1, 1})), HasSubstr("do not fit"));
  EXPECT_THAT(fault_of(w, matrix("w.scale", {3}, {1, NAN, 1})), HasSubstr("not finite"));
  EXPECT_THAT(
      fault_of({"w", DType::u8, {2, 3}, std::string("abcdef")}, matrix("w.scale", {2}, {1, 1})),
      HasSubstr("do not fit"));
}

TEST(Quantised, ACheckpointStaysWhole) {
  SafetensorsFile file = example();
  file.tensors.push_back(matrix("optimiser.m.w", {3, 2}, {0, 0, 0, 0, 0, 0}));
  EXPECT_THROW(in_precision(file, Precision::bf16, "test"), Error);
}

}  // namespace
}  // namespace heed::test::quantised_test
