// sound: recordings, decoded, resampled and turned into rows of features when a batch is made.
//
//   cell       a file (call.wav), relative to its table; with two further columns a stretch of it,
//              start and end in seconds; or a description of dialled digits (media/dialling.h)
//   item       the file's bytes as they are; of a stretch its samples; of dialled digits the text
//   prepared   float32 features, row by row (media/sound_features.h)
//
// In training recordings and rows may change at random (data/sound_changes.h). Rows are labelled by
// their time in seconds.
#include <charconv>
#include <cmath>
#include <cstring>
#include <mutex>

#include "heed/base/file.h"
#include "heed/data/feature_choice.h"
#include "heed/data/fields.h"
#include "heed/data/rows.h"
#include "heed/data/sound_changes.h"
#include "heed/media/dialling.h"
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
};

Item sound_item(const SoundHead& head, ItemView payload) {
  Item item(sizeof(head) + payload.size());
  std::memcpy(item.data(), &head, sizeof(head));
  if (!payload.empty()) {
    std::memcpy(item.data() + sizeof(head), payload.data(), payload.size());
  }
  return item;
}

SoundHead head_of(ItemView item) {
  SoundHead head;
  require(item.size() >= sizeof(head), "sound: saw an item of {} bytes, needs a recording's",
          item.size());
  std::memcpy(&head, item.data(), sizeof(head));
  return head;
}

Sound sound_in(ItemView item, const SoundLimits& limits) {
  const SoundHead head = head_of(item);
  const ItemView payload = item.subspan(sizeof(head));
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
      fail(Fault::file, "{}: saw \"{}\", needs seconds, such as 12.5", cell.substr(0, 200),
           text.substr(0, 40));
    }
  };
  if (columns.size() == 3) {
    read(columns[1], named.stretch.start);
    read(columns[2], named.stretch.end);
  } else if (columns.size() != 1) {
    fail(Fault::file, "{}: saw {} columns, needs a file, or a file, a start and an end",
         cell.substr(0, 200), columns.size());
  }
  return named;
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
    d.setting("cells", cells_, {{"file", SoundCells::file}, {"stretch", SoundCells::stretch}},
              {"what a cell holds: the name of a file, or of a file and the start and end of a "
               "stretch in seconds (three columns)"});
    d.setting("most_seconds", most_seconds_,
              {.help = "longer recordings are refused", .least = 0.01, .most = 36'000});
    changes_.describe(d);
  }
  void check() const override { features(); }
  RowForm form() const override { return RowForm::numbers(features()->width()); }
  std::string summary() const override {
    const auto made = features();
    return fmt::format("{} numbers a row, {:g} rows a second, from {} samples a second",
                       made->width(), made->frame_rate(), made->rate());
  }

  int64_t columns() const override { return cells_ == SoundCells::stretch ? 3 : 1; }
  std::string located(const std::string& cell, const std::string& table) const override {
    const bool is_placed = cell.starts_with('/') || cell == "-" || is_dialling(cell);
    return is_placed ? cell : directory_of(table) + "/" + cell;
  }
  Item read(std::string_view cell) const override;
  int64_t length(ItemView item) const override {
    const SoundHead head = head_of(item);
    const auto made = features();
    return made->frames(samples_at(head.samples, head.rate, static_cast<int32_t>(made->rate())));
  }
  Item prepared(ItemView item, const std::optional<RandomKey>& key) const override;
  FieldRows collate(std::span<const Item> items, const Place& place) const override;
  std::vector<std::string> parts(std::string_view cell, double most_seconds) const override;
  std::vector<double> seconds(std::string_view cell, ItemView item) const override;
  std::vector<std::string> labels(std::string_view cell, ItemView item) const override;

 private:
  /// The features by the present settings, made once.
  std::shared_ptr<const SoundFeatures> features() const;

  FeatureChoice choice_;
  SoundCells cells_ = SoundCells::file;
  double most_seconds_ = 600;
  SoundChanges changes_;
  std::shared_ptr<LastFile> files_ = std::make_shared<LastFile>();
  mutable std::mutex guard_;
  mutable FeatureForm made_for_;
  mutable std::shared_ptr<const SoundFeatures> made_;
};

