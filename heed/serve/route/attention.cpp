// POST /v1/attention: every weight behind a given pair, of any block and head.
#include <span>

#include "heed/api/model_inside.h"
#include "heed/config/apply.h"
#include "heed/engine/answer/head_figures.h"
#include "heed/serve/asked_pair.h"
#include "heed/serve/computed_route.h"
#include "heed/serve/map_file.h"
#include "heed/serve/request_fields.h"
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

constexpr const char* map_type = "application/octet-stream";

enum class MapForm { u8, f32, thumbnails };

class AttentionRoute : public ComputedRoute {
 public:
  Reads reads() const override { return Reads::json; }
  std::vector<std::string> gives() const override { return {map_type, "application/json"}; }
  void describe(Describer& d) override {
    pair_.describe(d);
    d.setting("tokens", tokens_,
              {"the target's tokens, as an answer lists them, in place of `target`"});
    d.setting("model", model_, {"the name of a model; without it, the first that translates"});
    d.setting("of", of_,
              {{"cross", AttentionOf::cross},
               {"self", AttentionOf::self},
               {"encoder", AttentionOf::encoder}},
              {"cross: where the decoder looks in the source; self: where it looks in its own "
               "words; encoder: where the encoder looks in the source"});
    d.setting("block", block_, {.help = "one block, from 0; -1: all", .least = -1, .most = 1000});
    d.setting("head", head_,
              {.help = "one head of each block, from 0; -1: all", .least = -1, .most = 1000});
    d.setting(
        "form", form_,
        {{"u8", MapForm::u8}, {"f32", MapForm::f32}, {"thumbnails", MapForm::thumbnails}},
        {"u8 and f32: a safetensors file with a tensor [heads, rows, columns] for each block, "
         "in which 255 or 1 is all weight, and the tokens in its metadata; thumbnails: JSON "
         "with every head in at most 48 x 48 cells, its entropy, distance and diagonality"});
  }
  void read(const Json& fields, const ServeState& state) override;
  void answer(const HttpExchange& exchange, ServeState& state) override;

 private:
  AskedPair pair_;
  std::vector<std::string> tokens_;
  std::string model_;
  AttentionOf of_ = AttentionOf::cross;
  int64_t block_ = -1;
  int64_t head_ = -1;
  MapForm form_ = MapForm::u8;
};

void AttentionRoute::read(const Json& fields, const ServeState& state) {
  Route::read(fields, state);
  if (!tokens_.empty() && !pair_.target.empty()) {
    refuse_field("tokens", "stands in place of `target`; give one of the two");
  }
}

/// Fault::usage where one of them is not in the vocabulary.
std::vector<TokenId> ids_of(const std::vector<std::string>& tokens, const Vocabulary& words) {
  std::vector<TokenId> ids;
  const std::string& end = words.token(words.specials().end());
  const bool has_end = !tokens.empty() && tokens.back() == end;
  for (const std::string& token : std::span(tokens).first(tokens.size() - (has_end ? 1 : 0))) {
    const TokenId id = words.id(token);
    if (words.token(id) != token) {
      refuse_field("tokens", fmt::format("the model has no token \"{}\"", token));
    }
    ids.push_back(id);
  }
  return ids;
}

/// Before anything is computed, as many heads as a model has would be held at once.
void check_cells(const TrainedModel& trained, const AskedPair& pair, std::size_t tokens,
                 AttentionOf of, int64_t most) {
  const std::size_t source = trained.fields.source->reading(pair.source).tokens.size() + 1;
  const std::size_t target =
      1 + (tokens > 0 ? tokens : trained.fields.target->reading(pair.target).tokens.size());
  const std::size_t rows = of == AttentionOf::encoder ? source : target;
  const std::size_t columns = of == AttentionOf::self ? target : source;
  if (rows * columns > static_cast<std::size_t>(most)) {
    fail(Fault::usage,
         "attention: {} tokens that look at {} make more than {} cells; give a shorter text", rows,
         columns, most);
  }
}

HttpResponse written(const AttentionMaps& maps, MapForm form, const MapFileOptions& how) {
  return form == MapForm::thumbnails
             ? HttpResponse{.body = written_heads(maps).write() + "\n"}
             : HttpResponse{.type = map_type, .body = written_map_file(maps, how)};
}

void AttentionRoute::answer(const HttpExchange& exchange, ServeState& state) {
  const bool needs_target = tokens_.empty() && of_ != AttentionOf::encoder;
  pair_.check(state.options, of_ != AttentionOf::self, needs_target);
  const ServedModel& served = model_for(state.models, model_, answer_kind("translate"));
  const TrainedModel& trained = ModelInside::trained(served.model);
  check_cells(trained, pair_, tokens_.size(), of_, state.options.map_cells);
  const MapFileOptions how{.block = block_,
                           .head = head_,
                           .is_exact = form_ == MapForm::f32,
                           .most_bytes = state.options.map_bytes};
  const auto ids = ids_of(tokens_, trained.fields.target->vocabulary());
  const auto compute = [&trained, how, pair = pair_, ids, of = of_, form = form_] {
    const Source source = Source::of_bytes(pair.source);
    AttentionMaps maps = ids.empty() ? attention_maps(trained, source, pair.target, of)
                                     : attention_maps(trained, source, std::span(ids), of);
    return [maps = std::move(maps), form, how] { return written(maps, form, how); };
  };
  answer_computed(exchange, state, served.model, compute);
}

}  // namespace

std::unique_ptr<Route> attention_route() { return std::make_unique<AttentionRoute>(); }

}  // namespace heed
