// features: rows of numbers, such as the frames of a recording, made elsewhere.
//
//   cell   numbers ("0.1 0.2; 0.3 0.4"), a file of them (utterance.npy), or a range of rows of a
//          file of float32 numbers (train.f32.gz:120:45); a table may give the range as two
//          columns, first row and number of rows, of the .f32 file next to it with its name
//   bytes  numbers ("0.1 0.2; 0.3 0.4"), or what an .npy file holds
//   item   float32 numbers, row by row, normalised (data/row_normalisation.h)
//
// With normalisation over the speaker a cell has one more column, the speaker.
//
// In training rows may change at random (Park 2019 has the masks):
//
//   played up to `speed` faster or slower (Ko 2015), rows between two by both
//   x ← x + noise · N(0, 1)       and `masks` times, up to `mask_rows` rows ← the mean of all rows
#include <cmath>
#include <cstring>

#include "heed/base/file.h"
#include "heed/config/limits.h"
#include "heed/data/fields.h"
#include "heed/data/number_files.h"
#include "heed/data/row_normalisation.h"
#include "heed/media/frame_steps.h"

namespace heed {
namespace {

std::span<const float> numbers_of(ItemView item) {
  return {reinterpret_cast<const float*>(item.data()), item.size() / sizeof(float)};
}

Item item_of_numbers(std::span<const float> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

/// Reads "path:first:count"; the path is empty where the cell is anything else.
RowRange range_of(std::string_view cell) {
  RowRange range;
  const auto take_number = [&cell](std::int64_t& number) {
    const std::size_t colon = cell.rfind(':');
    const std::string digits(colon == std::string_view::npos ? "" : cell.substr(colon + 1));
    const bool is_number = !digits.empty() && digits.size() < 16 &&
                           digits.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) {
      number = std::stoll(digits);
      cell = cell.substr(0, colon);
    }
    return is_number;
  };
  if (take_number(range.count) && take_number(range.first)) {
    range.path = cell;
  }
  return range;
}

void check_finite(std::span<const float> numbers, std::string_view name) {
  for (const float number : numbers) {
    if (!std::isfinite(number)) {
      fail(Fault::file, "{}: a number is not finite; correct the features", name.substr(0, 200));
    }
  }
}

/// How a cell gives the numbers of an item.
enum class CellForm { numbers, npy, range };

class FeaturesField : public Field {
 public:
  void describe(Describer& d) override {
    d.setting("width", width_, {.help = "numbers in a row", .least = 0, .most = most_width});
    d.setting("cells", cells_,
              {{"numbers", CellForm::numbers}, {"npy", CellForm::npy}, {"range", CellForm::range}},
              {"what a cell holds: numbers as text, the name of an .npy file, or a range of the "
               ".f32 or .f32.gz file next to the table (two columns: first row, number of rows)"});
    d.setting("rows_per_second", rows_per_second_,
              {.help = "for features of recordings, so that drawings and times are in seconds; 0: "
                       "they are not moments of a recording",
               .least = 0,
               .most = 1e6});
    normalisation_.describe(d);
    d.setting("speed", speed_,
              {.help = "in training the rows run up to this share faster or slower",
               .least = 0,
               .most = 0.5});
    d.setting("noise", noise_,
              {.help = "deviation of the noise added to every number in training",
               .least = 0,
               .most = most_factor});
    d.setting("masks", masks_,
              {.help = "stretches of rows that are masked in training", .least = 0, .most = 1000});
    d.setting("mask_rows", mask_rows_,
              {.help = "most rows in such a stretch", .least = 0, .most = most_slots});
  }
  void check() const override {
    if (width_ == 0) {
      fail(Fault::usage,
           "data.source.width: is 0; set it to how many numbers a row of the features has");
    }
    normalisation_.check();
  }
  RowKind row_kind() const override { return RowKind::numbers; }
  bool has_times() const override { return rows_per_second_ > 0; }
  RowForm form() const override { return RowForm::numbers(width_); }
  std::string summary() const override { return fmt::format("{} numbers a row", width_); }

  int64_t columns() const override {
    return (cells_ == CellForm::range ? 2 : 1) + (normalisation_.reads_speaker() ? 1 : 0);
  }
  bool learns() const override {
    return normalisation_.reads_speaker() || normalisation_.reads_corpus();
  }
  void learn(std::span<const std::string> cells) override {
    normalisation_.learn(cells, width_, [this](std::string_view cell) { return numbers_in(cell); });
  }
  void meet(std::span<const std::string> cells) const override {
    normalisation_.meet(cells, width_, [this](std::string_view cell) { return numbers_in(cell); });
  }
  std::string learnt() const override { return normalisation_.learnt(); }
  void set_learnt(const std::string& learnt) override { normalisation_.set_learnt(learnt); }
  std::string located(const std::string& cell, const std::string& table) const override;
  Item read(std::string_view cell) const override;
  ReadSource reading(const Source& source) const override;
  int64_t length(ItemView item) const override {
    return static_cast<int64_t>(item.size() / sizeof(float)) / width_;
  }
  Item prepared(ItemView item, const std::optional<RandomKey>& key) const override;
  std::string unlike(ItemView prepared) const override {
    return normalisation_.unlike(prepared, width_);
  }
  HostRows collate(std::span<const Item> items, const Place& place) const override;
  std::vector<double> seconds(const ReadSource& read) const override;
  std::vector<std::string> labels(const ReadSource& read) const override;

 private:
  /// The cell without a speaker, and the speaker.
  SpokenCell spoken(std::string_view cell) const {
    return normalisation_.reads_speaker() ? without_speaker(cell, 2) : SpokenCell{cell, {}};
  }
  /// Before they are normalised.
  std::vector<float> numbers_in(std::string_view cell) const;
  Item normalised(std::vector<float> numbers, std::string_view speaker) const;
  Item sped(ItemView item, RandomKey key) const;
  void blot_out(std::span<float> numbers, const Draws& draws) const;

