#include "heed/base/json.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "heed/base/utf8.h"

namespace heed {
namespace {

constexpr std::size_t most_depth = 64;

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  std::string take() { return std::move(out_); }

  void value(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::null:
        out_ += "null";
        break;
      case Json::Kind::boolean:
        out_ += *json.get<bool>() ? "true" : "false";
        break;
      case Json::Kind::integer:
        integer(json);
        break;
      case Json::Kind::number:
        number(*json.get<double>());
        break;
      case Json::Kind::text:
        text(*json.get<std::string>());
        break;
      case Json::Kind::array:
        array(*json.get<Json::Array>());
        break;
      case Json::Kind::object:
        object(*json.get<Json::Object>());
        break;
    }
  }

 private:
  void integer(const Json& json) {
    if (const auto* small = json.get<std::int64_t>()) {
      out_ += fmt::format("{}", *small);
    } else {
      out_ += fmt::format("{}", *json.get<std::uint64_t>());
    }
  }

  void number(double value) {
    require(std::isfinite(value), "json: saw {}, needs a finite number; JSON has no other", value);
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view shortest(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out_ += shortest;
    if (shortest.find_first_of(".e") == std::string_view::npos) {
      out_ += ".0";
    }
  }

  void text(std::string_view value) {
    out_ += '"';
    while (!value.empty()) {
      const std::size_t length = utf8_length(value);
      if (length == 0) {
        out_ += "\xEF\xBF\xBD";
        value.remove_prefix(1);
        continue;
      }
      if (length == 1) {
        letter(value[0]);
      } else {
        out_ += value.substr(0, length);
      }
      value.remove_prefix(length);
    }
    out_ += '"';
  }

  void letter(char c) {
    constexpr std::string_view special = "\"\\\b\f\n\r\t";
    constexpr std::string_view names = "\"\\bfnrt";
    const std::size_t place = special.find(c);
    if (place != std::string_view::npos) {
      out_ += '\\';
      out_ += names[place];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out_ += c;
    }
  }

  void array(const Json::Array& items) {
    open('[');
    for (const Json& item : items) {
      separate(&item == items.data());
      value(item);
    }
    close(']', items.empty());
  }

  void object(const Json::Object& members) {
    open('{');
    for (const Json::Member& member : members) {
      separate(&member == members.data());
      text(member.key);
      out_ += indent_ > 0 ? ": " : ":";
      value(member.value);
    }
    close('}', members.empty());
  }

  void open(char bracket) {
    require(++depth_ <= most_depth, "json: saw more than {} levels, needs fewer; make it flatter",
            most_depth);
    out_ += bracket;
  }
  void separate(bool first) {
    if (!first) {
      out_ += ',';
    }
    new_line();
  }
  void close(char bracket, bool empty) {
    --depth_;
    if (!empty) {
      new_line();
    }
    out_ += bracket;
  }
  void new_line() {
    if (indent_ > 0) {
      out_ += '\n';
      out_.append(depth_ * static_cast<std::size_t>(indent_), ' ');
    }
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

Json::Json() = default;
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(Truth truth) : value_(truth.value) {}
Json::Json(Whole whole) {
  if (whole.negative || std::in_range<std::int64_t>(whole.bits)) {
    value_ = static_cast<std::int64_t>(whole.bits);
  } else {
    value_ = whole.bits;
  }
}
Json::Json(double value) : value_(value) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(Array value) : value_(std::move(value)) {}

Json Json::array() { return {Array()}; }

Json Json::object() {
  Json made;
  made.value_ = Object();
  return made;
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

Json::Kind Json::kind() const {
  constexpr std::array<Kind, 8> kinds{Kind::null,   Kind::boolean, Kind::integer, Kind::integer,
                                      Kind::number, Kind::text,    Kind::array,   Kind::object};
  return kinds[value_.index()];
}

Json& Json::push(Json value) {
  auto* items = std::get_if<Array>(&value_);
  require(items != nullptr, "json: saw a push to something else, needs an array; start from one");
  items->push_back(std::move(value));
  return *this;
}

Json& Json::set(std::string_view key, Json value) {
  if (auto* members = std::get_if<Object>(&value_)) {
    for (Member& member : *members) {
      if (member.key == key) {
        member.value = std::move(value);
        return *this;
      }
    }
  }
  return append(std::string(key), std::move(value));
}

Json& Json::append(std::string key, Json value) {
  auto* members = std::get_if<Object>(&value_);
  require(members != nullptr, "json: saw a set on something else, needs an object; start from one");
  members->push_back(Member{std::move(key), std::move(value)});
  return *this;
}

std::string Json::write(int indent) const {
  Writer writer(indent);
  writer.value(*this);
  return writer.take();
}

}  // namespace heed
