#include "heed/media/sound_file.h"

#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "heed/base/allowance.h"
#include "heed/base/error.h"

namespace heed {
namespace {

/// Samples of all channels that are decoded at once.
constexpr std::size_t block_samples = 16'384;
/// Larger samples cannot be a recording's; their squares would soon exceed what a float holds.
constexpr float most_sample = 0x1p31F;

/// The bytes of a file and the position in them, as libsndfile's callbacks see them.
struct ByteStream {
  std::span<const std::byte> bytes;
  sf_count_t at = 0;

  sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }
};

sf_count_t stream_size(void* user) { return static_cast<ByteStream*>(user)->size(); }

sf_count_t stream_seek(sf_count_t offset, int whence, void* user) {
  auto& stream = *static_cast<ByteStream*>(user);
  const sf_count_t base = whence == SEEK_CUR ? stream.at : whence == SEEK_END ? stream.size() : 0;
  // A damaged header may ask for any position; outside the file none is reached.
  if (offset < -base || offset > stream.size() - base) {
    return -1;
  }
  stream.at = base + offset;
  return stream.at;
}

sf_count_t stream_read(void* to, sf_count_t count, void* user) {
  auto& stream = *static_cast<ByteStream*>(user);
  const sf_count_t taken =
      std::clamp<sf_count_t>(stream.size() - stream.at, 0, std::max<sf_count_t>(count, 0));
  if (taken > 0) {
    std::memcpy(to, stream.bytes.data() + stream.at, static_cast<std::size_t>(taken));
    stream.at += taken;
  }
  return taken;
}

sf_count_t stream_write(const void* /*from*/, sf_count_t /*count*/, void* /*user*/) { return 0; }

sf_count_t stream_tell(void* user) { return static_cast<ByteStream*>(user)->at; }

struct CloseFile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};

std::string_view text_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  return bytes.size() < at + count
             ? std::string_view()
             : std::string_view(reinterpret_cast<const char*>(bytes.data()) + at, count);
}

/// Whether the first bytes are those of a format that is read. Nothing else reaches the library,
/// which knows many formats that nobody here has tested.
bool is_known_format(std::span<const std::byte> bytes) {
  const std::string_view four = text_at(bytes, 0, 4);
  const std::string_view form = text_at(bytes, 8, 4);
  const bool is_wave = (four == "RIFF" || four == "RIFX" || four == "RF64") && form == "WAVE";
  const bool is_aiff = four == "FORM" && (form == "AIFF" || form == "AIFC");
  return is_wave || is_aiff || four == "fLaC" || four == "OggS" || four == ".snd" ||
         text_at(bytes, 0, 7) == "NIST_1A";
}

bool is_picture(std::span<const std::byte> bytes) {
  return text_at(bytes, 0, 3) == "\xFF\xD8\xFF" || text_at(bytes, 1, 3) == "PNG";
}

/// The whole number of `count` bytes at `at`, the lowest byte first.
uint64_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) {
    number = number << 8 | std::to_integer<uint64_t>(bytes[at + i]);
  }
  return number;
}

/// The size that the header of a WAV file gives for all of it; 0 where it gives none, as programs
/// that write to a pipe do.
uint64_t claimed_size(std::span<const std::byte> bytes) {
  if (text_at(bytes, 0, 4) == "RIFF") {
    const uint64_t size = bytes.size() < 8 ? 0 : number_at(bytes, 4, 4);
    return size >= 0x7FFF'0000 ? 0 : size + 8;
  }
  if (text_at(bytes, 0, 4) == "RF64" && text_at(bytes, 12, 4) == "ds64" && bytes.size() >= 36) {
    const uint64_t size = std::max(number_at(bytes, 20, 8), number_at(bytes, 28, 8));
    return size >= uint64_t{1} << 62 ? 0 : size + 8;
  }
  return 0;
}

