#include "heed/cli/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/suggest.h"
#include "heed/base/thread_pool.h"
#include "heed/cli/argument.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

constexpr const char* version = "heed 0.1.0";

struct Given {
  std::unique_ptr<Verb> verb;
  CLI::App* app = nullptr;
};

void add_verbs(CLI::App& app, std::vector<Given>& given, int& threads) {
  for (const auto& entry : verbs()) {
    CLI::App* sub = app.add_subcommand(entry.name, entry.formula);
    std::unique_ptr<Verb> verb = entry.make();
    sub->group("Verbs");
    verb->options(*sub);
    sub->add_option("--threads", threads, "threads to compute with; 0: as many as the machine has")
        ->check(whole(0, 1024))
        ->type_name("N");
    sub->footer("Examples:\n" + verb->examples());
    given.push_back({std::move(verb), sub});
  }
}

/// `heed help` is `heed --help`, `heed help VERB` is `heed VERB --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

void check_verb(const std::vector<std::string>& words) {
  if (words.front().starts_with("-") || verbs().find(words.front()) != nullptr) {
    return;
  }
  std::string names;
  for (const auto& entry : verbs()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  fail(Fault::usage, "saw \"{}\", needs a verb: {}{}", words.front(), names,
       did_you_mean(words.front(), verbs().names()));
}

/// The option as the user wrote it, without its value.
std::string bare(const std::string& option) { return option.substr(0, option.find('=')); }

/// "heed" or "heed VERB", and what a message of it begins with.
struct Speaker {
  explicit Speaker(const CLI::App& top) {
    const std::vector<CLI::App*> chosen = top.get_subcommands();
    app = chosen.empty() ? &top : chosen.front();
    prefix = chosen.empty() ? "" : app->get_name() + ": ";
    help = chosen.empty() ? "heed --help" : "heed " + app->get_name() + " --help";
  }
  const CLI::App* app;
  std::string prefix;
  std::string help;
};

/// What is wrong with a word that the parser could not place; empty where it placed them all.
std::string misplaced(const Speaker& who) {
  std::vector<std::string> names;
  for (const CLI::Option* option : who.app->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  std::string extra;
  for (const std::string& word : who.app->remaining()) {
    if (word.size() > 1 && word.front() == '-' && word != "--") {
      const std::string hint = did_you_mean(bare(word), names);
      return fmt::format("{}saw {}, needs an option it has{}", who.prefix, bare(word),
                         hint.empty() ? "; see " + who.help : hint);
    }
    extra = extra.empty() && word != "--" ? word : extra;
  }
  return extra.empty() ? ""
                       : fmt::format(
                             "{}saw \"{}\" beyond what it needs; put quotes around text "
                             "with blanks, or see {}",
                             who.prefix, extra, who.help);
}

/// The parser's complaint in our words.
std::string complaint(const CLI::ParseError& error, const Speaker& who) {
  const std::string what = error.what();
  std::string unplaced = misplaced(who);
  if (!unplaced.empty()) {
    return unplaced;
  }
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      return fmt::format("{}saw no {}, needs one; see {}", who.prefix,
                         who.prefix.empty() ? "verb" : what.substr(0, what.find(" is required")),
                         who.help);
    case CLI::ExitCodes::ArgumentMismatch: {
      const bool is_missing = what.find("missing") != std::string::npos;
      return fmt::format("{}{}: saw {}", who.prefix, what.substr(0, what.find(':')),
                         is_missing ? "no value, needs one" : "it more than once, needs it once");
    }
    default:
      return who.prefix + what;
  }
}

/// Results that could not be written are a failure, never silence.
void flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fail(Fault::disk, "standard output: cannot write ({}); is the disk full?",
         std::strerror(errno));
  }
}

int run_verb(const std::vector<Given>& given, int threads) {
  for (const Given& candidate : given) {
    if (candidate.app->parsed()) {
      if (threads > 0) {
        set_threads(threads);
      }
      const int code = candidate.verb->run();
      flush_results();
      return code;
    }
  }
  return static_cast<int>(Fault::usage);
}

int parse_and_run(CLI::App& app, std::vector<std::string> words) {
  std::vector<Given> given;
  int threads = 0;
  add_verbs(app, given, threads);
  if (words.empty()) {
    fmt::print(stderr, "{}", app.help());
    return static_cast<int>(Fault::usage);
  }
  check_verb(words);
  try {
    std::reverse(words.begin(), words.end());  // the parser takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);  // --help, --version
      flush_results();
      return 0;
    }
    throw Error(complaint(error, Speaker(app)), Fault::usage);
  }
  return run_verb(given, threads);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("heed trains and runs attention models, and shows where they look.", "heed");
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", version, "print the version");
  app.require_subcommand(1);
  app.footer("`heed VERB --help` explains a verb, with examples.");
  try {
    return parse_and_run(app, words_of(argc, argv));
  } catch (const Error& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return static_cast<int>(error.fault());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heed: out of memory; use smaller batches\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
  }
  return static_cast<int>(std::ferror(stdout) != 0 ? Fault::disk : Fault::runtime);
}

}  // namespace heed
