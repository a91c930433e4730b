// sound: recordings, decoded, resampled and turned into rows of features when a batch is made.
//
//   cell       a file (call.wav), relative to its table; with two further columns a stretch of it,
//              start and end in seconds; or a description of dialled digits (media/dialling.h)
//              With normalisation over the speaker (data/row_normalisation.h) one more column has the
//              speaker.
//   bytes      what such a file holds, or a description of dialled digits; there is no speaker
//   item       the speaker, and the file's bytes as they are; of a stretch its samples; of dialled digits the text
//   prepared   float32 features, row by row (media/sound_features.h)
//
// Features of recordings without noise are kept in the folder of the run (data/frame_cache.h).
//
// In training recordings and rows may change at random (data/sound_changes.h). Rows are labelled by
// their time in seconds.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>

#include "heed/base/allowance.h"
#include "heed/base/file.h"
#include "heed/base/sha256.h"
#include "heed/config/explain.h"
#include "heed/data/feature_choice.h"
#include "heed/data/fields.h"
#include "heed/data/frame_cache.h"
#include "heed/data/heard_levels.h"
#include "heed/data/row_normalisation.h"
#include "heed/data/rows.h"
#include "heed/data/sound_changes.h"
#include "heed/media/dialling.h"
#include "heed/media/onset.h"
#include "heed/media/quiet_cuts.h"
#include "heed/media/resample.h"
#include "heed/media/sound_features.h"
#include "heed/media/sound_file.h"

namespace heed {
namespace {

/// What the bytes behind an item's head are.
enum class SoundForm : uint32_t { file, samples, dialling };

/// Every item begins with it.
struct SoundHead {
  SoundForm form = SoundForm::file;
  int32_t rate = 0;
  int64_t samples = 0;
  int64_t speaker_bytes = 0;  // of the speaker's name, which follows; the rest is the payload
};

Item sound_item(SoundHead head, std::string_view speaker, ItemView payload) {
  head.speaker_bytes = static_cast<int64_t>(speaker.size());
  const auto name = std::as_bytes(std::span(speaker));
  Item item(sizeof(head));
  std::memcpy(item.data(), &head, sizeof(head));
  item.insert(item.end(), name.begin(), name.end());
  item.insert(item.end(), payload.begin(), payload.end());
  return item;
}

SoundHead head_of(ItemView item) {
  SoundHead head;
  require(item.size() >= sizeof(head), "sound: saw an item of {} bytes, needs a recording's",
          item.size());
  std::memcpy(&head, item.data(), sizeof(head));
  require(head.speaker_bytes >= 0 &&
              static_cast<uint64_t>(head.speaker_bytes) <= item.size() - sizeof(head),
          "sound: saw an item whose speaker has {} bytes, needs them", head.speaker_bytes);
  return head;
}

std::string_view speaker_of(ItemView item) {
  const SoundHead head = head_of(item);
  return {reinterpret_cast<const char*>(item.data()) + sizeof(head),
          static_cast<std::size_t>(head.speaker_bytes)};
}

Sound sound_in(ItemView item, const SoundLimits& limits) {
  const SoundHead head = head_of(item);
  const ItemView payload =
      item.subspan(sizeof(head) + static_cast<std::size_t>(head.speaker_bytes));
  switch (head.form) {
    case SoundForm::file:
      return decode_sound(payload, "recording", {}, limits);
    case SoundForm::samples: {
      Sound sound{head.rate, std::vector<float>(payload.size() / sizeof(float))};
      std::memcpy(sound.samples.data(), payload.data(), sound.samples.size() * sizeof(float));
      return sound;
    }
    case SoundForm::dialling:
      return sound_of(dialling_of({reinterpret_cast<const char*>(payload.data()), payload.size()}));
  }
  fail("sound: saw an item of an unknown form");
}

/// The file and the stretch that a cell names.
struct NamedStretch {
  std::string path;
  SoundStretch stretch;
};

NamedStretch stretch_of(std::string_view cell) {
  const auto columns = split_at_tabs(cell);
  NamedStretch named{std::string(columns.front()), {}};
  const auto read = [&cell](std::string_view text, double& seconds) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(seconds)) {
      fail(Fault::file, "{}: \"{}\" must be seconds, such as 12.5", cell.substr(0, 200),
           text.substr(0, 40));
    }
  };
  if (columns.size() == 3) {
    read(columns[1], named.stretch.start);
    read(columns[2], named.stretch.end);
  } else if (columns.size() != 1) {
    fail(Fault::file, "{}: there are {} columns; give a file, or a file, a start and an end",
         cell.substr(0, 200), columns.size());
  }
  return named;
}

