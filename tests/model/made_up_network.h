// A network of six layers with numbers that can be worked out by hand, as the contents of its file.
//
//   a = W x + (0, ½), 3 → 2 channels       d = relu6(a ⊙ (2, −4))       s = a + d
//   b = relu(3 × 3 cells of s, by a stride of 2)       pool = mean s      top = W pool + (¼, 0)
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "heed/model/file/safetensors.h"

namespace heed::test {

inline FileTensor numbers_in_file(const std::string& name, const std::vector<int64_t>& shape,
                                  const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {name, DType::f32, shape, bytes};
}

inline SafetensorsFile made_up_network() {
  SafetensorsFile file;
  file.metadata["padding"] = "TF SAME";
  file.metadata["input"] = "RGB, NCHW, x = pixel/127.5 - 1";
  file.metadata["layers"] =
      R"([{"name":"a","op":"conv","src":["input"],"cin":3,"cout":2,"k":1,"stride":1,"act":"none"},)"
      R"({"name":"d","op":"dwconv","src":["a"],"cin":2,"cout":2,"k":1,"stride":1,"act":"relu6"},)"
      R"({"name":"s","op":"add","src":["a","d"]},)"
      R"({"name":"b","op":"conv","src":["s"],"cin":2,"cout":1,"k":3,"stride":2,"act":"relu"},)"
      R"({"name":"pool","op":"gap","src":["s"]},)"
      R"({"name":"top","op":"linear","src":["pool"],"cin":2,"cout":2,"k":1,"stride":1,"act":"none"}])";
  // The cells of b's window that lie in the padding have a weight of 1000.
  file.tensors = {
      numbers_in_file("a.weight", {2, 3, 1, 1}, {1, 0, 0, 0, 1, -1}),
      numbers_in_file("a.bias", {2}, {0, 0.5F}),
      numbers_in_file("d.weight", {2, 1, 1, 1}, {2, -4}),
      numbers_in_file("d.bias", {2}, {0, 0}),
      numbers_in_file(
          "b.weight", {1, 2, 3, 3},
          {1, 2, 1000, 3, 4, 1000, 1000, 1000, 1000, 1, 0, 1000, 0, 10, 1000, 1000, 1000, 1000}),
      numbers_in_file("b.bias", {1}, {-1}),
      numbers_in_file("top.weight", {2, 2}, {1, 2, 0, -1}),
      numbers_in_file("top.bias", {2}, {0.25F, 0}),
  };
  return file;
}

}  // namespace heed::test
