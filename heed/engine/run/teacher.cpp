#include "heed/engine/run/teacher.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/base/sha256.h"
#include "heed/config/explain.h"
#include "heed/engine/answer/answer.h"
#include "heed/model/file/model_file.h"
#include "heed/train/growing_file.h"

namespace heed {
namespace {

/// Each source once, in the order of the data.
std::vector<std::string> different_sources(const Cells& pairs) {
  std::unordered_set<std::string> seen;
  std::vector<std::string> sources;
  for (int64_t i = 0; i < pairs.size(); ++i) {
    if (seen.emplace(pairs.source(i)).second) {
      sources.emplace_back(pairs.source(i));
    }
  }
  return sources;
}

/// The whole lines of the file. A last line without its end, which a killed run left, is cut off.
std::vector<std::string> whole_lines(const std::string& path) {
  std::vector<std::string> lines;
  if (!file_exists(path)) {
    return lines;
  }
  const std::string text = read_file(path);
  size_t first = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', first)) {
    lines.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  if (first < text.size()) {
    std::filesystem::resize_file(path, first);
  }
  return lines;
}

}  // namespace

void Teacher::describe(Describer& d) {
  d.setting("model", model_,
            {"a model whose outputs replace the targets of the training data; empty: none"});
  d.child("search", search_);
  d.setting("batch", batch_,
            {.help = "sources that it answers together", .least = 1, .most = 100'000});
  d.setting("keep_pairs", keeps_pairs_, {"train on the pairs of the data as well"});
}

std::string Teacher::key(const std::string& path, const std::vector<std::string>& sources) const {
  SearchOptions search = search_;
  Sha256 hash;
  hash.update(read_file(path)).update(config_of(search).write());
  for (const std::string& source : sources) {
    hash.update(source).update(std::string_view("\n", 1));
  }
  return hash.finish_hex().substr(0, 16);
}

std::vector<std::string> Teacher::outputs(const std::vector<std::string>& sources,
                                          const Work& work) const {
  const std::string path = work.shelf.path_of(model_, "teacher.model");
  const std::string file = fmt::format("{}/teacher-{}.txt", work.folder, key(path, sources));
  std::vector<std::string> said = whole_lines(file);
  if (said.size() >= sources.size()) {
    work.hooks.say(fmt::format("{}: the teacher's outputs are in {}", work.name, file));
    said.resize(sources.size());
    return said;
  }
  const TrainedModel teacher = load_model(path, work.place);
  work.hooks.say(fmt::format("{}: {} answers {} sources; {} are answered in {}", work.name, path,
                             sources.size(), said.size(), file));
  AnswerOptions how;
  how.search = search_;
  how.search.beam = std::max(how.search.beam, how.search.n_best);
  how.batch = batch_;
  GrowingFile out(file);
  const size_t at_once = 16 * static_cast<size_t>(batch_);  // ordered by length in batches
  while (said.size() < sources.size()) {
    if (work.hooks.interrupt() != 0) {
      fail(Fault::cancelled,
           "teacher: interrupted after {} of {} sources; the same command continues", said.size(),
           sources.size());
    }
    const auto some = std::span(sources).subspan(said.size());
    how.first_line = static_cast<int64_t>(said.size()) + 1;  // names random draws
    const auto texts = answer_texts(teacher, some.first(std::min(at_once, some.size())), how);
    std::string lines;
    for (const std::string& text : texts) {
      lines += text + "\n";
    }
    out.add(lines);
    if (!out.trouble().empty()) {
      fail(Fault::disk, "teacher: {}", out.trouble());
    }
    said.insert(said.end(), texts.begin(), texts.end());
    work.hooks.say(
        fmt::format("{}: {} of {} sources are answered", work.name, said.size(), sources.size()));
  }
  return said;
}

void Teacher::check(const ModelShelf& shelf, const Place& place, const Field& source) const {
  if (source.is_none()) {
    fail(Fault::usage, "teacher.model: {} answers sources, and the data has none; leave it out",
         model_);
  }
  const std::string path = shelf.path_of(model_, "teacher.model");
  const std::string reads = load_model(path, place).fields.source->kind();
  if (reads != source.kind()) {
    fail(Fault::usage, "teacher.model: {} reads {}, but the data's sources are {}; choose another",
         path, reads, source.kind());
  }
}

void Teacher::rewrite(const Cells& pairs, const TakePair& take, const Work& work) const {
  if (keeps_pairs_) {
    for (int64_t i = 0; i < pairs.size(); ++i) {
      take(pairs.source(i), pairs.target(i));
    }
  }
  const std::vector<std::string> sources = different_sources(pairs);
  const std::vector<std::string> said = outputs(sources, work);
  int64_t empty = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (said[i].find_first_not_of(" \t") == std::string::npos) {
      ++empty;
    } else {
      take(sources[i], said[i]);
    }
  }
  if (empty > 0) {
    work.hooks.say(fmt::format("{}: left out {} sources for which the teacher says nothing",
                               work.name, empty));
  }
}

}  // namespace heed
