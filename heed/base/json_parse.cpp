// parse_json: nlohmann's parser gives the events, this file builds the value and checks the limits.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/json.h"

namespace heed {
namespace {

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, std::string_view who, const JsonLimits& limits, Fault fault)
      : text_(text), who_(who), limits_(limits), fault_(fault) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column =
        1 + before.size() - (start == std::string_view::npos ? 0 : start + 1);
    fail(fault_, "{}:{}:{}: {}; check the text there", who_, line, column,
         position > text_.size() ? "the JSON ends too early" : "this is not JSON");
  }

 private:
  struct Open {
    Json value;
    std::string key;
  };

  static std::string shortened(const std::string& text) {
    return text.size() <= 60 ? text : text.substr(0, 60) + "...";
  }

  void count_value() {
    if (++values_ > limits_.most_values) {
      fail(fault_, "{}: it has more than {} values; split it", who_, limits_.most_values);
    }
  }

  bool add(Json value) {
    count_value();
    place(std::move(value));
    return true;
  }

  void place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.kind() == Json::Kind::array) {
      open_.back().value.push(std::move(value));
    } else {
      // set() would look the key up again, and the whole would take quadratic time.
      open_.back().value.append(std::move(open_.back().key), std::move(value));
    }
  }

  bool open(Json value) {
    count_value();
    if (open_.size() >= limits_.most_depth) {
      fail(fault_, "{}: it has more than {} levels; make it flatter", who_, limits_.most_depth);
    }
    open_.push_back(Open{std::move(value), {}});
    return true;
  }

  /// Keys are compared once their object is whole: few of them with one another, and many by sorted
  /// pointers, which need less memory than a set of copies.
  void check_keys(const Json::Object& members) const {
    constexpr std::size_t few = 8;
    if (members.size() > few) {
      check_many_keys(members);
      return;
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (members[i].key == members[j].key) {
          refuse_twice(members[i].key);
        }
      }
    }
  }

  void check_many_keys(const Json::Object& members) const {
    std::vector<const std::string*> keys;
    keys.reserve(members.size());
    for (const Json::Member& member : members) {
      keys.push_back(&member.key);
    }
    const auto is_less = [](const std::string* a, const std::string* b) { return *a < *b; };
    const auto is_same = [](const std::string* a, const std::string* b) { return *a == *b; };
    std::sort(keys.begin(), keys.end(), is_less);
    const auto twice = std::adjacent_find(keys.begin(), keys.end(), is_same);
    if (twice != keys.end()) {
      refuse_twice(**twice);
    }
  }

  [[noreturn]] void refuse_twice(const std::string& key) const {
    fail(fault_, "{}: the key \"{}\" appears twice; remove one", who_, shortened(key));
  }

  bool close() {
    if (const auto* members = open_.back().value.get<Json::Object>()) {
      check_keys(*members);
    }
    Json done = std::move(open_.back().value);
    open_.pop_back();
    place(std::move(done));
    return true;
  }

  std::string_view text_;
  std::string_view who_;
  JsonLimits limits_;
  Fault fault_;
  std::size_t values_ = 0;
  std::vector<Open> open_;
  Json root_;
};

}  // namespace

Json parse_json(std::string_view text, std::string_view who, const JsonLimits& limits,
                Fault fault) {
  if (text.size() > limits.most_bytes) {
    fail(fault, "{}: {} bytes of JSON are more than the {} that can be read; split it", who,
         text.size(), limits.most_bytes);
  }
  Builder builder(text, who, limits, fault);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace heed
