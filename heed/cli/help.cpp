#include "heed/cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/cli/verbs.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr size_t column = 30;            // where explanations begin
constexpr size_t narrowest_column = 10;  // if the terminal is narrow
constexpr size_t fewest_columns = 30;

/// Words put in lines of at most `columns`; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, size_t columns) {
  std::vector<std::string> lines(1);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    const bool is_first = lines.back().empty();
    if (!is_first && display_width(lines.back()) + 1 + display_width(word) > columns) {
      lines.push_back(word);
    } else {
      lines.back() += (is_first ? "" : " ") + word;
    }
    start = end + 1;
  }
  return lines;
}

/// A name with its explanation. A name that is too long for its column has a line of its own.
std::string row(const std::string& name, const std::string& help, size_t columns) {
  const size_t wide = std::max(columns, fewest_columns);
  const size_t begin = wide >= 2 * column ? column : narrowest_column;
  const std::vector<std::string> lines = wrapped(help, wide - begin);
  const std::string left = "  " + name;
  const bool is_long = display_width(left) + 2 > begin;
  std::string text = is_long ? left + "\n" : pad_right(left, begin);
  for (size_t i = 0; i < lines.size(); ++i) {
    text += (i > 0 || is_long ? std::string(begin, ' ') : "") + lines[i] + "\n";
  }
  return text;
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

std::string option_row(const Option& option, size_t columns) {
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
  return row(name, help, columns);
}

}  // namespace

std::vector<std::string> headings_of(const VerbRow& verb) {
  // Those that several verbs have are always in this order; a verb's own come before them.
  const std::vector<std::string> shared = {
      "Input", "Search", "Sampling", "Several models and decoders", "Output", "Drawing", "Machine"};
  const auto has = [](const std::vector<std::string>& some, const std::string& heading) {
    return std::find(some.begin(), some.end(), heading) != some.end();
  };
  std::vector<std::string> all = {""};
  for (const Option& option : verb.options.all()) {
    if (!has(all, option.heading()) && !has(shared, option.heading())) {
      all.push_back(option.heading());
    }
  }
  all.insert(all.end(), shared.begin(), shared.end());
  return all;
}

std::string program_help(size_t columns) {
  std::string text =
      "heed trains and runs attention models, and shows where they look.\n"
      "\n"
      "Usage: heed VERB [OPTION]...\n"
      "\n"
      "Verbs:\n";
  for (const auto& entry : verbs()) {
    text += row(entry.name, entry.formula, columns);
  }
  text += "\nOptions:\n";
  text += row("-h, --help", "print this help", columns);
  text += row("-V, --version", "print the version", columns);
  return text + "\n`heed VERB --help` explains a verb, with examples.\n";
}

std::string verb_help(const VerbRow& verb, size_t columns) {
  std::string words;
  std::string options;
  for (const std::string& heading : headings_of(verb)) {
    std::string group;
    for (const Option& option : verb.options.all()) {
      if (option.is_positional() && heading.empty()) {
        words += option_row(option, columns);
      } else if (!option.is_positional() && option.heading() == heading) {
        group += option_row(option, columns);
      }
    }
    if (!group.empty()) {
      options += fmt::format("{}{}:\n{}", options.empty() ? "" : "\n",
                             heading.empty() ? "Options" : heading, group);
    }
  }
  return fmt::format("heed {}: {}\n\n{}\n{}{}{}\nExamples:\n{}", verb.name, verb.help, usage(verb),
                     words, words.empty() ? "" : "\n", options, verb.examples);
}

}  // namespace heed