/// A recording in stretches of at most this many seconds, which end where it is quiet; none if it is
/// no longer. They begin and end at whole milliseconds, so that they may be written down.
std::vector<SoundStretch> quiet_stretches(ItemView file, const std::string& name,
                                          double most_seconds) {
  if (sound_seconds(file, name) <= most_seconds) {
    return {};
  }
  const SoundLevels levels = sound_levels(file, name);
  const std::vector<double> cuts = quiet_cuts(levels, most_seconds);
  const auto at_millisecond = [](double second) { return std::round(1000 * second) / 1000; };
  std::vector<SoundStretch> stretches;
  for (size_t i = 0; !cuts.empty() && i <= cuts.size(); ++i) {
    const double start = i == 0 ? 0 : cuts[i - 1];
    const double end = i == cuts.size() ? levels.seconds() + 1 : cuts[i];  // behind the end
    stretches.push_back({at_millisecond(start), at_millisecond(end)});
  }
  return stretches;
}

enum class SoundCells { file, stretch };

/// Keeps the bytes of the file that was read last, as the stretches of a long recording come one
/// after the other.
class LastFile {
 public:
  std::shared_ptr<const std::string> read(const std::string& path) {
    {
      const std::lock_guard lock(guard_);
      if (path_ == path && bytes_) {
        return bytes_;
      }
    }
    constexpr uint64_t most_bytes = uint64_t{1} << 32;
    auto bytes = std::make_shared<const std::string>(read_file(path, most_bytes));
    const std::lock_guard lock(guard_);
    path_ = path;
    bytes_ = bytes;
    return bytes;
  }

 private:
  std::mutex guard_;
  std::string path_;
  std::shared_ptr<const std::string> bytes_;
};

