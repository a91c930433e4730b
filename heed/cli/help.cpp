#include "heed/cli/help.h"

#include <fmt/format.h>

#include "heed/cli/verbs.h"

namespace heed {
namespace {

constexpr size_t column = 30;  // where explanations begin

/// A name that is too long for its column has a line of its own.
std::string row(const std::string& name, const std::string& help) {
  const std::string left = "  " + name;
  return left.size() + 2 > column ? fmt::format("{}\n{:{}}{}\n", left, "", column, help)
                                  : fmt::format("{:<{}}{}\n", left, column, help);
}

std::string usage(const VerbRow& verb) {
  std::string line = fmt::format("Usage: heed {} [OPTION]...", verb.name);
  for (const Option& option : verb.options.all()) {
    if (option.is_positional()) {
      const std::string& name = option.names().front();
      line += option.is_required() ? " " + name : " [" + name + "]";
    }
  }
  return line + "\n";
}

std::string option_row(const Option& option) {
  std::string name = fmt::format("{}", fmt::join(option.names(), ", "));
  if (!option.is_flag()) {
    name += " " + option.value();
  }
  if (option.is_list()) {
    name += " ...";
  }
  std::string help = option.help();
  if (!option.fallback().empty()) {
    help += fmt::format(" (default: {})", option.fallback());
  }
  return row(name, help);
}

}  // namespace

std::string program_help() {
  std::string text =
      "heed trains and runs attention models, and shows where they look.\n"
      "\n"
      "Usage: heed VERB [OPTION]...\n"
      "\n"
      "Verbs:\n";
  for (const auto& entry : verbs()) {
    text += row(entry.name, entry.formula);
  }
  text += "\nOptions:\n";
  text += row("-h, --help", "print this help");
  text += row("--version", "print the version");
  return text + "\n`heed VERB --help` explains a verb, with examples.\n";
}

std::string verb_help(const VerbRow& verb) {
  std::string words;
  std::string options;
  for (const Option& option : verb.options.all()) {
    (option.is_positional() ? words : options) += option_row(option);
  }
  return fmt::format("heed {}: {}\n\n{}\n{}{}Options:\n{}\nExamples:\n{}", verb.name, verb.help,
                     usage(verb), words, words.empty() ? "" : "\n", options, verb.examples);
}

}  // namespace heed
