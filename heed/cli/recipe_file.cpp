#include "heed/cli/recipe_file.h"

#include <toml++/toml.h>

#include "heed/base/file.h"

namespace heed {
namespace {

Json to_json(const toml::node& node, const std::string& path, RecipeFile& recipe) {
  const toml::source_region& at = node.source();
  recipe.where[path] = fmt::format("{}:{}:{}", recipe.path, at.begin.line, at.begin.column);
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      out.set(name, to_json(value, path.empty() ? name : path + "." + name, recipe));
    }
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    size_t i = 0;
    for (const auto& value : *array) {
      out.push(to_json(value, fmt::format("{}[{}]", path, i++), recipe));
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
  fail(Fault::usage, "{}: {}: saw a date or time, needs text, a number, true or false",
       recipe.where[path], path);
}

toml::table parsed(const std::string& text, const std::string& who) {
  try {
    return toml::parse(text, who);
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    fail(Fault::usage, "{}:{}:{}: {}", who, at.line, at.column, error.description());
  }
}

/// tree[path…] = value, tables made as needed.
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
  }
  set_at(inner, path, depth + 1, value);
  tree.set(path[depth], inner);
}

}  // namespace

std::string RecipeFile::place_of(std::string dotted) const {
  for (;;) {
    const auto found = where.find(dotted);
    if (found != where.end()) {
      return found->second;
    }
    const size_t cut = dotted.find_last_of(".[");
    if (cut == std::string::npos) {
      return path;
    }
    dotted.resize(cut);
  }
}

RecipeFile read_recipe(const std::string& path) {
  RecipeFile recipe;
  recipe.path = path;
  recipe.tree = to_json(parsed(read_file(path), path), "", recipe);
  return recipe;
}

void override_setting(RecipeFile& recipe, const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    fail(Fault::usage, "--set: saw \"{}\", needs path.to.setting=value", assignment);
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
  RecipeFile scratch;
  scratch.path = "--set " + assignment;
  Json value(text);
  try {
    const toml::table table = toml::parse("value = " + text);
    value = to_json(*table.get("value"), dotted, scratch);
  } catch (const toml::parse_error&) {
    // No TOML value: plain text.
  }
  set_at(recipe.tree, path, 0, value);
  recipe.where[dotted] = scratch.path;
}

}  // namespace heed
