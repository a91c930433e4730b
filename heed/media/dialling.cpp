#include "heed/media/dialling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"
#include "heed/base/philox.h"

namespace heed {
namespace {

constexpr std::string_view scheme = "tones:";
constexpr double amplitude = 0.25;
constexpr double ramp_seconds = 0.005;
constexpr int32_t most_ms = 60'000;

[[noreturn]] void refuse(std::string_view text, std::string_view part) {
  fail(Fault::file,
       "{}: \"{}\" must be a description such as tones:1450ms,6dB,#123,5@120+80,3@310+75, at most "
       "{} ms long, in which no key overlaps the next",
       text.substr(0, 100), part.substr(0, 40), most_ms);
}

/// Takes a whole number of at most nine digits off the front of `rest`; −1 where there is none.
int32_t take_number(std::string_view& rest) {
  int32_t number = -1;
  const std::size_t most = std::min<std::size_t>(rest.size(), 9);
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + most, number);
  if (fault != std::errc() || rest.front() == '-') {
    return -1;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

bool take_sign(std::string_view& rest, char sign) {
  const bool is_there = !rest.empty() && rest.front() == sign;
  rest.remove_prefix(is_there ? 1 : 0);
  return is_there;
}

/// Reads "5@120+80"; false where it is something else.
bool read_key(std::string_view part, Key& key) {
  if (part.size() < 2 || part[0] < '0' || part[0] > '9' || part[1] != '@') {
    return false;
  }
  key.digit = part[0];
  part.remove_prefix(2);
  key.start_ms = take_number(part);
  const bool has_length = take_sign(part, '+');
  key.length_ms = take_number(part);
  return has_length && part.empty() && key.start_ms >= 0 && key.length_ms > 0;
}

/// Reads one part of a description; false where it is none.
bool read_part(std::string_view part, Dialling& dialling) {
  Key key;
  if (read_key(part, key)) {
    const bool overlaps =
        !dialling.keys.empty() &&
        key.start_ms < dialling.keys.back().start_ms + dialling.keys.back().length_ms;
    dialling.keys.push_back(key);
    return !overlaps && int64_t{key.start_ms} + key.length_ms <= dialling.length_ms;
  }
  if (take_sign(part, '#')) {
    const int32_t number = take_number(part);
    dialling.noise_number = static_cast<uint32_t>(number);
    return number >= 0 && part.empty();
  }
  const int32_t number = take_number(part);
  if (part == "ms") {
    dialling.length_ms = number;
    return number > 0 && number <= most_ms;
  }
  dialling.noise_db = number;
  return part == "dB" && number >= 0 && number <= 100;
}

struct Pair {
  double row = 0;
  double column = 0;
};

Pair frequencies(char digit) {
  constexpr std::array<double, 4> rows = {697, 770, 852, 941};
  constexpr std::array<double, 3> columns = {1209, 1336, 1477};
  if (digit == '0') {
    return {rows[3], columns[1]};
  }
  const auto place = static_cast<std::size_t>(digit - '1');
  return {rows[place / 3], columns[place % 3]};
}

void add_key(const Key& key, std::vector<float>& samples) {
  const auto first = static_cast<std::size_t>(int64_t{key.start_ms} * Dialling::rate / 1000);
  const auto count = static_cast<std::size_t>(int64_t{key.length_ms} * Dialling::rate / 1000);
  const Pair pair = frequencies(key.digit);
  const double length = static_cast<double>(count) / Dialling::rate;
  for (std::size_t n = 0; n < count && first + n < samples.size(); ++n) {
    const double t = static_cast<double>(n) / Dialling::rate;
    const double edge = std::min({t, length - t, ramp_seconds}) / ramp_seconds;
    const double ramp = 0.5 - 0.5 * std::cos(std::numbers::pi * edge);
    const double angle = 2 * std::numbers::pi * t;
    samples[first + n] += static_cast<float>(
        amplitude * ramp * (std::sin(angle * pair.row) + std::sin(angle * pair.column)));
  }
}

}  // namespace

bool is_dialling(std::string_view text) { return text.starts_with(scheme); }

Dialling dialling_of(std::string_view text) {
  if (!is_dialling(text)) {
    refuse(text, text);
  }
  Dialling dialling;
  std::string_view rest = text.substr(scheme.size());
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    if (!read_part(part, dialling)) {
      refuse(text, part);
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (dialling.length_ms == 0) {
    refuse(text, "no length");
  }
  return dialling;
}

std::string text_of(const Dialling& dialling) {
  std::string text = fmt::format("{}{}ms,{}dB,#{}", scheme, dialling.length_ms, dialling.noise_db,
                                 dialling.noise_number);
  for (const Key& key : dialling.keys) {
    text += fmt::format(",{}@{}+{}", key.digit, key.start_ms, key.length_ms);
  }
  return text;
}

Sound sound_of(const Dialling& dialling) {
  Sound sound{Dialling::rate, std::vector<float>(static_cast<std::size_t>(dialling.samples()))};
  for (const Key& key : dialling.keys) {
    add_key(key, sound.samples);
  }
  // A key's power is that of two sines, A²/2 each.
  const double deviation = amplitude * std::pow(10, -dialling.noise_db / 20.0);
  const Draws draws({.seed = dialling.noise_number, .stream = stream_named("dialling")});
  for (std::size_t n = 0; n < sound.samples.size(); ++n) {
    sound.samples[n] += static_cast<float>(deviation) * draws.normal(n);
  }
  return sound;
}

}  // namespace heed
