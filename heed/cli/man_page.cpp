#include "heed/cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/cli/help.h"

namespace heed {
namespace {

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
