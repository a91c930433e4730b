#include "heed/train/objective_list.h"

#include <algorithm>

#include "heed/attention/gradient_stops.h"
#include "heed/base/error.h"
#include "heed/ops/arithmetic.h"
#include "heed/train/objectives.h"

namespace heed {
namespace {

/// Whether a gradient's stop, such as "decoder.attention.normaliser = hard", is in the attention of
/// this decoder to the source, which reports what it chose. Self-attention does not.
bool is_in_look_at_source(const std::string& stop, const std::string& decoder) {
  const std::string owner =
      decoder == Model::main_decoder ? "decoder." : "decoders." + decoder + ".";
  return stop.starts_with(owner) && !stop.substr(owner.size()).starts_with("self.");
}

}  // namespace

ObjectiveList::ObjectiveList() { add(make_part(objectives(), "teacher_forcing")); }

void ObjectiveList::describe(Describer& d) {
  d.parts("objectives", all_, objectives(), {"the loss is their weighted sum"});
}

void ObjectiveList::attach(Model& model) {
  if (all_.empty()) {
    fail(Fault::usage,
         "training.objectives: the list is empty; give at least one, or leave it out for "
         "teacher_forcing");
  }
  check_gradients(model);
  check_all_are_taught(model);
  for (const auto& objective : all_) {
    objective->attach(model);
  }
}

void ObjectiveList::check_gradients(Model& model) const {
  for (const std::string& stop : gradient_stops(model)) {
    const bool is_taught = std::any_of(all_.begin(), all_.end(), [&](const auto& objective) {
      return objective->teaches_choices() && is_in_look_at_source(stop, objective->decoder());
    });
    if (!is_taught) {
      const std::string example =
          all_.size() == 1 ? fmt::format(" (--set 'training.objectives=[\"{}\",\"reinforce\"]')",
                                         names().front())
                           : "";
      fail(Fault::usage,
           "training.objectives: with {} no gradient reaches the score through model.{}, so it "
           "would never learn where to look; {}choose a soft normaliser (softmax, sparsemax, "
           "entmax15, …) or gumbel",
           names().front(), stop,
           is_in_look_at_source(stop, Model::main_decoder)
               ? fmt::format("add the objective reinforce or marginal{}, or ", example)
               : "");
    }
  }
}

void ObjectiveList::locate(const Objective::Locate& locate) const {
  for (const auto& objective : all_) {
    objective->locate(locate);
  }
}

void ObjectiveList::see(const Corpus& train) const {
  for (const auto& objective : all_) {
    objective->see(train);
  }
}

bool ObjectiveList::has_several_numbers() const {
  return all_.size() > 1 || !all_.front()->measure_names().empty();
}

bool ObjectiveList::has(const std::string& decoder, const std::string& kind) const {
  return std::any_of(all_.begin(), all_.end(), [&](const auto& objective) {
    return objective->decoder() == decoder && (kind.empty() || objective->kind() == kind);
  });
}

void ObjectiveList::check_words_are_taught(const std::string& decoder) const {
  std::string guides;
  for (const auto& objective : all_) {
    if (objective->decoder() == decoder) {
      const bool is_guide = !objective->teaches_words() &&
                            (objective->teaches_choices() || objective->report().weights ||
                             objective->teaches_lengths());
      if (!is_guide) {
        return;
      }
      guides += (guides.empty() ? "" : ", ") + objective->kind();
    }
  }
  fail(Fault::usage,
       "training.objectives: {} for the decoder {} teach it no words; add teacher_forcing", guides,
       decoder);
}

void ObjectiveList::check_all_are_taught(const Model& model) const {
  for (const std::string& name : model.decoder_names()) {
    if (!has(name, "")) {
      fail(Fault::usage,
           "training.objectives: none is for the decoder {}, which would never learn; add one with "
           "decoder = \"{}\"",
           name, name);
    }
    check_words_are_taught(name);
    const Decoder& decoder = model.decoder(name);
    const auto* const parallel = as<Parallel>(decoder);
    if (parallel != nullptr && parallel->predicts_length() && !has(name, "lengths")) {
      fail(Fault::usage,
           "training.objectives: the decoder {} must learn how long a target is; add lengths: "
           "[\"cross_entropy\", {{ kind = \"lengths\", weight = 0.1 }}]",
           decoder.kind());
    }
  }
}

std::map<std::string, Decoded> ObjectiveList::taught(const Input& input, Pass& pass) const {
  struct Asked {
    Report report;
    bool by_slot = false;
  };
  std::map<std::string, Asked> all;
  for (const auto& objective : all_) {
    if (objective->reads_decoded()) {
      Asked& asked = all[objective->decoder()];
      asked.report.weights = asked.report.weights || objective->report().weights;
      asked.report.entropy = asked.report.entropy || objective->report().entropy;
      asked.by_slot = asked.by_slot || objective->reads_slots();
    }
  }
  if (all.empty()) {
    return {};
  }
  const Encoded encoded = input.model.encode(input.batch.source, pass);
  std::map<std::string, Decoded> said;
  for (const std::string& name : input.model.decoder_names()) {
    if (const auto found = all.find(name); found != all.end()) {
      const Asked& asked = found->second;
      said[name] = Model::teach(input.model.decoder(name), encoded, input.batch,
                                {asked.report, input.feed, asked.by_slot}, pass);
    }
  }
  return said;
}

ObjectiveList::Losses ObjectiveList::operator()(const Input& input, Pass& pass) const {
  std::map<std::string, Decoded> said = taught(input, pass);
  const std::vector<double> weight = weights(input.progress);
  Losses losses;
  for (size_t k = 0; k < all_.size(); ++k) {
    const RandomKey key{input.key.seed, input.key.step, stream_named("objective") + k};
    const Tensor loss = (*all_[k])(
        {input.batch, said[all_[k]->decoder()], input.label_smoothing, &input.model, key});
    const Tensor weighted = weight[k] == 1 ? loss : loss * weight[k];
    losses.total = losses.total.defined() ? losses.total + weighted : weighted;
    if (has_several_numbers()) {
      losses.each.push_back(loss.detached());
    }
  }
  for (const auto& objective : all_) {
    const std::vector<Tensor> some = objective->measures();
    losses.each.insert(losses.each.end(), some.begin(), some.end());
  }
  return losses;
}

void ObjectiveList::begin() const {
  for (const auto& objective : all_) {
    objective->begin();
  }
}

void ObjectiveList::follow() const {
  for (const auto& objective : all_) {
    objective->follow();
  }
}

std::vector<std::string> ObjectiveList::names() const {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const auto& objective : all_) {
    const bool is_main = objective->decoder() == Model::main_decoder;
    const std::string name =
        is_main ? objective->kind() : objective->decoder() + "." + objective->kind();
    const int count = ++seen[name];
    names.push_back(count == 1 ? name : fmt::format("{}.{}", name, count));
  }
  return names;
}

std::vector<double> ObjectiveList::weights(const RunProgress& progress) const {
  std::vector<double> weights;
  for (const auto& objective : all_) {
    weights.push_back(objective->weight(progress));
  }
  return weights;
}

std::vector<std::vector<std::string>> ObjectiveList::measure_names() const {
  std::vector<std::vector<std::string>> names;
  for (const auto& objective : all_) {
    names.push_back(objective->measure_names());
  }
  return names;
}

std::vector<NamedParameter> ObjectiveList::state() const {
  const std::vector<std::string> name = names();
  std::vector<NamedParameter> all;
  for (size_t k = 0; k < all_.size(); ++k) {
    for (const NamedParameter& one : all_[k]->state()) {
      all.push_back({name[k] + "." + one.name, one.tensor});
    }
  }
  return all;
}

std::vector<NamedNumber> ObjectiveList::numbers() const {
  const std::vector<std::string> name = names();
  std::vector<NamedNumber> all;
  for (size_t k = 0; k < all_.size(); ++k) {
    for (const NamedNumber& one : all_[k]->numbers()) {
      all.push_back({name[k] + "." + one.name, one.value});
    }
  }
  return all;
}

}  // namespace heed
