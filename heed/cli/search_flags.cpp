#include "heed/cli/search_flags.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

void SearchFlags::options(Options& options, SourceKind reads) {
  const bool reads_text = reads == SourceKind::text;
  options_.reads = reads;
  options_.is_whole = !reads_text;
  options_.max_source = reads_text ? 1000 : 0;
  settings_ = SettingOptions(options, options_);
  settings_["beam"].also("-b");
  settings_["length_norm"].also("--normalise").also("--normalize");
  settings_["diverse"].takes("GROUPS");
  if (reads_text) {
    settings_["max_source"].check(whole(1, 1000000));
  }
  settings_["prefix"].check(utf8_text());
  settings_["constrain"].check(utf8_text());
  options.flag("--sample", samples_, "draw the words at random, --n-best times");
}

TranslateOptions SearchFlags::chosen(const std::string& verb) const {
  TranslateOptions out = options_;
  SearchOptions& s = out.search;
  const bool is_diverse = settings_["diverse"].is_given();
  const bool is_constrained = !out.phrases.empty();
  if (int{samples_} + int{is_diverse} + int{is_constrained} > 1) {
    fail(Fault::usage, "{}: saw more than one of --sample, --diverse, --constrain, needs one",
         verb);
  }
  if (samples_) {
    s.strategy = "sample";
  } else if (is_diverse) {
    s.strategy = "diverse";
    s.beam = std::max(s.beam, s.groups);
  } else if (is_constrained) {
    s.strategy = "constrained";
    s.beam = settings_["beam"].is_given() ? s.beam : 5;
  }
  s.beam = std::max(s.beam, s.n_best);
  return out;
}

}  // namespace heed
