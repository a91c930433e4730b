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

/// Escapes text so that roff prints it unchanged.
std::string plain(const std::string& text) {
  std::string out;
  bool begins_line = true;
  for (const char letter : text) {
    if (begins_line && (letter == '.' || letter == '\'')) {
      out += "\\&";
    }
    out += letter == '\\'  ? std::string("\\\\")
           : letter == '-' ? std::string("\\-")
                           : std::string(1, letter);
    begins_line = letter == '\n';
  }
  return out;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char letter) { return letter >= 'a' && letter <= 'z' ? letter - 32 : letter; });
  return text;
}

std::string head(const std::string& name, const std::string& help, const std::string& version) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     capitals(name), version, plain(name), plain(help));
}

std::string synopsis(const VerbRow& verb) {
  std::string line = fmt::format(".SH SYNOPSIS\n.B heed {}\n[OPTION]...", plain(verb.name));
  for (const Option& option : verb.options.all()) {
    if (option.is_positional()) {
      const std::string name = capitals(option.names().front());
      line += option.is_required() ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
    }
  }
  return line + "\n";
}

std::string option_entry(const Option& option) {
  std::string names;
  for (const std::string& name : option.names()) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ",
                         plain(option.is_positional() ? capitals(name) : name));
  }
  if (!option.value().empty() && !option.is_positional()) {
    names += fmt::format(" \\fI{}\\fR", plain(option.value()));
  }
  std::string text = plain(option.help());
  if (!option.fallback().empty()) {
    text += fmt::format(" (default: {})", plain(option.fallback()));
  }
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

constexpr const char* exit_codes =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone\n"
    ".TP\n1\nit failed while running\n"
    ".TP\n2\nusage or configuration\n"
    ".TP\n3\na bad model, vocabulary or input file\n"
    ".TP\n4\ntraining diverged\n"
    ".TP\n5\nthe disk\n"
    ".TP\n130, 143\ninterrupted, and saved\n";

constexpr const char* description =
    "heed is one program for models with attention that turn a sequence into another: translation, "
    "captions of pictures, transcripts of speech, labels. A recipe, a short TOML file, says what "
    "is trained on which data; `heed train` makes one model file of it, which the other verbs use. "
    "Results go to standard output, everything else to standard error.\n";

constexpr const char* variables =
    ".SH ENVIRONMENT\n"
    ".TP\nHEED_THREADS\nthreads to compute with\n"
    ".TP\nHEED_MODELS\nfolders of models, separated by colons\n"
    ".TP\nHEED_RECIPES\nfolders of recipes, separated by colons\n"
    ".TP\nHEED_DATA\nthe folder that $HEED_DATA stands for in recipes\n"
    ".TP\nNO_COLOR\nwhere it is set and not empty, nothing is coloured\n"
    ".TP\nCOLORFGBG\nthe terminal\\(aqs colours of ink and ground, such as 15;0: maps suit a dark "
    "ground\n";

std::string examples(const VerbRow& verb) {
  return ".SH EXAMPLES\n.nf\n" + plain(verb.examples) + ".fi\n";
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

std::string man_page(const std::vector<VerbRow>& verbs, const std::string& version) {
  std::string page =
      head("heed", "trains and runs attention models, and shows where they look", version);
  page += ".SH SYNOPSIS\n.B heed\nVERB [OPTION]...\n.SH DESCRIPTION\n";
  page += plain(description);
  page += ".SH VERBS\n";
  std::string also;
  for (const VerbRow& verb : verbs) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(verb.name), plain(verb.help));
    also += fmt::format("{}.BR heed\\-{} (1)", also.empty() ? "" : ",\n", plain(verb.name));
  }
  return page + exit_codes + variables + ".SH SEE ALSO\n" + also + "\n";
}

std::string man_page(const VerbRow& verb, const std::string& version) {
  std::string page = head("heed-" + verb.name, verb.help, version);
  page += synopsis(verb) + ".SH DESCRIPTION\n" + plain(verb.verb->description()) + "\n";
  page += ".SH OPTIONS\n";
  for (const std::string& heading : headings_of(verb)) {
    std::string group;
    for (const Option& option : verb.options.all()) {
      group += option.heading() == heading ? option_entry(option) : "";
    }
    if (!heading.empty() && !group.empty()) {
      page += fmt::format(".SS {}\n", heading);
    }
    page += group;
  }
  return page + examples(verb) + exit_codes + variables + ".SH SEE ALSO\n.BR heed (1)\n";
}

}  // namespace heed
