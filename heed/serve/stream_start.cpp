#include "heed/serve/stream_start.h"

#include <string_view>
#include <utility>

#include "heed/api/model_inside.h"
#include "heed/engine/answer/source_slots.h"
#include "heed/text/token_spans.h"

namespace heed {
namespace {

/// Of the tokens of a part that stands in the source behind `at`, which becomes its end. None where the part
/// is not there as it is.
Json places_of(const Piece& piece, const Tokeniser& tokeniser, const std::string& source,
               std::size_t& at) {
  Json places = Json::array();
  const std::string_view text = piece.part.source.text();
  const std::size_t begin = source.find(text, at);
  if (begin == std::string::npos) {
    return places;
  }
  at = begin + text.size();
  for (const ByteSpan& span : token_spans(tokeniser, text, piece.read.tokens)) {
    places.push(Json::array().push(begin + span.begin).push(begin + span.end));
  }
  return places;
}

Json numbers_of(const std::vector<double>& all) {
  Json list = Json::array();
  for (const double one : all) {
    list.push(one);
  }
  return list;
}

Json part_of(const Piece& piece, const TrainedModel& trained, const std::string& source,
             std::size_t& at) {
  const Field& field = *trained.fields.source;
  Json part = Json::object();
  if (field.is_none() || (field.has_tokens() && piece.part.source.text().empty())) {
    return part;
  }
  const SourceSlots slots = source_slots(trained, piece.read);
  if (slots.grid.height > 0) {
    part.set("grid", Json::array().push(slots.grid.height).push(slots.grid.width));
  } else if (!slots.seconds.empty()) {
    part.set("seconds", numbers_of(slots.seconds));
  } else {
    Json tokens = Json::array();
    for (const std::string& label : slots.labels) {
      tokens.push(label);
    }
    part.set("tokens", std::move(tokens));
  }
  if (field.has_tokens()) {
    part.set("places", places_of(piece, field.vocabulary().tokeniser(), source, at));
  }
  return part;
}

}  // namespace

Json written_start(const std::string& name, const LoadedModel& model,
                   const std::vector<std::string>& sources,
                   const std::vector<std::vector<Piece>>& pieces) {
  const TrainedModel& trained = ModelInside::trained(model);
  Json all = Json::array();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Json parts = Json::array();
    std::size_t at = 0;
    for (const Piece& piece : pieces[i]) {
      parts.push(part_of(piece, trained, sources[i], at));
    }
    all.push(std::move(parts));
  }
  return Json::object().set("model", name).set("sources", std::move(all));
}

}  // namespace heed