/// One open file.
class SoundReader {
 public:
  SoundReader(std::span<const std::byte> bytes, std::string name)
      : name_(std::move(name)), stream_{bytes} {
    if (is_picture(bytes)) {
      fail(Fault::file, "{}: this is a picture, not a recording; heed caption describes pictures",
           name_);
    }
    if (!is_known_format(bytes)) {
      fail(Fault::file,
           "{}: this file of {} bytes is none of the sound files known here; convert it to WAV, "
           "FLAC, Ogg (Vorbis, Opus), AIFF, AU or NIST SPHERE",
           name_, bytes.size());
    }
    if (claimed_size(bytes) > bytes.size() + 1) {  // some programs count a byte of padding
      fail(Fault::file, "{}: there are {} bytes of a WAV file of {}; it was cut off", name_,
           bytes.size(), claimed_size(bytes));
    }
    SF_VIRTUAL_IO calls{stream_size, stream_seek, stream_read, stream_write, stream_tell};
    file_.reset(sf_open_virtual(&calls, SFM_READ, &info_, &stream_));
    if (!file_) {
      fail(Fault::file, "{}: the sound file cannot be read ({}); give a whole one", name_,
           sf_strerror(nullptr));
    }
    if (info_.samplerate < least_sound_rate || info_.samplerate > most_sound_rate) {
      fail(Fault::file, "{}: it has {} samples a second; only {} to {} can be read", name_,
           info_.samplerate, least_sound_rate, most_sound_rate);
    }
    if (info_.channels < 1 || info_.channels > most_channels) {
      fail(Fault::file, "{}: it has {} channels; only 1 to {} can be read", name_, info_.channels,
           most_channels);
    }
  }

