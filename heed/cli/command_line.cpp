#include "heed/cli/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <new>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/suggest.h"
#include "heed/base/thread_pool.h"
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
    verb->options(*sub);
    sub->add_option("--threads", threads, "how many; 0: as many as the machine has")
        ->check(CLI::Range(0, 1024));
    sub->footer("Examples:\n" + verb->examples());
    given.push_back({std::move(verb), sub});
  }
}

/// What the user may have meant by a word that is no verb.
std::string suggestion(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') {
    return "";
  }
  const auto names = verbs().names();
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) {
    return "";
  }
  return did_you_mean(argv[1], names);
}

int run_verb(const std::vector<Given>& given, int threads) {
  for (const Given& candidate : given) {
    if (candidate.app->parsed()) {
      if (threads > 0) {
        set_threads(threads);
      }
      return candidate.verb->run();
    }
  }
  return static_cast<int>(Fault::usage);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  CLI::App app("heed trains and runs attention models, and shows where they look.", "heed");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.footer("`heed VERB --help` explains a verb, with examples.");
  std::vector<Given> given;
  int threads = 0;
  add_verbs(app, given, threads);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      return app.exit(error);  // --help, --version
    }
    fmt::print(stderr, "heed: {}{}\n", error.what(), suggestion(argc, argv));
    return static_cast<int>(Fault::usage);
  }
  try {
    return run_verb(given, threads);
  } catch (const Error& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
    return static_cast<int>(error.fault());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "heed: out of memory; use smaller batches\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "heed: {}\n", error.what());
  }
  return static_cast<int>(Fault::runtime);
}

}  // namespace heed