  int64_t width_ = 0;
  CellForm cells_ = CellForm::numbers;
  double rows_per_second_ = 0;
  RowNormalisation normalisation_;
  double speed_ = 0;
  double noise_ = 0;
  int64_t masks_ = 0;
  int64_t mask_rows_ = 0;
  std::shared_ptr<NumberFiles> files_ = std::make_shared<NumberFiles>();
};

std::string FeaturesField::located(const std::string& cell, const std::string& table) const {
  if (cells_ == CellForm::npy) {
    return cell.starts_with('/') ? cell : directory_of(table) + "/" + cell;
  }
  if (cells_ != CellForm::range) {
    return cell;
  }
  std::string stem = table;
  for (const std::string ending : {".gz", ".tsv", ".txt"}) {
    stem = stem.ends_with(ending) ? stem.substr(0, stem.size() - ending.size()) : stem;
  }
  const std::string numbers = file_exists(stem + ".f32") ? stem + ".f32" : stem + ".f32.gz";
  std::string range = cell;
  const std::size_t tab = range.find('\t');
  if (tab == std::string::npos) {
    fail(Fault::file, "{}: \"{}\" must be two columns: the first row and the number of rows", table,
         cell);
  }
  range.replace(tab, 1, ":");
  return numbers + ":" + range;
}

std::vector<float> FeaturesField::numbers_in(std::string_view whole) const {
  const std::string_view cell = spoken(whole).cell;
  std::vector<float> numbers;
  if (cell.ends_with(".npy")) {
    numbers = read_npy(std::string(cell), width_);
  } else if (const RowRange range = range_of(cell); !range.path.empty()) {
    numbers = files_->read(range, width_);
  } else {
    numbers = parse_rows(cell, width_);
  }
  check_finite(numbers, cell);
  return numbers;
}

Item FeaturesField::normalised(std::vector<float> numbers, std::string_view speaker) const {
  normalisation_.apply(numbers, width_, speaker);
  return item_of_numbers(numbers);
}

Item FeaturesField::read(std::string_view cell) const {
  return normalised(numbers_in(cell), spoken(cell).speaker);
}

ReadSource FeaturesField::reading(const Source& source) const {
  if (!source.is_bytes()) {
    return {read(source.cell())};
  }
  const std::string name = "features";
  std::vector<float> numbers = is_npy(source.bytes()) ? npy_rows(source.bytes(), name, width_)
                                                      : parse_rows(source.bytes(), width_);
  check_finite(numbers, name);
  return {normalised(std::move(numbers), {})};
}

void FeaturesField::blot_out(std::span<float> numbers, const Draws& draws) const {
  const auto width = static_cast<size_t>(width_);
  const size_t rows = numbers.size() / width;
  std::vector<double> mean(width);
  for (size_t i = 0; i < numbers.size(); ++i) {
    mean[i % width] += numbers[i] / static_cast<double>(rows);
  }
  for (int64_t mask = 0; mask < masks_; ++mask) {
    const auto draw = 2 * static_cast<uint64_t>(mask);
    const auto most = std::min<uint64_t>(static_cast<uint64_t>(mask_rows_), rows);
    const size_t count = draws.below(draw, most + 1);
    const size_t first = draws.below(draw + 1, rows - count + 1);
    for (size_t i = first * width; i < (first + count) * width; ++i) {
      numbers[i] = static_cast<float>(mean[i % width]);
    }
  }
}

/// Faster or slower, in steps of 1 %.
Item FeaturesField::sped(ItemView item, RandomKey key) const {
  key.seed ^= stream_named("speed");
  const auto steps = static_cast<uint64_t>(std::llround(speed_ * 100));
  const auto drawn = static_cast<double>(Draws(key).below(0, 2 * steps + 1));
  return item_of_numbers(
      played(numbers_of(item), width_, 1 + (drawn - static_cast<double>(steps)) / 100));
}

Item FeaturesField::prepared(ItemView item, const std::optional<RandomKey>& key) const {
  Item out = key && speed_ > 0 ? sped(item, *key) : Item(item.begin(), item.end());
  if (!key || out.empty()) {
    return out;
  }
  const std::span<float> numbers(reinterpret_cast<float*>(out.data()), out.size() / sizeof(float));
  if (noise_ > 0) {
    const Draws draws(*key);
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] += static_cast<float>(noise_) * draws.normal(i);
    }
  }
  if (masks_ > 0) {
    RandomKey other = *key;
    other.seed ^= stream_named("masks");
    blot_out(numbers, Draws(other));
  }
  return out;
}

HostRows FeaturesField::collate(std::span<const Item> items, const Place& place) const {
  return rows_of_numbers(items, width_, place);
}

std::vector<double> FeaturesField::seconds(const ReadSource& read) const {
  std::vector<double> seconds;
  for (int64_t row = 0; rows_per_second_ > 0 && row < length(read.item); ++row) {
    seconds.push_back(static_cast<double>(row) / rows_per_second_);
  }
  return seconds;
}

std::vector<std::string> FeaturesField::labels(const ReadSource& read) const {
  std::vector<std::string> numbers;
  for (int64_t row = 0; row < length(read.item); ++row) {
    numbers.push_back(rows_per_second_ > 0
                          ? fmt::format("{:.2f}", static_cast<double>(row) / rows_per_second_)
                          : std::to_string(row));
  }
  return numbers;
}

}  // namespace

std::unique_ptr<Field> features_field() { return std::make_unique<FeaturesField>(); }

}  // namespace heed
