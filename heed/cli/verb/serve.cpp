// heed serve: answers over HTTP, with what the command line says, until it is told to end.
#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "heed/api/model_inside.h"
#include "heed/base/file.h"
#include "heed/base/thread_pool.h"
#include "heed/cli/command_line.h"
#include "heed/cli/environment.h"
#include "heed/cli/log.h"
#include "heed/cli/output.h"
#include "heed/cli/setting_options.h"
#include "heed/cli/verbs.h"
#include "heed/engine/answer/model_choice.h"
#include "heed/engine/shelf/place.h"
#include "heed/serve/open_api.h"
#include "heed/serve/service.h"

namespace heed {
namespace {

/// NAME=FILE,precision=int8, of which only FILE must be there.
struct NamedModel {
  std::string name;
  std::string file;
  std::string precision = "f32";

  explicit NamedModel(const std::string& given);
};

NamedModel::NamedModel(const std::string& given) : file(given) {
  constexpr std::string_view chooses = ",precision=";
  if (const auto comma = file.rfind(chooses); comma != std::string::npos) {
    precision = file.substr(comma + chooses.size());
    file.resize(comma);
  }
  const auto equals = file.find('=');
  if (equals != std::string::npos && file.find('/') > equals) {
    name = file.substr(0, equals);
    file.erase(0, equals + 1);
  }
  if (file.empty() || (equals == 0)) {
    fail(Fault::usage,
         "serve: --model: must be FILE, NAME=FILE or NAME=FILE,precision=int8, not "
         "\"{}\"",
         given);
  }
}

/// While it lives, SIGINT and SIGTERM wait until somebody waits for them. Threads that are started meanwhile
/// do not get them.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    sigemptyset(&all_);
    sigaddset(&all_, SIGINT);
    sigaddset(&all_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &all_, &before_);
  }
  ~AwaitedSignals() { stop_waiting(); }
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;

  /// The next one has its usual effect.
  void stop_waiting() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  void wait() const {
    int number = 0;
    sigwait(&all_, &number);
  }

 private:
  sigset_t all_{};
  sigset_t before_{};
};

class ServeVerb : public Verb {
 public:
  void options(Options& options) override {
    options
        .add("-m,--model", models_,
             "a model file, or the name of one that heed models lists; NAME=FILE gives it another "
             "name, FILE,precision=int8 another precision; may be repeated. Without it, all models "
             "that heed models lists")
        .takes("FILE")
        .completes("models");
    options
        .add("--keys", keys_,
             "a file with a key a line; clients must then send one: Authorization: Bearer KEY")
        .takes("FILE");
    options.flag("-q,--quiet", is_quiet_, "write no line of log for each request");
    options.flag("--openapi", lists_routes_,
                 "print what the server can be asked, as GET /openapi.json gives it, and end");
    SettingOptions(options, serve_options_);
  }
  std::string description() const override {
    return "Answers over HTTP: translations, captions, transcripts and labels, byte for byte those "
           "of the command line. Prints its address, writes one JSON line a request to standard "
           "error, and ends after SIGTERM or Ctrl-C when it has answered what it had accepted. "
           "GET /openapi.json lists what it can be asked.";
  }
  std::string examples() const override {
    return "  heed serve\n"
           "  heed serve -m en-zh --port 9000\n"
           "  heed serve -m own=run/model.safetensors,precision=int8 --rate 5\n"
           "  heed serve --address 0.0.0.0 --host example.org --keys keys.txt\n"
           "  curl -H 'Content-Type: application/json' -d '{\"text\": \"I like cats.\"}' \\\n"
           "    http://127.0.0.1:8080/v1/translate\n";
  }
  int run() override {
    serve_options_.keys = keys();
    if (lists_routes_) {
      const ServeState state(serve_options_, Engine({.threads = 1}), {}, program_version);
      fmt::print("{}\n", open_api(state).write());
      return 0;
    }
    const AwaitedSignals signals;  // before the engine has threads
    const Engine engine(
        {.threads = threads(), .memory_limit = static_cast<uint64_t>(memory_limit())});
    std::vector<ServedModel> models = load(engine);
    Service service(serve_options_, engine, std::move(models), std::string(program_version), log());
    std::thread talks([&service] { service.run(); });
    print_whole(service.url() + "\n");
    signals.wait();
    service.stop();
    signals.stop_waiting();
    talks.join();
    return 0;
  }

 private:
  std::vector<std::string> keys() const;
  std::vector<ServedModel> load(const Engine& engine) const;
  Service::Log log() const;

  std::vector<std::string> models_;
  std::string keys_;
  bool is_quiet_ = false;
  bool lists_routes_ = false;
  ServeOptions serve_options_;
};

/// A key a line; blank lines and those that begin with # are none.
std::vector<std::string> ServeVerb::keys() const {
  std::vector<std::string> all;
  const std::string text = keys_.empty() ? "" : read_file(keys_, 1'000'000);
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    std::string line = text.substr(start, end - start);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty() && line.front() != '#') {
      all.push_back(line);
    }
    start = end + 1;
  }
  if (!keys_.empty() && all.empty()) {
    fail(Fault::usage, "serve: --keys: {} has no key; write one a line", keys_);
  }
  return all;
}

std::vector<ServedModel> ServeVerb::load(const Engine& engine) const {
  const ModelShelf shelf = model_shelf();
  std::vector<std::string> wanted = models_;
  for (const ShelvedModel& one : models_.empty() ? shelf.listed() : std::vector<ShelvedModel>()) {
    wanted.push_back(one.path);
  }
  if (wanted.empty()) {
    fail(Fault::usage, "serve: there is no model; name one: -m FILE");
  }
  std::vector<ServedModel> all;
  for (const std::string& given : wanted) {
    const NamedModel named(given);
    const std::string path = shelf.path_of(named.file, "serve");
    LoadedModel model = engine.load(path, {.precision = named.precision});
    std::error_code none;
    const auto written = std::filesystem::last_write_time(path, none);
    const auto since = std::chrono::file_clock::to_sys(written).time_since_epoch();
    ServedModel one{
        .name = named.name.empty() ? std::filesystem::path(path).stem().string() : named.name,
        .model = model,
        .kind = &kind_given_by(ModelInside::trained(model)),
        .created = std::chrono::duration_cast<std::chrono::seconds>(since).count()};
    for (const ServedModel& other : all) {
      if (other.name == one.name) {
        fail(Fault::usage, "serve: two models are called {}; give one another name: NAME=FILE",
             one.name);
      }
    }
    log_detail("{}: {}, for {}", one.name, path, one.kind->verb);
    all.push_back(std::move(one));
  }
  return all;
}

Service::Log ServeVerb::log() const {
  return is_quiet_ ? Service::Log() : [](const std::string& line) { log_line(line); };
}

}  // namespace

std::unique_ptr<Verb> serve_verb() { return std::make_unique<ServeVerb>(); }

}  // namespace heed
