#include "heed/import/pickle.h"

#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/utf8.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

/// What torch.save writes, by the names of pickletools.
enum class Opcode : std::uint8_t {
  mark = '(',
  stop = '.',
  none = 'N',
  true_value = 0x88,
  false_value = 0x89,
  int4 = 'J',
  int1 = 'K',
  int2 = 'M',
  long1 = 0x8a,
  float8 = 'G',
  unicode = 'X',
  string1 = 'U',
  string4 = 'T',
  empty_list = ']',
  append = 'a',
  appends = 'e',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  empty_dictionary = '}',
  set_item = 's',
  set_items = 'u',
  global = 'c',
  reduce = 'R',
  build = 'b',
  new_object = 0x81,
  outside = 'Q',
  put1 = 'q',
  put4 = 'r',
  get1 = 'h',
  get4 = 'j',
  protocol = 0x80,
};

constexpr std::size_t longest_pickled_name = 4096;

}  // namespace

class Pickle::Machine {
 public:
  Machine(std::string_view bytes, const std::string& who, std::vector<Value>& values)
      : bytes_(bytes.substr(0, most_bytes)), who_(who), values_(values) {}

  Node run() {
    while (true) {
      opcode_at_ = at_;
      const auto opcode = static_cast<Opcode>(number(1));
      if (opcode == Opcode::stop) {
        return pop();
      }
      obey(opcode);
    }
  }
  std::size_t position() const { return at_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    fail(Fault::file, "{}: {} at byte {} of its pickle; save the tensors as safetensors", who_, why,
         opcode_at_);
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      if (bytes_.size() == most_bytes) {
        refuse(fmt::format("there are more than {} bytes", std::size_t{most_bytes}));
      }
      refuse("the end comes too early");
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  std::uint64_t number(std::size_t count) {
    const std::string_view bytes = take(count);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return value;
  }
  std::string_view line() {
    const std::size_t length = bytes_.substr(at_, longest_pickled_name).find('\n');
    if (length == std::string_view::npos) {
      refuse("a name has no end");
    }
    const std::string_view text = take(length + 1);
    return text.substr(0, length);
  }

  void push(Value value) {
    count_items(value.items.size());
    if (values_.size() == most_values) {
      refuse(fmt::format("there are more than {} values", std::size_t{most_values}));
    }
    stack_.push_back(static_cast<Node>(values_.size()));
    values_.push_back(std::move(value));
  }
  void count_items(std::size_t more) {
    items_ += more;
    if (items_ > most_items || stack_.size() > most_items) {
      refuse(fmt::format("there are more than {} items", std::size_t{most_items}));
    }
  }
  /// The values above the last mark, or above the bottom.
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Node pop() {
    if (stack_.size() <= floor()) {
      refuse("a value is missing");
    }
    const Node top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<Node> pop_last(std::size_t count) {
    if (stack_.size() - floor() < count) {
      refuse("a value is missing");
    }
    std::vector<Node> last(stack_.end() - static_cast<std::ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return last;
  }
  std::vector<Node> pop_to_mark() {
    if (marks_.empty()) {
      refuse("a mark is missing");
    }
    std::vector<Node> above = pop_last(stack_.size() - marks_.back());
    marks_.pop_back();
    return above;
  }

  void add(std::vector<Node> items, Kind to) {
    const Node owner = pop();
    stack_.push_back(owner);
    Value& value = values_[owner];
    if (value.kind == Kind::call) {  // an object whose own function would take them
      return;
    }
    if (value.kind != to || (to == Kind::dictionary && items.size() % 2 != 0)) {
      refuse("items are added to another kind of value");
    }
    count_items(items.size());
    value.items.insert(value.items.end(), items.begin(), items.end());
  }
  void remember(std::uint64_t place) {
    const Node top = pop();
    stack_.push_back(top);
    if (memo_.size() >= most_values) {
      refuse(fmt::format("more than {} values are remembered", std::size_t{most_values}));
    }
    memo_[place] = top;
  }
  void recall(std::uint64_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) {
      refuse("a value that was not remembered is asked for");
    }
    count_items(0);
    stack_.push_back(found->second);
  }
  void push_text(std::uint64_t size, bool is_utf8) {
    const std::string_view text = take(size);
    if (is_utf8 && find_invalid_utf8(text)) {
      refuse("a text is not UTF-8");
    }
    push({.kind = Kind::text, .text = text});
  }
  void push_long() {
    const std::string_view bytes = take(number(1));
    if (bytes.size() > sizeof(std::int64_t)) {
      push({.kind = Kind::text, .text = bytes});
      return;
    }
    std::uint64_t value = bytes.empty() || (bytes.back() & 0x80) == 0 ? 0 : ~std::uint64_t{0};
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    push_whole(static_cast<std::int64_t>(value));
  }
  void push_whole(std::int64_t value) { push({.kind = Kind::whole, .whole = value}); }
  void push_tuple(std::vector<Node> items) {
    push({.kind = Kind::tuple, .items = std::move(items)});
  }
  /// An ordered dictionary is a dictionary; nothing else is made by a call.
  void call() {
    const std::vector<Node> both = pop_last(2);
    const Value& function = values_[both[0]];
    const Value& arguments = values_[both[1]];
    if (function.kind != Kind::name || arguments.kind != Kind::tuple) {
      refuse("something that is no name is called");
    }
    const bool is_dictionary = function.text == "collections" && function.name == "OrderedDict";
    if (is_dictionary && arguments.items.empty()) {
      push({.kind = Kind::dictionary});
    } else {
      push({.kind = Kind::call, .items = both});
    }
  }

  void obey(Opcode opcode) {
    if (!push_constant(opcode) && !push_container(opcode) && !change(opcode)) {
      refuse(fmt::format("there is the opcode 0x{:02x}, which torch.save does not write,",
                         static_cast<unsigned>(opcode)));
    }
  }
  bool push_constant(Opcode opcode) {
    switch (opcode) {
      case Opcode::none:
        push({});
        return true;
      case Opcode::true_value:
      case Opcode::false_value:
        push({.kind = Kind::truth, .whole = opcode == Opcode::true_value ? 1 : 0});
        return true;
      case Opcode::int4:
        push_whole(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))));
        return true;
      case Opcode::int1:
        push_whole(static_cast<std::int64_t>(number(1)));
        return true;
      case Opcode::int2:
        push_whole(static_cast<std::int64_t>(number(2)));
        return true;
      case Opcode::long1:
        push_long();
        return true;
      case Opcode::float8:
        take(8);
        push({.kind = Kind::real});
        return true;
      case Opcode::unicode:
        push_text(number(4), true);
        return true;
      case Opcode::string1:
        push_text(number(1), false);
        return true;
      case Opcode::string4:
        push_text(number(4), false);
        return true;
      case Opcode::global: {
        const std::string_view module = line();
        push({.kind = Kind::name, .text = module, .name = line()});
        return true;
      }
      default:
        return false;
    }
  }
  bool push_container(Opcode opcode) {
    switch (opcode) {
      case Opcode::empty_list:
        push({.kind = Kind::list});
        return true;
      case Opcode::empty_dictionary:
        push({.kind = Kind::dictionary});
        return true;
      case Opcode::empty_tuple:
        push_tuple({});
        return true;
      case Opcode::tuple:
        push_tuple(pop_to_mark());
        return true;
      case Opcode::tuple1:
      case Opcode::tuple2:
      case Opcode::tuple3:
        push_tuple(pop_last(static_cast<std::size_t>(opcode) -
                            static_cast<std::size_t>(Opcode::tuple1) + 1));
        return true;
      case Opcode::outside:
        push({.kind = Kind::outside, .items = {pop()}});
        return true;
      case Opcode::reduce:
      case Opcode::new_object:
        call();
        return true;
      default:
        return false;
    }
  }
  bool change(Opcode opcode) {
    switch (opcode) {
      case Opcode::mark:
        push_mark();
        return true;
      case Opcode::append:
        add(pop_last(1), Kind::list);
        return true;
      case Opcode::appends:
        add(pop_to_mark(), Kind::list);
        return true;
      case Opcode::set_item:
        add(pop_last(2), Kind::dictionary);
        return true;
      case Opcode::set_items:
        add(pop_to_mark(), Kind::dictionary);
        return true;
      case Opcode::build:  // the state of an object, which nobody here has
        stack_.push_back(pop_last(2).front());
        return true;
      case Opcode::put1:
        remember(number(1));
        return true;
      case Opcode::put4:
        remember(number(4));
        return true;
      case Opcode::get1:
        recall(number(1));
        return true;
      case Opcode::get4:
        recall(number(4));
        return true;
      case Opcode::protocol:
        if (number(1) != 2) {
          refuse("it is of another protocol than 2");
        }
        return true;
      default:
        return false;
    }
  }
  void push_mark() {
    if (marks_.size() == most_values) {
      refuse(fmt::format("there are more than {} marks", std::size_t{most_values}));
    }
    marks_.push_back(stack_.size());
  }

  std::string_view bytes_;
  const std::string& who_;
  std::vector<Value>& values_;
  std::vector<Node> stack_;
  std::vector<std::size_t> marks_;  // sizes of the stack
  std::unordered_map<std::uint64_t, Node> memo_;
  std::size_t items_ = 0;
  std::size_t at_ = 0;
  std::size_t opcode_at_ = 0;
};

Pickle::Pickle(std::string_view bytes, const std::string& who) {
  Machine machine(bytes, who, values_);
  root_ = machine.run();
  size_ = machine.position();
}

bool Pickle::calls(Node node, std::string_view module, std::string_view name,
                   std::size_t least) const {
  const Value& value = at(node);
  return value.kind == Kind::call && is_name(value.items[0], module, name) &&
         at(value.items[1]).items.size() >= least;
}

std::string Pickle::described(Node node) const {
  const Value& value = at(node);
  switch (value.kind) {
    case Kind::none:
      return "nothing";
    case Kind::truth:
    case Kind::whole:
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::name:
      return make_visible(fmt::format("the name {}.{}", value.text, value.name));
    case Kind::tuple:
    case Kind::list:
      return "a list";
    case Kind::dictionary:
      return "a table";
    case Kind::outside:
      return "a storage";
    case Kind::call:
      break;
  }
  const Value& function = at(value.items[0]);
  return make_visible(fmt::format("a call of {}.{}", function.text, function.name));
}

}  // namespace heed
