#include "heed/cli/option_table.h"

#include <CLI/CLI.hpp>

namespace heed {
namespace {

std::vector<std::string> split_at(const std::string& text, char mark) {
  std::vector<std::string> parts;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(mark, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// one_of names its validator after its choices.
std::vector<std::string> choices_of(const CLI::Option& option) {
  try {
    // Looking does not change it; the parser has no const way to look.
    const CLI::Validator* first = const_cast<CLI::Option&>(option).get_validator(0);  // NOLINT
    return split_at(first->get_name(), '|');
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  row.is_positional = option.get_positional();
  row.is_required = option.get_required();
  row.help = option.get_description();
  row.fallback = option.get_default_str();
  for (const std::string& name : option.get_snames()) {
    row.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    row.names.push_back("--" + name);
  }
  if (row.is_positional) {
    row.names = {option.get_name(true)};
  }
  const bool takes_value = option.get_items_expected_max() > 0;
  row.value = takes_value ? option.get_type_name() : "";
  row.choices = takes_value ? choices_of(option) : std::vector<std::string>();
  return row;
}

}  // namespace

bool OptionRow::is_file() const { return value == "FILE" || value == "FOLDER"; }

std::vector<VerbRow> verb_table(const CLI::App& program) {
  std::vector<VerbRow> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) {
    VerbRow row;
    row.name = verb->get_name();
    row.help = verb->get_description();
    row.examples = verb->get_footer();
    for (const CLI::Option* option : verb->get_options()) {
      row.options.push_back(row_of(*option));
    }
    verbs.push_back(std::move(row));
  }
  return verbs;
}

}  // namespace heed
