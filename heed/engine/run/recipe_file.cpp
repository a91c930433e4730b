#include "heed/engine/run/recipe_file.h"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::size_t most_levels = 32;
constexpr std::size_t most_entries = 10'000;

[[noreturn]] void fail_at(const std::string& who, const toml::source_position& at,
                          const std::string& what) {
  fail(Fault::usage, "{}:{}:{}: {}", who, at.line, at.column, what);
}

/// Records the place of an entry; an Error if there are too many.
void note(RecipeFile& recipe, const std::string& path, const toml::source_position& at) {
  if (recipe.where.size() >= most_entries) {
    fail_at(recipe.path, at,
            fmt::format("there are more than {} entries; write fewer", most_entries));
  }
  recipe.where[path] = {at.line, at.column,
                        fmt::format("{}:{}:{}", recipe.path, at.line, at.column)};
}

/// Converts TOML to JSON and records positions: of a key where its name is written, of an item of a
/// list where its value is.
Json to_json(const toml::node& node, const std::string& path, RecipeFile& recipe,
             std::size_t levels = 0) {
  if (levels > most_levels) {
    fail_at(recipe.path, node.source().begin,
            fmt::format("there are more than {} levels; write fewer", most_levels));
  }
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      const std::string below = path.empty() ? name : fmt::format("{}.{}", path, name);
      note(recipe, below, key.source().begin);
      out.append(name, to_json(value, below, recipe, levels + 1));
    }
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    size_t i = 0;
    for (const auto& value : *array) {
      const std::string item = fmt::format("{}[{}]", path, i++);
      note(recipe, item, value.source().begin);
      out.push(to_json(value, item, recipe, levels + 1));
    }
    return out;
  }
  if (const auto* text = node.as_string()) {
    return Json(text->get());
  }
  if (const auto* integer = node.as_integer()) {
    return Json(integer->get());
  }
  if (const auto* number = node.as_floating_point()) {
    return Json(number->get());
  }
  if (const auto* truth = node.as_boolean()) {
    return Json(truth->get());
  }
  recipe.faults.push_back(
      {path, "a date or time is no setting; write text in quotes, a number, true or false"});
  return Json();
}

toml::table parsed(const std::string& text, const std::string& who) {
  check_toml_depth(text, who, most_levels);
  try {
    return toml::parse(text, who);
  } catch (const toml::parse_error& error) {
    fail_at(who, error.source().begin, std::string(error.description()));
  }
}

/// What is not a TOML value is plain text.
Json value_of(const std::string& text, const std::string& dotted, const std::string& who,
              RecipeFile& scratch) {
  check_toml_depth(text, who + " " + dotted, most_levels);
  try {
    const toml::table table = toml::parse("value = " + text);
    return to_json(*table.get("value"), dotted, scratch);
  } catch (const toml::parse_error&) {
    return text;
  }
}

/// tree[path…] = value; missing tables are made.
void set_at(Json& tree, const std::vector<std::string>& path, size_t depth, const Json& value) {
  if (depth + 1 == path.size()) {
    tree.set(path[depth], value);
    return;
  }
  Json inner = Json::object();
  if (const auto* members = tree.get<Json::Object>()) {
    for (const Json::Member& member : *members) {
      if (member.key == path[depth]) {
        inner = member.value;
      }
    }
  }
  if (inner.kind() == Json::Kind::text) {
    // "additive" with a setting below it is the table {kind = "additive", …}
    Json table = Json::object();
    table.set("kind", inner);
    inner = table;
  } else if (inner.kind() != Json::Kind::object) {
    inner = Json::object();  // what is wrong with it is reported when the tree is applied
  }
  set_at(inner, path, depth + 1, value);
  tree.set(path[depth], inner);
}

/// Reads only the brackets and dots of TOML and skips strings and comments.
class Scan {
 public:
  Scan(std::string_view text, const std::string& who, std::size_t most)
      : text_(text), who_(who), most_(most) {}

