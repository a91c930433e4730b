// The options of a verb, declared once as data. They read the command line, and help, completions
// and man pages are made from them, so that nothing can go out of date.
//
//   -b N   -bN   --beam N   --beam=N   flags together: -qv   -- ends the options   - is a word
//
// Each is declared with the variable that it fills:
//
//   options.add("-b,--beam", beam, "hypotheses kept").takes("N").check(whole(1, 9)).with_default();
//   options.flag("--json", is_json, "print JSON");
//   options.add("recipe", recipe, "a name without dashes is a positional argument").required();
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/cli/value_check.h"

namespace heed {

class Option {
 public:
  /// `value` is the name of its value in help, empty for a flag.
  Option(const std::string& names, std::string value, std::string help);

  /// Sets the name of its value in help, such as "FILE".
  Option& takes(std::string value);
  Option& check(ValueCheck check);
  Option& required();
  /// Help shows its present value as the default.
  Option& with_default();
  Option& defaults_to(std::string value);
  /// Lists the only values it accepts; completions offer them.
  Option& choose_from(std::vector<std::string> choices);
  /// Adds a name: a short one comes first, a long one last.
  Option& also(const std::string& name);
  /// It may be given several times.
  Option& as_list();
  /// For a list: "a,b" are two values.
  Option& split_at(char separator);
  /// The heading of help that it is under; by default that of Options::under.
  Option& under(std::string heading);
  /// It is refused unless one of these options is given, because it would have no effect.
  Option& only_with(std::vector<std::string> others);
  /// What completions offer for its value: models, recipes, settings (`heed completion --list` says
  /// what there is).
  Option& completes(std::string kind);

  /// "-b", "--beam"; a positional argument has its bare name.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& value() const { return value_; }
  const std::string& help() const { return help_; }
  const std::string& fallback() const { return fallback_; }
  const std::string& heading() const { return heading_; }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::string& completed_by() const { return completed_by_; }
  const std::vector<std::string>& choices() const { return check_.choices; }
  bool is_positional() const { return names_.front().front() != '-'; }
  bool is_required() const { return is_required_; }
  bool is_flag() const { return value_.empty(); }
  bool is_list() const { return is_list_; }
  /// Whether completions offer file names.
  bool is_file() const { return value_ == "FILE" || value_ == "FOLDER"; }
  bool is_given() const { return times_ > 0; }
  /// The name by which it was given last; empty if it was not.
  const std::string& given_as() const { return given_as_; }

  /// Takes a value from the command line; Fault::usage where it is not accepted. `who` begins the
  /// message.
  void give(const std::string& who, const std::string& name, const std::string& value);

 private:
  friend class Options;

  std::vector<std::string> names_;
  std::string value_;
  std::string help_;
  std::string fallback_;
  std::string heading_;
  std::vector<std::string> needed_;
  std::string completed_by_;
  ValueCheck check_;
  bool is_required_ = false;
  bool is_list_ = false;
  char separator_ = '\0';
  int times_ = 0;
  std::string given_as_;
  std::function<void(const std::string& value)> fill_;
  std::function<std::string()> now_;  // returns its present value as text
};

class Options {
 public:
  Option& flag(const std::string& names, bool& to, std::string help);
  Option& add(const std::string& names, std::string& to, std::string help);
  /// One value each time it is given.
  Option& add(const std::string& names, std::vector<std::string>& to, std::string help);
  Option& add(const std::string& names, double& to, std::string help);
  Option& add(const std::string& names, int& to, std::string help);
  Option& add(const std::string& names, std::int64_t& to, std::string help);
  Option& add(const std::string& names, std::uint64_t& to, std::string help);

  /// An option that passes its value to `fill`; `value` is its name in help, empty for a flag.
  Option& add(const std::string& names, std::string value, std::string help,
              std::function<void(const std::string&)> fill);

  /// The heading of the options that are declared next: Search, Output, …
  void under(std::string heading) { heading_ = std::move(heading); }
  /// The declared option of this name, such as "--beam".
  Option& at(const std::string& name);
  /// What to do about a word too many, in place of "put quotes around a text with blanks".
  void about_further_words(std::string advice) { advice_ = std::move(advice); }
  /// The end of the message about an unknown long option, from its name without the hyphens and the
  /// value that it has, if any; empty: nothing is known of it.
  using AboutUnknown = std::function<std::string(std::string_view name, std::string_view value)>;
  void about_unknown(AboutUnknown about) { about_unknown_ = std::move(about); }

  /// Reads the command line into the options. A fault reads "VERB: --beam: must be …" and names
  /// `heed VERB --help`.
  void read(const std::string& verb, std::span<const std::string> words);

  /// In the order of declaration; references to options stay valid.
  const std::deque<Option>& all() const { return all_; }

 private:
  class Reader;
  Option& declare(const std::string& names, std::string value, std::string help);
  template <class Number>
  Option& add_number(const std::string& names, Number& to, std::string help, const char* value);

  std::deque<Option> all_;
  std::string heading_;
  std::string advice_ = "put quotes around a text with blanks";
  AboutUnknown about_unknown_;
};

}  // namespace heed
