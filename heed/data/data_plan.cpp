#include "heed/data/data_plan.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "heed/data/examples.h"
#include "heed/data/hasty_copies.h"
#include "heed/data/path_roots.h"
#include "heed/data/synths.h"
#include "heed/text/tokenisers.h"

namespace heed {
namespace {

std::vector<std::string> all_sources(const Cells& cells) {
  std::vector<std::string> sources;
  for (int64_t i = 0; i < cells.size(); ++i) {
    sources.emplace_back(cells.source(i));
  }
  return sources;
}

std::string listed(const std::vector<std::string>& names, const std::string& between) {
  std::string all;
  for (const std::string& name : names) {
    all += (all.empty() ? "" : between) + name;
  }
  return all;
}

/// All paths, located.
std::vector<std::string> located(std::vector<std::string> paths, const PathRoots& roots) {
  for (std::string& path : paths) {
    path = rooted(path, roots, "data");
  }
  return paths;
}

/// Whether the recipe's own limits left something out; else the files are to blame.
bool is_by_limits(const LeftOut& all) {
  int64_t count = 0;
  for (const char* limit : {"below min_source", "beyond max_source", "below min_target",
                            "beyond max_target", "beyond max_ratio"}) {
    count += all.count(limit);
  }
  return count > 0;
}

}  // namespace

void DataPlan::check() const {
  check_sources();
  if (!fields_.target().has_tokens()) {
    fail(Fault::usage,
         "data.target: {} has no tokens, and a decoder writes tokens; choose a field that has, "
         "such as text",
         fields_.target().kind());
  }
  if (fields_.target().is_read_as_source()) {
    fail(Fault::usage,
         "data.target: whole, first_tokens, plain_quotes and lower_capitals say how a source is "
         "read; leave them out (max_target leaves out long targets)");
  }
  if (synth_.empty() && !train_.empty() && valid_.empty() && hold_out_ == 0) {
    fail(Fault::usage,
         "data: there is no validation data; set valid = \"FILE\", or hold_out = 500 to take the "
         "last rows of train");
  }
  if (synth_.empty() && train_.empty()) {
    fail(Fault::usage,
         "data: there is nothing to learn from; name a task (`synth`), or the files `train` and "
         "`valid`");
  }
  if (!synth_.empty() && !(train_.empty() && valid_.empty())) {
    fail(Fault::usage,
         "data: the task \"{}\" and files exclude each other; leave out `synth` (--set "
         "data.synth=) or the files",
         synth_);
  }
  if (hold_out_ > 0 && (!valid_.empty() || !synth_.empty())) {
    fail(Fault::usage, "data: hold_out = {} and {} both give validation examples; leave out one",
         hold_out_, synth_.empty() ? "`valid`" : "`synth`");
  }
  if (hasty_copies_ > 0 && fields_.source().kind() != "text") {
    fail(Fault::usage, "data.hasty_copies: is for a source of text, not {}; leave it out",
         fields_.source().kind());
  }
  std::ptrdiff_t inputs = 0;
  for (const auto* paths : {&train_, &train_target_, &valid_, &valid_target_}) {
    inputs += std::count(paths->begin(), paths->end(), "-");
  }
  if (inputs > 1) {
    fail(Fault::usage,
         "data: \"-\" is named {} times, but standard input can be read only once; name files for "
         "the others",
         inputs);
  }
}

void DataPlan::check_sources() const {
  fields_.source().check();
  if (kept().skips_damaged && !fields_.source().verifies()) {
    fail(Fault::usage,
         "data.skip: \"damaged\" needs data.source.verify = true, because without it a damaged "
         "source is found only in the middle of the run, too late to leave it out; set verify = "
         "true, or leave \"damaged\" out of skip");
  }
  if (synth_.empty()) {
    return;
  }
  const auto made = synths().make(synth_)->source_field();
  if (!fields_.source().is_none() && made != fields_.source().kind()) {
    fail(Fault::usage, "data.source: is {0}, but the task \"{2}\" makes {1}; set it to that",
         fields_.source().kind(), made, synth_);
  }
}

RowFiles DataPlan::files(Split split, const DataFolders& folders) const {
  const bool trains = split == Split::train;
  return {.source = located(trains ? train_ : valid_, folders.roots),
          .target = located(trains ? train_target_ : valid_target_, folders.roots),
          .columns = trains || valid_columns_.empty() ? columns_ : valid_columns_,
          .source_columns = fields_.source().columns(),
          .most_line_bytes = static_cast<std::size_t>(max_line_bytes_),
          .skip = skip_,
          .table = "data"};
}

LeftOut DataPlan::read_train(const DataFolders& folders, const TakePair& take_all,
                             std::vector<Row>& held) const {
  const TakePair take = HastyCopies(hasty_copies_, take_all);
  if (!folders.rewrite) {
    return read_pairs_of_train(folders, take, held);
  }
  Cells pairs(place(folders.spill));
  LeftOut left_out = read_pairs_of_train(
      folders,
      [&pairs](std::string_view source, std::string_view target) { pairs.add(source, target); },
      held);
  pairs.finish();
  folders.rewrite(pairs, take);
  return left_out;
}

LeftOut DataPlan::read_pairs_of_train(const DataFolders& folders, const TakePair& take,
                                      std::vector<Row>& held) const {
  if (!synth_.empty()) {
    const auto synth = synths().make(synth_);
    for (int64_t i = 0; i < train_examples_; ++i) {
      const Example example =
          synth->make(static_cast<uint64_t>(synth_seed_), static_cast<uint64_t>(i), Split::train);
      take(fields_.source().is_none() ? "" : example.source, example.target);
    }
    return {};
  }
  RowReader reader(files(Split::train, folders));
  std::deque<Row> last;
  constexpr int64_t rows_in_no_time = 10000;
  int64_t rows = 0;
  for (Row row; reader.next(row);) {
    if (++rows == rows_in_no_time && folders.say) {
      folders.say("reading " + listed(train_, ", "));
    }
    row.source = fields_.source().located(row.source, reader.table());
    last.push_back(row);
    if (static_cast<int64_t>(last.size()) > hold_out_) {
      for (const std::string& target : last.front().targets) {
        take(last.front().source, target);
      }
      last.pop_front();
    }
  }
  held.assign(last.begin(), last.end());
  return reader.left_out();
}

Corpus DataPlan::valid(const Fields& fields, const DataFolders& folders,
                       std::vector<Row> rows) const {
  LeftOut left_out;
  if (!synth_.empty()) {
    for (Example& example : made_up_examples(
             {synth_, static_cast<uint64_t>(synth_seed_), Split::valid, valid_examples_})) {
      rows.push_back({fields_.source().is_none() ? "" : std::move(example.source),
                      {std::move(example.target)}});
    }
  } else if (hold_out_ == 0) {
    RowReader reader(files(Split::valid, folders));
    for (Row row; reader.next(row);) {
      row.source = fields_.source().located(row.source, reader.table());
      rows.push_back(row);
    }
    left_out = reader.left_out();
  }
  if (fields.source->learns()) {
    std::vector<std::string> sources;
    for (const Row& row : rows) {
      sources.push_back(row.source);
    }
    fields.source->meet(sources);
  }
  if (groups_references_) {
    rows = joined_by_source(std::move(rows));
  }
  return {std::move(rows), fields, kept(), std::move(left_out)};
}

/// The cells and the items of source and target have a quarter of the memory each.
SpillPlace DataPlan::place(const std::string& folder) const {
  return {folder, static_cast<std::uint64_t>(memory_mb_) * 1'000'000 / 4};
}

LengthLimits DataPlan::kept() const {
  LengthLimits limits = limits_;
  limits.skips_damaged = std::find(skip_.begin(), skip_.end(), "damaged") != skip_.end();
  return limits;
}

/// Learning subwords takes a while; the other vocabularies are there at once.
void DataPlan::say_what_is_learnt(const Fields& fields, const DataFolders& folders) const {
  std::vector<std::string> sides;
  const auto add = [&sides](const Field& field, const std::string& tokens, int64_t most,
                            std::string_view side) {
    if (field.has_tokens() && tokenisers().make(tokens)->learns()) {
      sides.push_back(fmt::format("{} subwords of the {}",
                                  most == 0 ? static_cast<int64_t>(usual_subwords) : most, side));
    }
  };
  if (shares_vocabulary_) {
    add(*fields.source, source_tokens_, std::max(source_vocabulary_, target_vocabulary_),
        "source and the target");
  } else {
    add(*fields.source, source_tokens_, source_vocabulary_, "source");
    add(*fields.target, target_tokens(), target_vocabulary_, "target");
  }
  if (folders.say && !sides.empty()) {
    folders.say("learning " + listed(sides, " and "));
  }
}

Fields DataPlan::learnt(const Fields& fields, const Cells& cells,
                        const std::vector<Special>& specials) const {
  Fields made = learn_fields(fields, cells,
                             {.source = source_tokens_,
                              .target = target_tokens(),
                              .max_source = source_vocabulary_,
                              .max_target = target_vocabulary_,
                              .min_count = min_count_,
                              .byte_fallback = byte_fallback_,
                              .character_coverage = character_coverage_,
                              .normalise = normalise_,
                              .is_shared = shares_vocabulary_,
                              .sample = vocabulary_sample_,
                              .target_specials = specials});
  if (given_target_) {
    require(!shares_vocabulary_ && made.target->has_tokens(),
            "data.vocabulary_of: is for a target of text with a vocabulary of its own, not beside "
            "share_vocabulary; leave one of them out");
    made.target->set_vocabulary(given_target_);
  }
  return made;
}

Corpora DataPlan::checked(Corpora corpora) {
  if (corpora.train.size() == 0 || corpora.valid.size() == 0) {
    LeftOut all = corpora.train.left_out();
    all.add(corpora.valid.left_out());
    fail(is_by_limits(all) ? Fault::usage : Fault::file,
         "data: there are {} training and {} validation pairs, but there must be some of both{}",
         corpora.train.size(), corpora.valid.size(),
         all.count() == 0 ? std::string() : "; left out: " + all.sentence());
  }
  return corpora;
}

Corpus DataPlan::written(const Fields& fields, const Cells& cells, const LeftOut& left_out,
                         const DataFolders& folders) const {
  CorpusWriter writer(fields, kept(), place(folders.spill));
  for (int64_t i = 0; i < cells.size(); ++i) {
    writer.add(cells.source(i), cells.target(i));
    if (i % 65536 == 0) {
      cells.release();
    }
  }
  return writer.finish(left_out);
}

LeftOut DataPlan::read_cells_of_train(const DataFolders& folders, Cells& cells,
                                      std::vector<Row>& held) const {
  LeftOut left_out = read_train(
      folders,
      [&cells](std::string_view source, std::string_view target) { cells.add(source, target); },
      held);
  cells.finish();
  return left_out;
}

Corpora DataPlan::load(const DataFolders& folders, const std::vector<Special>& specials) {
  check();
  Cells cells(place(folders.spill));
  std::vector<Row> held;
  const LeftOut left_out = read_cells_of_train(folders, cells, held);
  const Fields made = fields_.made();
  say_what_is_learnt(made, folders);
  const Fields fields = learnt(made, cells, specials);
  if (fields.source->learns()) {
    const std::vector<std::string> sources = all_sources(cells);
    fields.source->learn(sources);
    fields.source->meet(sources);
  }
  fields.source->keep_in(folders.spill);
  Corpus train = written(fields, cells, left_out, folders);
  return checked({std::move(train), valid(fields, folders, std::move(held))});
}

Corpora DataPlan::load(const Fields& known, const DataFolders& folders) {
  check();
  const Fields fields = fields_.made();
  for (const auto& [side, same, name] : {std::tuple(fields.source, known.source, "source"),
                                         std::tuple(fields.target, known.target, "target")}) {
    if (side->kind() != same->kind()) {
      fail(Fault::usage, "data.{}: is {}, but the model was made for {}", name, side->kind(),
           same->kind());
    }
    side->set_vocabulary(same->shared_vocabulary());
    side->set_learnt(same->learnt());
  }
  fields.source->keep_in(folders.spill);
  std::vector<Row> held;
  if (fields.source->learns()) {
    Cells cells(place(folders.spill));
    const LeftOut left_out = read_cells_of_train(folders, cells, held);
    fields.source->meet(all_sources(cells));
    Corpus train = written(fields, cells, left_out, folders);
    return checked({std::move(train), valid(fields, folders, std::move(held))});
  }
  CorpusWriter writer(fields, kept(), place(folders.spill));
  const LeftOut left_out = read_train(
      folders,
      [&writer](std::string_view source, std::string_view target) { writer.add(source, target); },
      held);
  Corpus train = writer.finish(left_out);
  return checked({std::move(train), valid(fields, folders, std::move(held))});
}

}  // namespace heed