  void run() {
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '"' || letter == '\'') {
        pass_string(letter);
      } else if (letter == '#') {
        pass_to('\n');
      } else {
        count(letter);
        ++at_;
      }
    }
  }

 private:
  void count(char letter) {
    switch (letter) {
      case '.':
        check(++dots_ + 1);
        break;
      case '[':
      case '{':
        dots_ = 0;
        check(++brackets_);
        break;
      case ']':
      case '}':
        dots_ = 0;
        brackets_ -= brackets_ > 0 ? 1 : 0;
        break;
      case '=':
      case ',':
      case '\n':
        dots_ = 0;
        break;
      default:
        break;
    }
  }

  /// Skips "…" and '…' on one line, and """…""" and '''…''' over several.
  void pass_string(char mark) {
    const std::string three(3, mark);
    const bool is_long = text_.substr(at_).starts_with(three);
    const std::string_view close =
        is_long ? std::string_view(three) : std::string_view(three).substr(2);
    at_ += close.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(close)) {
      if (!is_long && text_[at_] == '\n') {
        return;  // toml++ reports what is wrong
      }
      at_ += mark == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ += close.size();
  }

  void pass_to(char end) { at_ = std::min(text_.find(end, at_), text_.size()); }

  void check(std::size_t levels) const {
    if (levels <= most_) {
      return;
    }
    std::size_t line = 1;
    std::size_t start = 0;
    for (std::size_t i = 0; i < at_; ++i) {
      if (text_[i] == '\n') {
        ++line;
        start = i + 1;
      }
    }
    fail(Fault::usage, "{}:{}:{}: there are more than {} levels; write fewer", who_, line,
         at_ - start + 1, most_);
  }

  std::string_view text_;
  const std::string& who_;
  std::size_t most_;
  std::size_t at_ = 0;
  std::size_t dots_ = 0;
  std::size_t brackets_ = 0;
};

}  // namespace

RecipePlace RecipeFile::place_of(std::string dotted) const {
  const auto kind = where.find(dotted + ".kind");
  if (kind != where.end() && kind->second.is_behind_the_file()) {
    return kind->second;
  }
  for (;;) {
    const auto found = where.find(dotted);
    if (found != where.end()) {
      return found->second;
    }
    const size_t cut = dotted.find_last_of(".[");
    if (cut == std::string::npos) {
      return {0, 0, path};
    }
    dotted.resize(cut);
  }
}

RecipeFile parse_recipe(const std::string& text, const std::string& name) {
  RecipeFile recipe;
  recipe.path = name;
  recipe.tree = to_json(parsed(text, name), "", recipe);
  return recipe;
}

RecipeFile read_recipe(const std::string& path) {
  if (is_regular_file(path) && std::filesystem::file_size(path) > most_bytes) {
    fail(Fault::usage, "{}: a recipe has at most {} bytes, and this file has {}; is it a recipe?",
         path, most_bytes, std::filesystem::file_size(path));
  }
  return parse_recipe(read_file(path, most_bytes), path);
}

std::string recipe_name(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string name = file.substr(0, file.rfind('.'));
  return name.empty() || name == "-" ? "recipe" : name;
}

std::optional<Json> setting_value(const std::string& text) {
  RecipeFile scratch;
  scratch.path = "--set";
  const Json value = value_of(text, "value", "--set", scratch);
  return scratch.faults.empty() ? std::optional(value) : std::nullopt;
}

void override_setting(RecipeFile& recipe, const std::string& assignment) {
  const std::string& who = recipe.who;
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(Fault::usage, "{}: \"{}\" must be PATH=VALUE, such as training.steps=500", who,
         assignment);
  }
  const std::string dotted = assignment.substr(0, equals);
  const std::string text = assignment.substr(equals + 1);
  std::vector<std::string> path(1);
  for (const char letter : dotted) {
    if (letter == '.') {
      path.emplace_back();
    } else {
      path.back() += letter;
    }
  }
  if (path.size() > most_levels) {
    fail(Fault::usage, "{}: the path has {} parts, but may have at most {}", who, path.size(),
         most_levels);
  }
  RecipeFile scratch;
  scratch.path = who + " " + assignment;
  const Json value = value_of(text, dotted, who, scratch);
  std::erase_if(recipe.faults, [&dotted](const SettingFault& f) { return f.path == dotted; });
  recipe.faults.insert(recipe.faults.end(), scratch.faults.begin(), scratch.faults.end());
  set_at(recipe.tree, path, 0, value);
  std::erase_if(recipe.where, [&dotted](const auto& place) {
    return place.first.starts_with(dotted + ".") || place.first.starts_with(dotted + "[");
  });
  const RecipePlace place{RecipePlace::behind_the_file, static_cast<int64_t>(recipe.where.size()),
                          scratch.path};
  recipe.where[dotted] = place;
  for (size_t dot = dotted.find('.'); dot != std::string::npos; dot = dotted.find('.', dot + 1)) {
    recipe.where.try_emplace(dotted.substr(0, dot), place);  // tables that the file does not have
  }
}

void check_toml_depth(std::string_view text, const std::string& who, std::size_t most_levels) {
  Scan(text, who, most_levels).run();
}

}  // namespace heed
