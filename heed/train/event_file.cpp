#include "heed/train/event_file.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <cmath>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  constexpr uint32_t polynomial = 0x82f63b78;  // x³² + x²⁸ + … + 1, lowest bit first
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest >> 1) ^ ((rest & 1) != 0 ? polynomial : 0);
    }
    table[byte] = rest;
  }
  return table;
}

/// The lowest `bytes` bytes of a number, lowest first.
std::string little(uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return out;
}

uint32_t masked(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8U; }

// A field of a protocol buffer is its number with its wire type, then the value.
enum Wire { varint = 0, eight_bytes = 1, counted = 2, four_bytes = 5 };

std::string number(uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return out + static_cast<char>(value);
}
std::string key(int field, Wire wire) { return number(static_cast<uint64_t>(field) << 3 | wire); }
std::string field(int which, int64_t value) {
  return key(which, varint) + number(static_cast<uint64_t>(value));
}
std::string field(int which, double value) {
  return key(which, eight_bytes) + little(std::bit_cast<uint64_t>(value), 8);
}
std::string field(int which, float value) {
  return key(which, four_bytes) + little(std::bit_cast<uint32_t>(value), 4);
}
std::string field(int which, const std::string& bytes) {
  return key(which, counted) + number(bytes.size()) + bytes;
}

double seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "heed";
}

/// Four bytes of a PNG's header, highest first.
int64_t in_header(const std::string& png, size_t at) {
  int64_t value = 0;
  for (size_t i = at; i < at + 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(png[i]);
  }
  return value;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> table = make_table();
  uint32_t rest = ~0U;
  for (const char byte : bytes) {
    rest = (rest >> 8) ^ table[(rest ^ static_cast<unsigned char>(byte)) & 0xff];
  }
  return ~rest;
}

std::string framed(std::string_view message) {
  const std::string length = little(message.size(), 8);
  return length + little(masked(length), 4) + std::string(message) + little(masked(message), 4);
}

EventFile::EventFile(std::string folder, int64_t step, std::function<double()> clock)
    : folder_(std::move(folder)),
      first_step_(step + 1),
      clock_(clock ? std::move(clock) : seconds_now) {}

void EventFile::write(int64_t step, const std::string& summary) {
  const double now = clock_();
  std::string bytes;
  if (!file_) {
    file_.emplace(fmt::format("{}/events.out.tfevents.{:010}.{}.{}", folder_,
                              static_cast<int64_t>(now), host(), ::getpid()),
                  GrowingFile::Unopened::waits);
    bytes += framed(field(1, now) + field(3, std::string("brain.Event:2")));
    const std::string start = field(1, int64_t{1});
    bytes += framed(field(1, now) + field(2, first_step_) + field(7, start));
  }
  file_->add(bytes + framed(field(1, now) + field(2, step) + field(5, summary)));
}

void EventFile::add_rest() {
  if (file_) {
    file_->add("");
  }
}

void EventFile::add(int64_t step, const TaggedNumbers& scalars) {
  std::string summary;
  for (const auto& [tag, value] : scalars) {
    if (std::isfinite(value)) {
      summary += field(1, field(1, tag) + field(2, static_cast<float>(value)));
    }
  }
  write(step, summary);
}

void EventFile::add_png(int64_t step, const std::string& tag, const std::string& png) {
  constexpr size_t header = 24;  // signature, length, "IHDR", width, height
  require(png.size() > header, "events: saw {} bytes as a picture, needs a PNG", png.size());
  constexpr int64_t colours = 3;
  const std::string image = field(1, in_header(png, 20)) + field(2, in_header(png, 16)) +
                            field(3, colours) + field(4, png);
  write(step, field(1, field(1, tag) + field(4, image)));
}

}  // namespace heed
