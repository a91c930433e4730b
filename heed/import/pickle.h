// A pickle: the program for a small stack machine as which Python writes objects (protocol 2). It is
// read, and nothing is executed: a name is two words and is never looked up, a call is a record of
// what was to be called, and the opcodes that torch.save writes are the only ones there are. Values are
// numbers of nodes in one list, so that a value which contains itself, or another a million times, costs
// nothing and needs no recursion. Sizes are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class Pickle {
 public:
  using Node = std::uint32_t;

  enum class Kind : std::uint8_t {
    none,
    truth,       // `whole` is 0 or 1
    whole,       // `whole`
    real,        // nothing of it is kept
    text,        // `text`: UTF-8, or the bytes of a large number
    name,        // `text` is the module, `name` is the name
    tuple,       // `items`
    list,        // `items`
    dictionary,  // `items`: key, value, key, value, …
    call,        // `items`: what was to be called, and its arguments
    outside,     // `items`: one, which says what lies outside the pickle
  };

  struct Value {
    Kind kind = Kind::none;
    std::int64_t whole = 0;
    std::string_view text = {};
    std::string_view name = {};
    std::vector<Node> items = {};
  };

  static constexpr std::size_t most_bytes = std::size_t{1} << 24;
  static constexpr std::size_t most_values = std::size_t{1} << 18;
  static constexpr std::size_t most_items = std::size_t{1} << 21;  // of all values together

  /// Reads up to the end of the first pickle in `bytes`, which must outlive it.
  Pickle(std::string_view bytes, const std::string& who);

  /// The number of bytes that it has.
  std::size_t size() const { return size_; }
  Node root() const { return root_; }
  std::size_t count() const { return values_.size(); }
  const Value& at(Node node) const { return values_[node]; }

  bool is_text(Node node, std::string_view text) const {
    return at(node).kind == Kind::text && at(node).text == text;
  }
  bool is_name(Node node, std::string_view module, std::string_view name) const {
    return at(node).kind == Kind::name && at(node).text == module && at(node).name == name;
  }
  /// Whether this is a call of the function of that name, with at least so many arguments.
  bool calls(Node node, std::string_view module, std::string_view name, std::size_t least) const;
  /// What it is, for people: "a list", "a call of os.system".
  std::string described(Node node) const;

 private:
  class Machine;

  std::vector<Value> values_;
  Node root_ = 0;
  std::size_t size_ = 0;
};

}  // namespace heed
