#include "heed/cli/command_line.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/base/suggest.h"
#include "heed/base/thread_pool.h"
#include "heed/cli/environment.h"
#include "heed/cli/help.h"
#include "heed/cli/log.h"
#include "heed/cli/peer_names.h"
#include "heed/cli/setting_options.h"
#include "heed/cli/verbs.h"
#include "heed/engine/shelf/place.h"
#include "heed/text/visible.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;

/// `heed help` is `heed --help`, `heed help VERB` is `heed VERB --help`, `heed version` is
/// `heed --version`.
Words words_of(int argc, char** argv) {
  Words words(argv + 1, argv + argc);
  if (!words.empty() && (words.front() == "version" || words.front() == "-V")) {
    words.front() = "--version";
  }
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return words;
}

void check_verb(const std::string& word) {
  if (verbs().find(word) != nullptr) {
    return;
  }
  std::string names;
  for (const auto& entry : verbs()) {
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  std::string hint = peers_verb(word);
  hint = hint.empty() ? did_you_mean(word, verbs().names()) : hint;
  fail(Fault::usage, "unknown verb \"{}\"{}", word, hint.empty() ? "; there are " + names : hint);
}

/// Throws where results could not be written.
void flush_results() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fail(Fault::disk, "standard output: cannot write ({}); is the disk full?",
         std::strerror(errno));
  }
}

/// Of the terminal; 80 where there is none.
size_t columns_of_output() {
  winsize size{};
  const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

bool asks_for_help(const Words& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end, [](const auto& w) { return w == "-h" || w == "--help"; });
}

int run_verb(const std::string& name, const Words& words) {
  CommonOptions common;
  VerbRow row = verb_row(name, common);
  if (asks_for_help(words)) {
    fmt::print("{}", verb_help(row, columns_of_output()));
    return 0;
  }
  row.options.read(row.name, words);
  if (common.is_verbose) {
    set_verbosity(Verbosity::verbose);
  }
  // A wrong HEED_THREADS is reported here, before anything else is read.
  set_threads(common.threads > 0 ? common.threads : threads_wanted());
  limit_memory(common.memory_megabytes * 1'000'000);
  log_detail("{}, {} thread{}", program_version, threads(), threads() == 1 ? "" : "s");
  try {
    return row.verb->run();
  } catch (const Error& error) {
    throw Error(naming_options(error.what(), row.options), error.fault());
  }
}

/// Runs the program without a verb: --help or --version.
int run_program(const Words& words) {
  bool helps = false;
  bool says_version = false;
  Options options;
  options.flag("-h,--help", helps, "");
  options.flag("--version", says_version, "");
  options.read("", words);
  fmt::print("{}",
             helps ? program_help(columns_of_output()) : fmt::format("{}\n", program_version));
  return 0;
}

int run(const Words& words) {
  if (words.empty()) {
    std::fputs(program_help(columns_of_output()).c_str(), stderr);
    return static_cast<int>(Fault::usage);
  }
  int code = 0;
  if (words.front().starts_with("-")) {
    code = run_program(words);
  } else {
    check_verb(words.front());
    code = run_verb(words.front(), Words(words.begin() + 1, words.end()));
  }
  flush_results();
  return code;
}

/// Prints the message with the program's name before every line; nothing in it moves the terminal's
/// cursor. A message that cannot be written is lost, but the exit code is not: nothing here throws.
void print_error(std::string_view message) {
  std::string lines;
  for (size_t start = 0; start <= message.size();) {
    const size_t end = std::min(message.find('\n', start), message.size());
    lines += "heed: " + make_visible(message.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  std::fputs(lines.c_str(), stderr);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    reserve_standard_streams();
    return run(words_of(argc, argv));
  } catch (const Error& error) {
    print_error(error.what());
    return static_cast<int>(error.fault());
  } catch (const std::bad_alloc&) {
    std::fputs("heed: out of memory; use smaller batches\n", stderr);
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return static_cast<int>(std::ferror(stdout) != 0 ? Fault::disk : Fault::runtime);
}

const char* const program_version = "heed " HEED_VERSION;

}  // namespace heed