  Sound read(const SoundStretch& stretch, const SoundLimits& limits);
  SoundLevels levels();
  double seconds() const {
    const bool is_known = info_.frames > 0 && info_.frames < SF_COUNT_MAX;
    return is_known ? static_cast<double>(info_.frames) / info_.samplerate
                    : std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr int most_channels = 64;

  /// How many frames are to be read; −1 where the file does not say how many it has.
  sf_count_t wanted(const SoundStretch& stretch, const SoundLimits& limits, sf_count_t first) const;
  void append_mixed(std::span<const float> block, std::vector<float>& samples) const;
  [[noreturn]] void refuse_length(double seconds, const SoundLimits& limits) const;

  std::string name_;
  ByteStream stream_;
  SF_INFO info_{};
  std::unique_ptr<SNDFILE, CloseFile> file_;
};

void SoundReader::refuse_length(double seconds, const SoundLimits& limits) const {
  fail(Fault::file,
       "{}: the recording has {:.4g} seconds or more, but at most {:g} are read; cut it, or raise "
       "the limit",
       name_, seconds, limits.most_seconds);
}

sf_count_t SoundReader::wanted(const SoundStretch& stretch, const SoundLimits& limits,
                               sf_count_t first) const {
  // Ogg files that cannot be searched have no length, or the largest number there is.
  const bool is_known = info_.frames > 0 && info_.frames < SF_COUNT_MAX;
  const auto rate = static_cast<double>(info_.samplerate);
  if (is_known && info_.frames <= first) {
    fail(Fault::file, "{}: the recording has {:.6g} seconds, but the stretch begins at {:g}", name_,
         static_cast<double>(info_.frames) / rate, stretch.start);
  }
  const double until = stretch.end * rate;  // may be infinite
  const bool ends_early = until < (is_known ? static_cast<double>(info_.frames) : 0x1p62);
  const sf_count_t last = ends_early ? static_cast<sf_count_t>(std::llround(until)) : info_.frames;
  if (!is_known && !ends_early) {
    return -1;
  }
  const sf_count_t count = last - first;
  if (static_cast<double>(count) > limits.most_seconds * rate) {
    refuse_length(static_cast<double>(count) / rate, limits);
  }
  return count;
}

void SoundReader::append_mixed(std::span<const float> block, std::vector<float>& samples) const {
  const auto channels = static_cast<std::size_t>(info_.channels);
  for (std::size_t i = 0; i < block.size(); i += channels) {
    float sum = 0;
    for (std::size_t c = 0; c < channels; ++c) {
      sum += block[i + c];
    }
    const float sample = sum / static_cast<float>(channels);
    if (!(std::abs(sample) <= most_sample)) {  // also where it is no number
      fail(Fault::file,
           "{}: the sample {} is not finite, or far from the usual −1 to 1; give another file",
           name_, sample);
    }
    samples.push_back(sample);
  }
}

Sound SoundReader::read(const SoundStretch& stretch, const SoundLimits& limits) {
  if (!(stretch.start >= 0 && stretch.end > stretch.start && stretch.start < 1e9)) {
    fail(Fault::file, "{}: a stretch from {:g} to {:g} seconds does not start before its end",
         name_, stretch.start, stretch.end);
  }
  const auto first = static_cast<sf_count_t>(std::llround(stretch.start * info_.samplerate));
  const sf_count_t count = wanted(stretch, limits, first);
  if (first > 0 && sf_seek(file_.get(), first, SF_SEEK_SET) != first) {
    fail(Fault::file, "{}: second {:g} cannot be reached; give a whole file", name_, stretch.start);
  }
  const auto channels = static_cast<sf_count_t>(info_.channels);
  Sound sound{info_.samplerate, {}};
  HeldBytes held;
  std::vector<float> block(block_samples / channels * channels);
  for (;;) {
    check_goes_on();
    held.grow_to(sound.samples.capacity() * sizeof(float));
    const auto done = static_cast<sf_count_t>(sound.samples.size());
    const sf_count_t room = static_cast<sf_count_t>(block.size()) / channels;
    const sf_count_t asked = count < 0 ? room : std::min(room, count - done);
    const sf_count_t got = asked > 0 ? sf_readf_float(file_.get(), block.data(), asked) : 0;
    if (got <= 0) {
      break;
    }
    const double seconds = static_cast<double>(done + got) / sound.rate;
    if (seconds > limits.most_seconds) {
      refuse_length(seconds, limits);
    }
    append_mixed(std::span(block).first(static_cast<std::size_t>(got * channels)), sound.samples);
  }
  const auto done = static_cast<sf_count_t>(sound.samples.size());
  if (sf_error(file_.get()) != SF_ERR_NO_ERROR || (count >= 0 && done < count) || done == 0) {
    fail(Fault::file, "{}: there are {} samples of {} ({}); the file is damaged or cut off", name_,
         done, count < 0 ? std::string("an unknown number") : std::to_string(count),
         sf_strerror(file_.get()));
  }
  return sound;
}

SoundLevels SoundReader::levels() {
  constexpr double most_seconds = 48 * 3600;
  const auto channels = static_cast<sf_count_t>(info_.channels);
  SoundLevels levels;
  const double samples_of_block = levels.block_seconds * info_.samplerate;
  std::vector<float> block(block_samples / channels * channels);
  std::vector<float> samples;
  HeldBytes held;
  int64_t done = 0;
  int64_t in_block = 0;  // samples of the last block of `levels`
  const auto end_block = [&] {
    if (in_block > 0) {
      levels.power.back() /= static_cast<float>(std::exchange(in_block, 0));
    }
  };
  for (;;) {
    check_goes_on();
    held.grow_to(levels.power.capacity() * sizeof(float));
    const sf_count_t asked = static_cast<sf_count_t>(block.size()) / channels;
    const sf_count_t got = sf_readf_float(file_.get(), block.data(), asked);
    if (got <= 0) {
      break;
    }
    samples.clear();
    append_mixed(std::span(block).first(static_cast<std::size_t>(got * channels)), samples);
    for (const float sample : samples) {
      const auto at = static_cast<std::size_t>(static_cast<double>(done++) / samples_of_block);
      if (at >= levels.power.size()) {
        end_block();
        levels.power.resize(at + 1, 0);
      }
      levels.power[at] += sample * sample;
      ++in_block;
    }
    if (levels.seconds() > most_seconds) {
      refuse_length(levels.seconds(), {most_seconds});
    }
  }
  if (sf_error(file_.get()) != SF_ERR_NO_ERROR || done == 0) {
    fail(Fault::file, "{}: there are {} samples ({}); the file is damaged or cut off", name_, done,
         sf_strerror(file_.get()));
  }
  end_block();
  return levels;
}

}  // namespace

double sound_seconds(std::span<const std::byte> bytes, const std::string& name) {
  return SoundReader(bytes, name).seconds();
}

SoundLevels sound_levels(std::span<const std::byte> bytes, const std::string& name) {
  return SoundReader(bytes, name).levels();
}

Sound decode_sound(std::span<const std::byte> bytes, const std::string& name,
                   const SoundStretch& stretch, const SoundLimits& limits) {
  return SoundReader(bytes, name).read(stretch, limits);
}

}  // namespace heed
