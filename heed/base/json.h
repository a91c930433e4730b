// A JSON value: parsed under limits, written the same way every time. Read it through JsonReader
// (json_reader.h), whose typed getters check ranges and name the path of a fault.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "heed/base/error.h"

namespace heed {

struct JsonLimits {
  std::size_t most_bytes = 100'000'000;
  std::size_t most_depth = 64;
  std::size_t most_values = std::size_t{1} << 22;  // each costs about 40 bytes of memory
};

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;  // in the order they came; look-up is linear
  enum class Kind { null, boolean, integer, number, text, array, object };

  Json();
  // Out of line: users compile faster, and g++ 12 warns falsely where it inlines a variant's move.
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  // Implicit, so that literals read as JSON; a pointer must not become a bool.
  template <std::same_as<bool> Bool>
  Json(Bool value) : Json(Truth{value}) {}  // NOLINT
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value)  // NOLINT
      : Json(Whole{std::cmp_less(value, 0), static_cast<std::uint64_t>(value)}) {}
  Json(double value);            // NOLINT
  Json(std::string value);       // NOLINT
  Json(std::string_view value);  // NOLINT
  Json(const char* value);       // NOLINT
  Json(Array value);             // NOLINT
  static Json array();
  static Json object();

  Kind kind() const;
  bool operator==(const Json& other) const;

  /// Appends to an array.
  Json& push(Json value);
  /// Sets a member of an object; one that exists keeps its position.
  Json& set(std::string_view key, Json value);
  /// Like set, without the look-up: the caller knows that the key is new.
  Json& append(std::string key, Json value);

  /// The stored value, or null when it has another type. Integers are int64, and uint64 only above
  /// int64's range.
  template <class Type>
  const Type* get() const {
    return std::get_if<Type>(&value_);
  }

  /// The text: compact on one line, or indented by `indent` blanks a level. Members keep their order.
  /// A double becomes the shortest text that reads back to the same bits and to a double. Bytes that
  /// are not UTF-8 become U+FFFD. NaN and infinities are an Error, because JSON has none.
  std::string write(int indent = 0) const;

 private:
  struct Truth {
    bool value;
  };
  struct Whole {
    bool negative;
    std::uint64_t bits;
  };
  explicit Json(Truth truth);
  explicit Json(Whole whole);

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
};

struct Json::Member {
  std::string key;
  Json value;
  bool operator==(const Member&) const = default;
};

/// Reads one JSON text. Bad syntax (with line and column), duplicate keys and whatever exceeds the
/// limits are Errors, whose message begins with `who`, such as a file name.
Json parse_json(std::string_view text, std::string_view who, const JsonLimits& limits = {},
                Fault fault = Fault::file);

}  // namespace heed
