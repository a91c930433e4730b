// heed transcribe: writes down what recordings say, a line for each, with the time of every word.
//
// A recording is named as in a table (data/field/sound.cpp): a WAV, FLAC, Ogg or other sound file, - for
// standard input, or the text of dialled digits. Long ones are cut where they are quietest and joined.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "heed/cli/answering.h"
#include "heed/cli/log.h"
#include "heed/cli/progress.h"
#include "heed/cli/verbs.h"
#include "heed/engine/answer/transcript_writer.h"
#include "heed/media/sound_features.h"

namespace heed {
namespace {

class TranscribeVerb : public Verb {
 public:
  void options(Options& options) override {
    answering_.model_option(options);
    options
        .add("recordings", recordings_,
             "sound files (WAV, FLAC, Ogg, Opus, …), or - for one on standard input; without any, "
             "standard input has the path of one a line")
        .takes("FILE");
    options.flag("--srt", is_srt_, "print subtitles in SubRip's form, with the time of every line");
    options.flag("--vtt", is_vtt_, "print subtitles in WebVTT's form");
    options.flag("--times", is_timed_,
                 "print every word with the second at which it begins, word@1.25; with --tokens "
                 "every character or subword");
    options
        .add(
            "--features", features_,
            "for a model that was trained on features made elsewhere: the front end that makes the "
            "same")
        .check(one_of(feature_presets()))
        .takes("NAME");
    answering_.options(options);
  }
  std::string description() const override {
    return "Writes down what recordings say, a line for each or as subtitles, with the time of "
           "every word. Long recordings are cut where they are quietest.";
  }
  std::string examples() const override {
    return "  heed transcribe call.wav\n"
           "  heed transcribe -m digits --json one.flac two.ogg\n"
           "  heed transcribe -m own.safetensors --srt talk.wav > talk.srt\n"
           "  heed transcribe --draw --png heard.png call.wav\n"
           "  ffmpeg -i film.mkv -f wav - | heed transcribe -m own.safetensors --vtt -\n"
           "  heed transcribe -m an4.safetensors --features sphinx letter.wav\n"
           "  heed synth tones --split test | heed transcribe -m tones.safetensors --table -\n";
  }

  int run() override {
    answering_.check_one_source("recordings", !recordings_.empty());
    answering_.read_by_front_end(features_);
    if (is_srt_ || is_vtt_ || is_timed_ ||
        answering_.printer().is_json()) {  // drawings ask by themselves
      answering_.printer().want_weights();
    }
    answering_.load();
    check_form();
    choose_form();
    if (is_vtt_) {
      fmt::print("{}", vtt_head);
    }
    if (recordings_.empty() && !answering_.has_table()) {
      answering_.answer_lines("type the path of a recording and press Enter");
      return answering_.finish();
    }
    if (answering_.has_table()) {
      recordings_ = answering_.table_cells();
    }
    transcribe();
    return answering_.finish();
  }

 private:
  void check_form() const {
    if (int{is_srt_} + int{is_vtt_} + int{is_timed_} + int{answering_.printer().is_json()} > 1) {
      fail(Fault::usage,
           "transcribe: --json, --srt, --vtt and --times exclude each other; give one of them");
    }
    if ((is_srt_ || is_vtt_ || is_timed_) && !answering_.models().align()) {
      fail(Fault::usage,
           "transcribe: {} is for decoders that say when each word was said, and this one has no "
           "attention; leave it out, or use another model",
           is_srt_   ? "--srt"
           : is_vtt_ ? "--vtt"
                     : "--times");
    }
  }

  void choose_form() {
    const TrainedModel& model = answering_.models().first();
    if (is_srt_ || is_vtt_) {
      answering_.printer().print_as(
          [this, &model](const auto& best, const std::string& /*recording*/) {
            const auto cues = cues_of(spoken(best.front().looked(), model, SpokenUnit::words));
            const size_t first = cues_written_ + 1;
            cues_written_ += cues.size();
            return subtitles(cues, is_srt_ ? SubtitleForm::srt : SubtitleForm::vtt, first);
          });
    } else if (is_timed_) {
      const SpokenUnit unit =
          answering_.printer().shows_tokens() ? SpokenUnit::tokens : SpokenUnit::words;
      answering_.printer().print_as(
          [unit, &model](const auto& best, const std::string& /*recording*/) {
            return timed_line(spoken(best.front().looked(), model, unit)) + "\n";
          });
    } else if (answering_.printer().is_json()) {
      answering_.printer().print_as([&model](const auto& best, const std::string& recording) {
        return transcript_json(recording, best, model);
      });
    }
  }

  /// The recordings, some at a time: as many as are small together, so that an hour is read alone.
  void transcribe() {
    const auto begun = std::chrono::steady_clock::now();
    const auto elapsed = [begun] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    };
    Progress progress({.label = "transcribe", .total = static_cast<int64_t>(recordings_.size())});
    double heard = 0;
    answering_.loop().follow([&](double seconds) {
      heard += seconds;
      progress.advance(0, fmt::format("{:.1f} × real time", heard / elapsed()));
    });
    if (recordings_.size() > 1) {
      answering_.loop().expect_several();
    }
    for (size_t first = 0; first < recordings_.size();) {
      const size_t last = end_of_group(first);
      const std::span<const std::string> some(recordings_.data() + first, last - first);
      answering_.loop().answer_cells(some);
      progress.advance(static_cast<int64_t>(some.size()));
      first = last;
    }
    progress.finish(fmt::format("{:.1f} s in {:.2f} s: {:.1f} × real time", heard, elapsed(),
                                heard / elapsed()));
  }

  size_t end_of_group(size_t first) const {
    constexpr uintmax_t most_bytes = uintmax_t{1} << 24;
    constexpr size_t most_files = 64;
    uintmax_t bytes = 0;
    size_t last = first;
    while (last < recordings_.size() && last - first < most_files && bytes <= most_bytes) {
      std::error_code none;  // what cannot be read is said when it is read
      const uintmax_t size = std::filesystem::file_size(recordings_[last], none);
      bytes += none ? 0 : size;
      ++last;
    }
    return last;
  }

  Answering answering_{"transcribe"};
  std::vector<std::string> recordings_;
  std::string features_;
  bool is_srt_ = false;
  bool is_vtt_ = false;
  bool is_timed_ = false;
  size_t cues_written_ = 0;
};

}  // namespace

std::unique_ptr<Verb> transcribe_verb() { return std::make_unique<TranscribeVerb>(); }

}  // namespace heed
