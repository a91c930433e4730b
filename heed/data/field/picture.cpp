// picture: the pixels of a picture.
//
//   cell   the name of a JPEG or PNG file (beside the table, unless it begins with /), a file in a
//          tar archive (images.tar#name.jpg), or a scene to draw ("shapes: …", media/scene.h)
//   bytes  a JPEG or PNG file, or a scene to draw
//   item   the file as it is, compressed, behind the name of its folder or archive and its own name:
//          a corpus stays small, and every message can name the picture. The corpus's hash begins at
//          the file's own name, so it does not depend on where the files lie
//   rows   red, green and blue of each pixel as bytes, rows of the picture from the top
//
// Preparing decodes a picture, turns it the right way up, takes the part that is wanted (squash: all
// of it; crop: the largest square in the middle), and resizes that to side × side. In training, with
// a key:
//
//   the part ← a share s of its sides at a random place, s uniform in [random_crop, 1]
//   mirrored left to right with probability ½, if `flip`
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "heed/base/allowance.h"
#include "heed/base/file.h"
#include "heed/data/fields.h"
#include "heed/data/tar_files.h"
#include "heed/media/decode_picture.h"
#include "heed/media/resize.h"
#include "heed/media/scene.h"

namespace heed {
namespace {

constexpr std::uint64_t most_picture_bytes = std::uint64_t{1} << 28;  // of a file

/// An item is two bytes with the length of the folder's name and that name (it ends in / or #), then
/// one byte with the length of the file's name, the name, and the file.
struct PictureItem {
  std::string_view folder;
  std::string_view name;
  PictureBytes file;
  ItemView hashed;  // all but the folder

  std::string_view text() const {
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }
  std::string cell() const { return std::string(folder) + std::string(name); }
};

/// `cell` names the picture, and the part of it from `name` on is the file's own name.
Item picture_item(std::string_view cell, std::size_t name_at, std::string_view file) {
  constexpr std::size_t most_of_name = 255;
  constexpr std::size_t most_of_folder = 65535;
  name_at = std::max(name_at, cell.size() - std::min(cell.size(), most_of_name));
  const std::string_view name = cell.substr(name_at);
  std::string_view folder = cell.substr(0, name_at);
  folder = folder.substr(folder.size() - std::min(folder.size(), most_of_folder));
  Item item;
  item.reserve(3 + folder.size() + name.size() + file.size());
  const auto put = [&item](std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    item.insert(item.end(), bytes.begin(), bytes.end());
  };
  item.push_back(static_cast<std::byte>(folder.size() >> 8));
  item.push_back(static_cast<std::byte>(folder.size() & 0xFF));
  put(folder);
  item.push_back(static_cast<std::byte>(name.size()));
  put(name);
  put(file);
  return item;
}

PictureItem parts_of(ItemView item) {
  const auto* letters = reinterpret_cast<const char*>(item.data());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(item.data());
  const std::size_t folder = item.size() < 3 ? 0 : std::size_t{bytes[0]} << 8 | bytes[1];
  const bool has_folder = item.size() >= 3 + folder;
  const std::size_t name = has_folder ? bytes[2 + folder] : 0;
  const std::size_t file = 3 + folder + name;
  require(has_folder && file <= item.size(), "picture: saw an item of {} bytes, needs a picture",
          item.size());
  return {{letters + 2, folder},
          {letters + 3 + folder, name},
          PictureBytes(bytes, item.size()).subspan(file),
          item.subspan(2 + folder)};
}

/// The archive and the file of "images.tar#name.jpg"; no archive where the cell is a path.
std::pair<std::string, std::string> in_archive(std::string_view cell) {
  constexpr std::string_view mark = ".tar#";
  const std::size_t at = cell.find(mark);
  if (at == std::string_view::npos) {
    return {"", std::string(cell)};
  }
  return {std::string(cell.substr(0, at + mark.size() - 1)),
          std::string(cell.substr(at + mark.size()))};
}

std::string joined_path(const std::string& folder, const std::string& name) {
  return folder.empty() || name.starts_with('/') ? name : folder + "/" + name;
}

/// How a picture that is not square becomes one.
enum class Squaring { squash, crop };

class PictureField : public Field {
 public:
  void describe(Describer& d) override;
  void check() const override {
    if (!archive_.empty() && !archive_.ends_with(".tar")) {
      fail(Fault::usage,
           "data.source.archive: \"{}\" must be the name of a tar archive, which ends in .tar; "
           "rename it, or unpack it if it is compressed",
           archive_);
    }
  }
  RowKind row_kind() const override { return RowKind::pixels; }
  RowForm form() const override { return RowForm::pixels(grid()); }
  std::string summary() const override {
    return fmt::format("pictures of {} × {} pixels", side_, side_);
  }