std::shared_ptr<const SoundFeatures> SoundField::features() const {
  const FeatureForm wanted = choice_.form();
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
    return sound_item({SoundForm::dialling, Dialling::rate, dialling.samples()},
                      std::as_bytes(std::span(cell)));
  }
  const NamedStretch named = stretch_of(cell);
  const auto bytes = files_->read(named.path);
  const ItemView file = std::as_bytes(std::span(*bytes));
  // Decoded here to find damage and the length; kept as it is, because files are smaller.
  const Sound sound = decode_sound(file, named.path, named.stretch, {most_seconds_});
  const auto count = static_cast<int64_t>(sound.samples.size());
  if (named.stretch.is_whole()) {
    return sound_item({SoundForm::file, sound.rate, count}, file);
  }
  return sound_item({SoundForm::samples, sound.rate, count},
                    std::as_bytes(std::span(sound.samples)));
}

Item SoundField::prepared(ItemView item, const std::optional<RandomKey>& key) const {
  const auto made = features();
  Sound sound = resampled(sound_in(item, {most_seconds_}), static_cast<int32_t>(made->rate()));
  if (key) {
    sound = changes_.changed(std::move(sound), *key);
  }
  std::vector<float> rows = (*made)(sound.samples);
  if (key) {
    changes_.mask(rows, made->width(), *key);
  }
  const auto bytes = std::as_bytes(std::span(rows));
  return {bytes.begin(), bytes.end()};
}

FieldRows SoundField::collate(std::span<const Item> items, const Place& place) const {
  const int64_t width = features()->width();
  std::vector<float> all;
  std::vector<int32_t> lengths;
  for (const Item& item : items) {
    const std::size_t before = all.size();
    all.resize(before + item.size() / sizeof(float));
    if (!item.empty()) {
      std::memcpy(all.data() + before, item.data(), item.size());
    }
    lengths.push_back(static_cast<int32_t>(static_cast<int64_t>(all.size() - before) / width));
  }
  const int64_t rows = static_cast<int64_t>(all.size()) / width;
  return {Tensor::of(all, {rows, width}, place), Layout::packed(lengths, place)};
}

std::vector<std::string> SoundField::parts(std::string_view cell, double most_seconds) const {
  if (is_dialling(cell)) {
    return {std::string(cell)};
  }
  const NamedStretch named = stretch_of(cell);
  if (!named.stretch.is_whole()) {
    return {std::string(cell)};
  }
  const auto bytes = files_->read(named.path);
  const ItemView file = std::as_bytes(std::span(*bytes));
  if (sound_seconds(file, named.path) <= most_seconds) {
    return {std::string(cell)};
  }
  const SoundLevels levels = sound_levels(file, named.path);
  const std::vector<double> cuts = quiet_cuts(levels, most_seconds);
  std::vector<std::string> parts;
  for (size_t i = 0; !cuts.empty() && i <= cuts.size(); ++i) {
    const double start = i == 0 ? 0 : cuts[i - 1];
    const double end = i == cuts.size() ? levels.seconds() + 1 : cuts[i];  // behind the end
    parts.push_back(fmt::format("{}\t{:.3f}\t{:.3f}", named.path, start, end));
  }
  return parts.empty() ? std::vector<std::string>{std::string(cell)} : parts;
}

std::vector<double> SoundField::seconds(std::string_view cell, ItemView item) const {
  const double start = is_dialling(cell) ? 0 : stretch_of(cell).stretch.start;
  const double rate = features()->frame_rate();
  std::vector<double> seconds;
  for (int64_t row = 0; row < length(item); ++row) {
    seconds.push_back(start + static_cast<double>(row) / rate);
  }
  return seconds;
}

std::vector<std::string> SoundField::labels(std::string_view cell, ItemView item) const {
  std::vector<std::string> labels;
  for (const double second : seconds(cell, item)) {
    labels.push_back(fmt::format("{:.2f}", second));
  }
  return labels;
}

}  // namespace

std::unique_ptr<Field> sound_field() { return std::make_unique<SoundField>(); }

}  // namespace heed
