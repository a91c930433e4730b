// Another toolkit's tensors under heed's names. Nothing is copied.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "heed/import/weight_table.h"

namespace heed {

class RenamedTensors {
 public:
  /// `who` names where they are from.
  RenamedTensors(WeightTable table, std::string who);

  bool has(const std::string& theirs) const { return named_.count(theirs) > 0; }
  /// Takes the first of these tensors that is there under heed's name. Fault::file if none is there, or
  /// if its shape is another than the settings of its model imply.
  void take(const std::string& ours, std::initializer_list<std::string> theirs,
            const std::vector<std::int64_t>& shape);
  /// The same; those of them that are there must be equal.
  void take_tied(const std::string& ours, std::initializer_list<std::string> theirs,
                 const std::vector<std::int64_t>& shape);
  /// Whether both are there, and equal.
  bool are_equal(const std::string& one, const std::string& other) const;
  /// The same of weight [out, in] and bias [out].
  void take_linear(const std::string& ours, const std::string& theirs, std::int64_t out,
                   std::int64_t in);
  /// The same of weight and bias [width].
  void take_norm(const std::string& ours, const std::string& theirs, std::int64_t width);

  /// The tensor of one of their names.
  const FileTensor& at(const std::string& theirs) const;

  std::vector<FileTensor> taken = {};

 private:
  WeightTable table_;
  std::string who_;
  std::map<std::string, const FileTensor*> named_;
};

}  // namespace heed
