#include "heed/cli/value_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "heed/base/suggest.h"
#include "heed/config/setting.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

/// The whole text as a number; false where it is none.
template <class Number>
bool read(const std::string& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  return fault == std::errc() && stop == end;
}

}  // namespace

ValueCheck one_of(std::vector<std::string> names) {
  const auto fault = [names](const std::string& given) {
    return std::find(names.begin(), names.end(), given) != names.end()
               ? std::string()
               : fmt::format("unknown \"{}\"; choose one of {}{}", given, fmt::join(names, ", "),
                             did_you_mean(given, names));
  };
  return {fault, std::move(names)};
}

ValueCheck one_of(const Listing& catalogue) {
  const About about = name_from(catalogue, "");
  ValueCheck check = one_of(about.choices);
  check.fault = [about, usual = check.fault](const std::string& given) {
    return about.chosen_by(given) != given ? "" : usual(given);
  };
  check.read_as = [about](const std::string& given) { return about.chosen_by(given); };
  return check;
}

ValueCheck one_of_precisions(std::vector<std::string> names) {
  ValueCheck check = one_of(std::move(names));
  check.fault = [usual = check.fault](const std::string& given) {
    const bool is_half = given == "fp16" || given == "f16" || given == "float16" || given == "half";
    const std::string fault = usual(given);
    return fault.empty() || !is_half || fault.find("did you mean") != std::string::npos
               ? fault
               : fault + "; did you mean \"bf16\"?";
  };
  return check;
}

ValueCheck whole(std::int64_t least, std::int64_t most) {
  return {[least, most](const std::string& given) {
    std::int64_t value = 0;
    if (read(given, value) && value >= least && value <= most) {
      return std::string();
    }
    const bool is_open = most == std::numeric_limits<std::int64_t>::max();
    return fmt::format(
        "must be a whole number {1}, not \"{0}\"", given,
        is_open ? fmt::format("of at least {}", least) : fmt::format("from {} to {}", least, most));
  }};
}

ValueCheck seed_number() {
  return {[](const std::string& given) {
    std::uint64_t value = 0;
    return read(given, value) ? std::string()
                              : fmt::format("must be a whole number from 0 to {1}, not \"{0}\"",
                                            given, std::numeric_limits<std::uint64_t>::max());
  }};
}

ValueCheck at_least(double least) {
  return {[least](const std::string& given) {
    double value = 0;
    const bool is_fine = read(given, value) && std::isfinite(value) && value >= least;
    return is_fine ? std::string()
                   : fmt::format("must be a number of at least {1:g}, not \"{0}\"", given, least);
  }};
}

ValueCheck between(double least, double most) {
  return {[least, most](const std::string& given) {
    double value = 0;
    const bool is_fine = read(given, value) && value >= least && value <= most;
    return is_fine ? std::string()
                   : fmt::format("must be a number from {1:g} to {2:g}, not \"{0}\"", given, least,
                                 most);
  }};
}

ValueCheck one_of_or_share(std::vector<std::string> names) {
  const auto fault = [names](const std::string& given) {
    double value = 0;
    const bool is_share = read(given, value) && value > 0 && value <= 1;
    return is_share || std::find(names.begin(), names.end(), given) != names.end()
               ? std::string()
               : fmt::format("must be {1} or a number above 0 and at most 1, not \"{0}\"", given,
                             fmt::join(names, ", "));
  };
  return {fault, std::move(names)};
}

ValueCheck file_of_format(std::string format, std::string other) {
  return {[format = std::move(format), other = std::move(other)](const std::string& given) {
    constexpr std::array<std::string_view, 16> formats = {
        "svg",  "png", "jpg", "jpeg", "gif", "webp", "bmp",  "tif",
        "tiff", "pdf", "ps",  "eps",  "txt", "html", "json", "csv"};
    const std::filesystem::path path(given);
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    ending.erase(0, 1);
    const bool is_other =
        ending != format && std::find(formats.begin(), formats.end(), ending) != formats.end();
    return is_other ? fmt::format("this writes {} file; call it {}{}",
                                  format == "svg" ? "an SVG" : "a PNG",
                                  std::filesystem::path(given).replace_extension(format).string(),
                                  ending == other ? fmt::format(", or use --{}", other) : "")
                    : std::string();
  }};
}

ValueCheck utf8_text() {
  return {[](const std::string& given) {
    const auto at = find_invalid_utf8(given);
    return at ? fmt::format("byte 0x{:02X} at position {} is not UTF-8; convert the text to UTF-8",
                            static_cast<unsigned char>(given[*at]), *at)
              : std::string();
  }};
}

}  // namespace heed
