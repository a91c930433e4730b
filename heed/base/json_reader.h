// Typed, range-checked access to a parsed JSON value. Every fault is reported with its dotted path:
//
//   model.safetensors: encoder.shape[2]: saw -1, needs a whole number from 0 to 1099511627776
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"

namespace heed {

/// One value inside a Json, which must outlive the reader. A number that does not fit is an Error;
/// it is never wrapped or rounded. A reader costs little, because its path is looked for only when a
/// fault names it.
class JsonReader {
 public:
  struct Member;

  JsonReader(const Json& root, std::string_view who, Fault fault = Fault::file)
      : root_(&root),
        value_(&root),
        who_(std::make_shared<const std::string>(who)),
        fault_(fault) {}
  JsonReader(Json&&, std::string_view, Fault = Fault::file) = delete;

  const Json& value() const { return *value_; }
  Json::Kind kind() const { return value_->kind(); }
  bool is_null() const { return kind() == Json::Kind::null; }
  /// "encoder.shape[2]"; empty at the root.
  std::string path() const;

  bool boolean() const;
  std::int64_t integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// For 64-bit seeds and the like, which may exceed int64.
  std::uint64_t natural(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  /// An integer counts as a number.
  double number(double least = std::numeric_limits<double>::lowest(),
                double most = std::numeric_limits<double>::max()) const;
  const std::string& text() const;

  /// How many items or members an array or object has.
  std::size_t size() const;
  JsonReader at(std::size_t index) const;
  /// A member that must be there.
  JsonReader at(std::string_view key) const;
  /// A member that may be there.
  std::optional<JsonReader> find(std::string_view key) const;
  std::vector<JsonReader> items() const;
  std::vector<Member> members() const;

  /// Refuses an object with any other members than these; the Error suggests a spelling.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  /// Throws `who: path: saw …, needs <needs>`, for checks that callers make.
  [[noreturn]] void refuse(std::string_view needs) const;

 private:
  JsonReader(const JsonReader& parent, const Json& value) : JsonReader(parent) { value_ = &value; }
  std::string where() const;
  const Json::Object& object() const;

  const Json* root_;
  const Json* value_;  // somewhere in it
  std::shared_ptr<const std::string> who_;
  Fault fault_;
};

struct JsonReader::Member {
  std::string key;
  JsonReader value;
};

}  // namespace heed
