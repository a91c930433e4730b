// Reading a command line into its options.
#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/suggest.h"
#include "heed/cli/options.h"
#include "heed/cli/peer_names.h"

namespace heed {

class Options::Reader {
 public:
  Reader(std::deque<Option>& options, const std::string& verb, const std::string& advice,
         const AboutUnknown& about_unknown)
      : options_(options),
        advice_(advice),
        about_unknown_(about_unknown),
        who_(verb.empty() ? "" : verb + ": "),
        help_(verb.empty() ? "heed --help" : "heed " + verb + " --help") {
    for (Option& option : options_) {
      if (option.is_positional()) {
        places_.push_back(&option);
      }
    }
  }

  void read(std::span<const std::string> words) {
    bool are_options_over = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (are_options_over || word.size() < 2 || word.front() != '-') {
        put(word);
      } else if (word == "--") {
        are_options_over = true;
      } else if (word.starts_with("--")) {
        i += long_option(words, i);
      } else {
        i += short_options(words, i);
      }
    }
    check_required();
    check_effects();
  }

 private:
  /// Gives a word to the first positional argument that still takes one.
  void put(const std::string& word) {
    const auto place = std::find_if(places_.begin(), places_.end(), [](const Option* option) {
      return option->is_list() || !option->is_given();
    });
    if (place == places_.end()) {
      fail(Fault::usage, "{}\"{}\" is one word too many; {}, or see {}", who_, word, advice_,
           help_);
    }
    (*place)->give(who_, (*place)->names().front(), word);
  }

  /// Both return how many of the following words they took.
  size_t long_option(std::span<const std::string> words, size_t at) {
    const size_t equals = words[at].find('=');
    const std::string name = words[at].substr(0, equals);
    if (find(name) == nullptr) {
      fail_unknown(name, equals != std::string::npos ? words[at].substr(equals + 1)
                         : at + 1 < words.size() && !words[at + 1].starts_with('-') ? words[at + 1]
                                                                                    : "");
    }
    Option& option = named(name);
    if (option.is_flag()) {
      if (equals != std::string::npos) {
        fail(Fault::usage, "{}{} takes no value; leave out {}", who_, name,
             words[at].substr(equals));
      }
      option.give(who_, name, "");
      return 0;
    }
    if (equals != std::string::npos) {
      option.give(who_, name, words[at].substr(equals + 1));
      return 0;
    }
    option.give(who_, name, value_behind(words, at, name));
    return 1;
  }

  size_t short_options(std::span<const std::string> words, size_t at) {
    const std::string& word = words[at];
    check_is_not_long(word);
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name = {'-', word[i]};
      if (find(name) == nullptr && i == 1) {
        fail_unknown(word);
      }
      Option& option = named(name);
      if (option.is_flag()) {
        option.give(who_, name, "");
        continue;
      }
      if (i + 1 < word.size()) {
        give_rest(option, name, word, i + 1 + (word[i + 1] == '=' ? 1 : 0));
        return 0;
      }
      option.give(who_, name, value_behind(words, at, name));
      return 1;
    }
    return 0;
  }

  /// The value is what follows the letter, unless that is refused and the word resembles the name of
  /// another option: -beam_size.
  void give_rest(Option& option, const std::string& name, const std::string& word, size_t from) {
    try {
      option.give(who_, name, word.substr(from));
    } catch (const Error&) {
      const std::string hint = did_you_mean("-" + word, long_names());
      if (hint.empty() || from > 2) {
        throw;
      }
      fail(Fault::usage, "{}unknown option {}{}", who_, word, hint);
    }
  }

  /// -model is no -m with the value "odel".
  void check_is_not_long(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() < 3) {
      return;
    }
    std::string hint = peers_option(name, long_names());
    hint = hint.empty() ? peers_option("-" + name, long_names()) : hint;
    if (find("-" + name) != nullptr) {
      hint = fmt::format("; did you mean \"-{}\"?", name);
    }
    if (!hint.empty()) {
      fail(Fault::usage, "{}unknown option {}{}", who_, name, hint);
    }
  }

  /// The word's first letter is no option.
  [[noreturn]] void fail_unknown(const std::string& word) const {
    const std::string name = word.substr(0, word.find('='));
    const std::string letter = name.substr(0, 2);
    const std::string by_letter = peers_option(letter, long_names());
    const std::string by_word =
        name.size() > 2 ? did_you_mean("-" + name, long_names()) : std::string();
    const bool is_word = by_letter.empty() && !by_word.empty();
    const std::string hint = is_word ? by_word : by_letter;
    fail(Fault::usage, "{}unknown option {}{}", who_, is_word ? name : letter,
         hint.empty() ? "; see " + help_ : hint);
  }

  const std::string& value_behind(std::span<const std::string> words, size_t at,
                                  const std::string& name) const {
    // "-1" is a value; the name of another option is not.
    if (at + 1 >= words.size() || find(words[at + 1]) != nullptr) {
      fail(Fault::usage, "{}{} needs a value behind it; see {}", who_, name, help_);
    }
    return words[at + 1];
  }

  Option* find(const std::string& name) const {
    for (Option& option : options_) {
      const auto& names = option.names();
      if (!option.is_positional() && std::find(names.begin(), names.end(), name) != names.end()) {
        return &option;
      }
    }
    return nullptr;
  }

  std::vector<std::string> long_names() const {
    std::vector<std::string> names;
    for (const Option& option : options_) {
      for (const std::string& one : option.names()) {
        if (one.starts_with("--")) {
          names.push_back(one);
        }
      }
    }
    return names;
  }

  Option& named(const std::string& name) const {
    Option* const option = find(name);
    if (option == nullptr) {
      fail_unknown(name, "");
    }
    return *option;
  }

  [[noreturn]] void fail_unknown(const std::string& name, const std::string& value) const {
    const std::vector<std::string> names = long_names();
    std::string hint = peers_option(name, names);
    if (hint.empty() && about_unknown_ && name.starts_with("--")) {
      hint = about_unknown_(std::string_view(name).substr(2), value);
    }
    hint = hint.empty() ? did_you_mean(name, names) : hint;
    fail(Fault::usage, "{}unknown option {}{}", who_, name, hint.empty() ? "; see " + help_ : hint);
  }

  void check_required() const {
    for (const Option& option : options_) {
      if (option.is_required() && !option.is_given()) {
        fail(Fault::usage, "{}the {} is missing; see {}", who_, option.names().back(), help_);
      }
    }
  }

  /// An option that would be ignored is a mistake.
  void check_effects() const {
    for (const Option& option : options_) {
      const auto& others = option.needed();
      const bool has_effect =
          others.empty() || !option.is_given() ||
          std::any_of(others.begin(), others.end(), [this](const std::string& other) {
            const Option* there = find(other);
            return there != nullptr && there->is_given();
          });
      if (!has_effect) {
        fail(Fault::usage, "{}{} has no effect without {}; add {}, or leave it out", who_,
             option.given_as(), fmt::join(others, " or "), others.size() > 1 ? "one" : "that");
      }
    }
  }

  std::deque<Option>& options_;
  const std::string& advice_;
  const AboutUnknown& about_unknown_;
  std::string who_;
  std::string help_;
  std::vector<Option*> places_;
};

void Options::read(const std::string& verb, std::span<const std::string> words) {
  Reader(all_, verb, advice_, about_unknown_).read(words);
}

}  // namespace heed