class SoundField : public Field {
 public:
  void describe(Describer& d) override {
    choice_.describe(d);
    normalisation_.describe(d);
    d.setting("cells", cells_, {{"file", SoundCells::file}, {"stretch", SoundCells::stretch}},
              {"what a cell holds: the name of a file, or of a file and the start and end of a "
               "stretch in seconds (three columns)"});
    d.setting("most_seconds", most_seconds_,
              {.help = "longer recordings are refused", .least = 0.01, .most = 36'000});
    d.setting(
        "cache", cache_megabytes_,
        {.help = "most megabytes of features that a run keeps on disk, so that each recording is "
                 "heard once at every speed; 0: none",
         .least = 0,
         .most = 1e7});
    changes_.describe(d);
  }
  void check() const override {
    features();
    normalisation_.check();
  }
  RowKind row_kind() const override { return RowKind::numbers; }
  bool is_sound() const override { return true; }
  bool has_times() const override { return true; }
  RowForm form() const override { return RowForm::numbers(features()->width()); }
  std::string summary() const override {
    const auto made = features();
    return fmt::format("{} numbers a row, {:g} rows a second, from {} samples a second",
                       made->width(), made->frame_rate(), made->rate());
  }

  int64_t columns() const override {
    return (cells_ == SoundCells::stretch ? 3 : 1) + (normalisation_.reads_speaker() ? 1 : 0);
  }
  bool learns() const override {
    return normalisation_.reads_speaker() || normalisation_.reads_corpus();
  }
  void learn(std::span<const std::string> cells) override;
  void meet(std::span<const std::string> cells) const override;
  std::string learnt() const override { return normalisation_.learnt(); }
  void set_learnt(const std::string& learnt) override { normalisation_.set_learnt(learnt); }
  void keep_in(const std::string& folder) override {
    const auto bytes = static_cast<uint64_t>(cache_megabytes_) << 20;
    cache_ =
        folder.empty() || bytes == 0
            ? nullptr
            : std::make_shared<FrameCache>(folder, sha256_hex(config_of(*this).write()), bytes);
  }
  std::string located(const std::string& cell, const std::string& table) const override {
    const bool is_placed = cell.starts_with('/') || cell == "-" || is_dialling(cell);
    return is_placed ? cell : directory_of(table) + "/" + cell;
  }
  Item read(std::string_view cell) const override;
  ReadSource reading(const Source& source) const override;
  int64_t length(ItemView item) const override {
    const SoundHead head = head_of(item);
    const auto made = features();
    return made->frames(samples_at(head.samples, head.rate, static_cast<int32_t>(made->rate())));
  }
  Item prepared(ItemView item, const std::optional<RandomKey>& key) const override;
  std::string unlike(ItemView prepared) const override {
    return normalisation_.unlike(prepared, features()->width());
  }
  HostRows collate(std::span<const Item> items, const Place& place) const override;
  std::vector<Source> parts(const Source& source, double most_seconds) const override;
  std::vector<double> seconds(const ReadSource& read) const override;
  std::vector<std::string> labels(const ReadSource& read) const override;

 private:
  /// The features by the present settings, made once.
  std::shared_ptr<const SoundFeatures> features() const;

  FeatureForm form_of_rows() const {
    FeatureForm form = choice_.form();
    form.norm = normalisation_.over_recording();
    return form;
  }
  /// The cell without a speaker, and the speaker: a cell of two or four columns has one.
  SpokenCell spoken(std::string_view cell) const {
    const bool has_speaker = normalisation_.reads_speaker() && !is_dialling(cell) &&
                             std::count(cell.begin(), cell.end(), '\t') % 2 == 1;
    return has_speaker ? without_speaker(cell, 2) : SpokenCell{cell, {}};
  }
  /// The item of a stretch of a sound file, which messages call `name`.
  Item item_of(ItemView file, const std::string& name, const SoundStretch& stretch,
               std::string_view speaker) const;
  std::vector<float> heard(ItemView item, const std::optional<RandomKey>& key) const;
  /// Rows that are neither normalised nor spliced.
  RowNormalisation::RowsOf plain_rows() const;

  FeatureChoice choice_;
  RowNormalisation normalisation_;
  SoundCells cells_ = SoundCells::file;
  double most_seconds_ = 600;
  int64_t cache_megabytes_ = 1024;
  SoundChanges changes_;
  std::shared_ptr<FrameCache> cache_;
  std::shared_ptr<LastFile> files_ = std::make_shared<LastFile>();
  mutable std::mutex guard_;
  mutable FeatureForm made_for_;
  mutable std::shared_ptr<const SoundFeatures> made_;
};

std::shared_ptr<const SoundFeatures> SoundField::features() const {
  const FeatureForm wanted = form_of_rows();
  const std::lock_guard lock(guard_);
  if (!made_ || made_for_ != wanted) {
    made_ = std::make_shared<const SoundFeatures>(wanted);
    made_for_ = wanted;
  }
  return made_;
}

Item SoundField::read(std::string_view cell) const {
  if (is_dialling(cell)) {
    const Dialling dialling = dialling_of(cell);
    return sound_item({SoundForm::dialling, Dialling::rate, dialling.samples()}, {},
                      std::as_bytes(std::span(cell)));
  }
  const SpokenCell said = spoken(cell);
  const NamedStretch named = stretch_of(said.cell);
  const auto bytes = files_->read(named.path);
  return item_of(std::as_bytes(std::span(*bytes)), named.path, named.stretch, said.speaker);
}

Item SoundField::item_of(ItemView file, const std::string& name, const SoundStretch& stretch,
                         std::string_view speaker) const {
  // Decoded here to find damage and the length; kept as it is, because files are smaller.
  const Sound sound = decode_sound(file, name, stretch, {most_seconds_});
  const HeldBytes held(sound.samples.size() * sizeof(float));
  const auto count = static_cast<int64_t>(sound.samples.size());
  if (stretch.is_whole()) {
    return sound_item({SoundForm::file, sound.rate, count}, speaker, file);
  }
  return sound_item({SoundForm::samples, sound.rate, count}, speaker,
                    std::as_bytes(std::span(sound.samples)));
}

ReadSource SoundField::reading(const Source& source) const {
  const std::string_view text = source.text();
  if (is_dialling(text)) {
    return {read(text)};
  }
  if (!source.is_bytes()) {
    return {.item = read(text), .start = stretch_of(spoken(text).cell).stretch.start};
  }
  return {.item = item_of(std::as_bytes(std::span(text)), "recording",
                          {source.start(), source.end()}, {}),
          .start = source.start()};
}

RowNormalisation::RowsOf SoundField::plain_rows() const {
  FeatureForm form = choice_.form();
  form.splice_left = 0;
  form.splice_right = 0;
  return [this, plain = std::make_shared<const SoundFeatures>(form)](std::string_view cell) {
    const Item item = read(cell);
    const Sound sound =
        resampled(sound_in(item, {most_seconds_}), static_cast<int32_t>(plain->rate()));
    return (*plain)(sound.samples);
  };
}

void SoundField::learn(std::span<const std::string> cells) {
  normalisation_.learn(cells, features()->unspliced_width(), plain_rows());
}

void SoundField::meet(std::span<const std::string> cells) const {
  normalisation_.meet(cells, features()->unspliced_width(), plain_rows());
}

/// The rows of a recording, changed by the key but not masked.
std::vector<float> SoundField::heard(ItemView item, const std::optional<RandomKey>& key) const {
  const auto made = features();
  const std::optional<FrameScale> scale =
      normalisation_.scale(speaker_of(item), made->unspliced_width());
  const auto make = [&] {
    Sound sound = sound_in(item, {most_seconds_});
    HeldBytes held(sound.samples.size() * sizeof(float));
    sound = resampled(std::move(sound), static_cast<int32_t>(made->rate()));
    held.grow_to(sound.samples.size() * sizeof(float));
    if (key) {
      sound = changes_.changed(std::move(sound), *key);
    }
    return (*made)(sound.samples, scale ? &*scale : nullptr);
  };
  if (!cache_ || (key && changes_.draws_noise(*key))) {
    return make();
  }
  const double speed = key ? changes_.drawn_speed(*key) : 1;
  return cache_->rows({item, speed, scale ? text_of(*scale) : ""}, made->width(), make);
}

Item SoundField::prepared(ItemView item, const std::optional<RandomKey>& key) const {
  std::vector<float> rows = heard(item, key);
  if (key) {
    changes_.mask(rows, features()->width(), *key);
  }
  const auto bytes = std::as_bytes(std::span(rows));
  return {bytes.begin(), bytes.end()};
}

HostRows SoundField::collate(std::span<const Item> items, const Place& place) const {
  return rows_of_numbers(items, features()->width(), place);
}

std::vector<Source> SoundField::parts(const Source& source, double most_seconds) const {
  const std::string_view text = source.text();
  if (is_dialling(text)) {
    return {source};
  }
  std::vector<Source> parts;
  if (source.is_bytes()) {
    const ItemView file = std::as_bytes(std::span(text));
    for (const SoundStretch& one : quiet_stretches(file, "recording", most_seconds)) {
      parts.push_back(source.stretch(one.start, one.end));
    }
    return parts.empty() ? std::vector<Source>{source} : parts;
  }
  const SpokenCell said = spoken(text);
  const NamedStretch named = stretch_of(said.cell);
  if (!named.stretch.is_whole()) {
    return {source};
  }
  const auto bytes = files_->read(named.path);
  const ItemView file = std::as_bytes(std::span(*bytes));
  for (const SoundStretch& one : quiet_stretches(file, named.path, most_seconds)) {
    parts.emplace_back(fmt::format("{}\t{:.3f}\t{:.3f}{}{}", named.path, one.start, one.end,
                                   said.speaker.empty() ? "" : "\t", said.speaker));
  }
  return parts.empty() ? std::vector<Source>{source} : parts;
}

std::vector<double> SoundField::seconds(const ReadSource& read) const {
  const double rate = features()->frame_rate();
  std::vector<double> seconds;
  for (int64_t row = 0; row < length(read.item); ++row) {
    seconds.push_back(read.start + static_cast<double>(row) / rate);
  }
  return seconds;
}

std::vector<std::string> SoundField::labels(const ReadSource& read) const {
  std::vector<std::string> labels;
  for (const double second : seconds(read)) {
    labels.push_back(fmt::format("{:.2f}", second));
  }
  return labels;
}

}  // namespace

SoundLevels levels_of_item(ItemView item) {
  return levels_of(sound_in(item, {std::numeric_limits<double>::infinity()}));
}

std::unique_ptr<Field> sound_field() { return std::make_unique<SoundField>(); }

}  // namespace heed
