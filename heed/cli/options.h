// The options of a verb, declared once as data: they read the command line, and help, completions
// and man pages are made of them, so nothing written by hand can go stale.
//
//   -b N   -bN   --beam N   --beam=N   flags in a row: -qv   -- ends the options   - is a word
//
// Declared with what they fill:
//
//   options.add("-b,--beam", beam, "hypotheses kept").takes("N").check(whole(1, 9)).with_default();
//   options.flag("--json", is_json, "print JSON");
//   options.add("recipe", recipe, "a name without dashes is a word's place").required();
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
  /// `value`: what its value is called, empty for a flag.
  Option(const std::string& names, std::string value, std::string help);

  /// What its value is called in help: "FILE".
  Option& takes(std::string value);
  Option& check(ValueCheck check);
  Option& required();
  /// Help says the value that it has now.
  Option& with_default();
  Option& defaults_to(std::string value);
  /// These are all it accepts: completions offer them.
  Option& choose_from(std::vector<std::string> choices);
  /// A further name: a short one comes first, a long one last.
  Option& also(const std::string& name);
  /// May be given again and again.
  Option& as_list();
  /// Of a list: "a,b" are two.
  Option& split_at(char separator);

  /// "-b", "--beam"; of a positional its bare name.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& value() const { return value_; }
  const std::string& help() const { return help_; }
  const std::string& fallback() const { return fallback_; }
  const std::vector<std::string>& choices() const { return check_.choices; }
  bool is_positional() const { return names_.front().front() != '-'; }
  bool is_required() const { return is_required_; }
  bool is_flag() const { return value_.empty(); }
  bool is_list() const { return is_list_; }
  /// Whether file names complete it.
  bool is_file() const { return value_ == "FILE" || value_ == "FOLDER"; }
  bool is_given() const { return times_ > 0; }

  /// Takes a value from the command line; Fault::usage where it will not do. `who` begins the
  /// message.
  void give(const std::string& who, const std::string& name, const std::string& value);

 private:
  friend class Options;

  std::vector<std::string> names_;
  std::string value_;
  std::string help_;
  std::string fallback_;
  ValueCheck check_;
  bool is_required_ = false;
  bool is_list_ = false;
  char separator_ = '\0';
  int times_ = 0;
  std::function<void(const std::string& value)> fill_;
  std::function<std::string()> now_;  // its value as text
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

  /// One that hands its value on; `value` is what that is called, empty for a flag.
  Option& add(const std::string& names, std::string value, std::string help,
              std::function<void(const std::string&)> fill);

  /// Fills them. A fault reads "VERB: --beam: saw …" and tells of `heed VERB --help`.
  void read(const std::string& verb, std::span<const std::string> words);

  /// In the order they were declared; an option stays where it is.
  const std::deque<Option>& all() const { return all_; }

 private:
  class Reader;
  Option& declare(const std::string& names, std::string value, std::string help);
  template <class Number>
  Option& add_number(const std::string& names, Number& to, std::string help, const char* value);

  std::deque<Option> all_;
};

}  // namespace heed