  std::string located(const std::string& cell, const std::string& table) const override;
  Item read(std::string_view cell) const override;
  ReadSource reading(const Source& source) const override;
  void verify(ItemView item) const override {
    if (verifies_ && !is_scene(parts_of(item).text())) {
      decoded(item);
    }
  }
  bool verifies() const override { return verifies_; }
  ItemView hashed(ItemView item) const override {
    return item.empty() ? item : parts_of(item).hashed;
  }
  int64_t length(ItemView item) const override { return item.empty() ? 0 : side_ * side_; }
  Item prepared(ItemView item, const std::optional<RandomKey>& key) const override;
  int64_t variants() const override { return random_crop_ < 1 ? 0 : flips_ ? 2 : 1; }
  HostRows collate(std::span<const Item> items, const Place& place) const override;
  std::vector<std::string> labels(const ReadSource& read) const override;

 private:
  GridExtent grid() const { return {static_cast<int32_t>(side_), static_cast<int32_t>(side_)}; }
  DecodeOptions decoding(std::string_view name) const;
  Picture decoded(ItemView item) const;

  int64_t side_ = 224;
  Squaring resize_ = Squaring::squash;
  Interpolation interpolation_ = Interpolation::bilinear;
  double random_crop_ = 1;
  bool flips_ = false;
  bool shrinks_ = true;
  std::string folder_;
  std::string archive_;
  bool verifies_ = true;
  int64_t most_pixels_ = DecodeOptions().most_pixels;
  std::shared_ptr<TarFiles> archives_ = std::make_shared<TarFiles>();
};

void PictureField::describe(Describer& d) {
  d.setting("side", side_,
            {.help = "height and width of the pictures in pixels", .least = 1, .most = 2048});
  d.setting("resize", resize_, {{"squash", Squaring::squash}, {"crop", Squaring::crop}},
            {"how a picture becomes a square: squash all of it, or crop the middle"});
  d.setting("interpolation", interpolation_,
            {{"bilinear", Interpolation::bilinear}, {"bicubic", Interpolation::bicubic}},
            {"how it is resized; both with antialiasing"});
  d.setting("random_crop", random_crop_,
            {.help = "in training, a part of this share of the sides or more, at random; 1: all",
             .least = 0.05,
             .most = 1});
  d.setting("flip", flips_, {"in training, mirror every second picture left to right"});
  d.setting("shrink", shrinks_,
            {"decode a JPEG at 1/2, 1/4 or 1/8 of its size where at least twice `side` remains: "
             "much faster, a little less sharp"});
  d.setting("folder", folder_,
            {"the folder of the pictures, beside the table or inside the archive"});
  d.setting("archive", archive_, {"the tar archive of the pictures, beside the table"});
  d.setting("verify", verifies_,
            {"decode every picture once when a corpus is read, so that a damaged one is found (or "
             "skipped) before the run; false: read only the header then"});
  d.setting("most_pixels", most_pixels_,
            {.help = "a picture of more pixels is refused before it is decoded; it can be lowered, "
                     "not raised, as model files come from strangers",
             .least = 1,
             .most = static_cast<double>(DecodeOptions().most_pixels)});
}

std::string PictureField::located(const std::string& cell, const std::string& table) const {
  if (cell.empty() || is_scene(cell)) {
    return cell;
  }
  const std::string name = joined_path(folder_, cell);
  return joined_path(directory_of(table), archive_.empty() ? name : archive_ + "#" + name);
}

DecodeOptions PictureField::decoding(std::string_view name) const {
  // The smallest part that may be cut out keeps twice the pixels that are needed.
  const auto enough =
      static_cast<int32_t>(std::ceil(2 * static_cast<double>(side_) / random_crop_));
  return {.name = std::string(name), .most_pixels = most_pixels_, .enough = shrinks_ ? enough : 0};
}

Item PictureField::read(std::string_view cell) const {
  if (cell.empty()) {
    return {};
  }
  if (is_scene(cell)) {
    read_scene(cell);
    return picture_item("", 0, cell);
  }
  const auto [archive, path] = in_archive(cell);
  const std::string file = archive.empty() ? read_file(path, most_picture_bytes)
                                           : archives_->read(archive, path, most_picture_bytes);
  const std::size_t name = path.size() - (path.rfind('/') + 1);
  Item item = picture_item(cell, cell.size() - name, file);
  read_picture_header(parts_of(item).file, decoding(cell));
  return item;
}

ReadSource PictureField::reading(const Source& source) const {
  if (!source.is_bytes() || source.bytes().empty() || is_scene(source.bytes())) {
    return {read(source.text())};
  }
  constexpr std::string_view name = "picture";
  if (source.bytes().size() > most_picture_bytes) {
    fail(Fault::file, "{}: it has {} bytes, but may have {}; make it smaller", name,
         source.bytes().size(), most_picture_bytes);
  }
  Item item = picture_item(name, 0, source.bytes());
  read_picture_header(parts_of(item).file, decoding(name));
  return {std::move(item)};
}

Picture PictureField::decoded(ItemView item) const {
  const PictureItem parts = parts_of(item);
  if (is_scene(parts.text())) {
    return draw_scene(read_scene(parts.text()), static_cast<int32_t>(side_));
  }
  return decode_picture(parts.file, decoding(parts.cell()));
}

Item PictureField::prepared(ItemView item, const std::optional<RandomKey>& key) const {
  const Picture picture = decoded(item);
  const HeldBytes held(picture.pixels.size());
  PixelBox part = resize_ == Squaring::crop ? centre_square(picture) : whole_of(picture);
  const Draws draws(key.value_or(RandomKey{}));
  constexpr std::uint64_t flip_draw = 0;
  constexpr std::uint64_t crop_draw = 1;  // and the two after it
  if (key && random_crop_ < 1) {
    part = random_part(part, random_crop_, draws, crop_draw);
  }
  Picture square = resized(picture, part, {grid().width, grid().height, interpolation_});
  if (key && flips_ && draws.below(flip_draw, 2) == 1) {
    mirror(square);
  }
  const auto bytes = std::as_bytes(std::span(square.pixels));
  return {bytes.begin(), bytes.end()};
}

HostRows PictureField::collate(std::span<const Item> items, const Place& place) const {
  const int64_t rows = side_ * side_;
  const auto count = static_cast<int64_t>(items.size());
  HostRows made{HostArray({count * rows, 3}, place.with(DType::u8)),
                std::vector<int32_t>(items.size(), static_cast<int32_t>(rows)),
                std::vector<GridExtent>(items.size(), grid())};
  for (int64_t i = 0; i < count; ++i) {
    const Item& item = items[static_cast<std::size_t>(i)];
    require(static_cast<int64_t>(item.size()) == 3 * rows,
            "picture: saw {} bytes, needs {}; prepare the item first", item.size(), 3 * rows);
    made.values.write(3 * rows * i,
                      std::span(reinterpret_cast<const std::uint8_t*>(item.data()), item.size()));
  }
  return made;
}

std::vector<std::string> PictureField::labels(const ReadSource& read) const {
  std::vector<std::string> places;
  for (int64_t row = 0; !read.item.empty() && row < side_; ++row) {
    for (int64_t column = 0; column < side_; ++column) {
      places.push_back(fmt::format("{},{}", row, column));
    }
  }
  return places;
}

}  // namespace

std::unique_ptr<Field> picture_field() { return std::make_unique<PictureField>(); }

}  // namespace heed
