// The fields of a request, wherever they are: a JSON body, a query or a form. They are settings of what is
// described (heed/config), so all that is wrong with them is reported at once, with path and suggestion.
#pragma once

#include <string>
#include <vector>

#include "heed/config/described.h"
#include "heed/http/request.h"

namespace heed {

/// Parameters as a tree that `apply` reads: "5" is a number where the setting is one, and a name that comes
/// several times is a list. What is no value of its setting stays a text, which the setting refuses.
Json tree_of(const HttpParameters& parameters, Described& described);

/// Throws a SettingError with one fault.
[[noreturn]] void refuse_field(std::string path, std::string message);

/// A field, for documents.
struct FieldHelp {
  std::string name;
  Json schema;  // as OpenAPI 3.1 has it: type, minimum, maximum, enum, default, description
};
std::vector<FieldHelp> fields_of(Described& described);

/// Help that names options of the command line, with the names of fields in their place.
std::string in_field_names(const std::string& help);

/// Describes all of `described` and of its children as if it were one table, and lowers what its whole
/// numbers may be at most.
class FlatDescriber : public Describer {
 public:
  struct Cap {
    std::string name;
    int64_t most;
  };
  FlatDescriber(Describer& to, std::vector<Cap> caps, std::vector<std::string> left_out)
      : to_(&to), caps_(std::move(caps)), left_out_(std::move(left_out)) {}

  using Describer::setting;
  void setting(const char* name, Setting& setting) override;
  void child(const std::string& name, Described& child) override;

 private:
  Describer* to_;
  std::vector<Cap> caps_;
  std::vector<std::string> left_out_;
};

}  // namespace heed
