// The tensors of a state_dict, a table of names and tensors that torch.save wrote. A tensor is a call of
// torch._utils._rebuild_tensor_v2(storage, offset, size, stride, …), and a storage is what lies outside
// the pickle: ('storage', torch.FloatStorage, key, …, elements).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "heed/import/pickle.h"
#include "heed/import/weight_table.h"

namespace heed {

/// What a pickle says of a storage.
struct TorchStorage {
  std::string key;
  std::string type;  // "FloatStorage"
  std::uint64_t elements = 0;
  std::uint64_t width = 0;  // of an element, in bytes
};

/// What this node says; Fault::file where it is no storage.
TorchStorage storage_of(const Pickle& pickle, Pickle::Node node, const std::string& who);

/// Gives the bytes of a storage, which has as many as it says.
using StorageBytes = std::function<FileBytes(const TorchStorage& storage)>;

/// The table at the root of the pickle. Offsets, sizes and strides are compared with the storage.
WeightTable torch_tensors(const Pickle& pickle, const std::string& who, const StorageBytes& bytes);

}  // namespace heed
