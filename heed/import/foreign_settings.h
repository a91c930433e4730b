// The settings of another toolkit's model. Every one that is there must be asked for: a setting of which
// nothing is known may change what the model says, so it is refused by its name.
#pragma once

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "heed/base/json_reader.h"

namespace heed {

class ForeignSettings {
 public:
  /// `settings` must outlive it and be an object; `who` names its file.
  ForeignSettings(const Json& settings, const std::string& who);

  /// The setting; nothing if it is not there or null.
  std::optional<JsonReader> find(std::string_view name);
  /// The setting; Fault::file if it is not there and has no default.
  std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most,
                     std::optional<std::int64_t> usual = {});
  double number(std::string_view name, double least, double most, double usual);
  bool flag(std::string_view name, bool usual);
  std::string text(std::string_view name, std::string_view usual);

  /// Refuses any other value than this one; null and an empty list are as if it were not there.
  void must_be(std::string_view name, const Json& value);
  /// Says that heed does not know what this setting says, which is there.
  [[noreturn]] void refuse(std::string_view name) const;
  /// Settings that do not change what the model says, or that are read elsewhere.
  void ignore(std::initializer_list<std::string_view> names);
  /// Refuses what nobody asked for.
  void finish() const;

 private:
  JsonReader all_;
  std::string who_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace heed
