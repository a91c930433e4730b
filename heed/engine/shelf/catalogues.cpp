#include "heed/engine/shelf/catalogues.h"

#include "heed/attention/focuses.h"
#include "heed/attention/normalisers.h"
#include "heed/attention/scores.h"
#include "heed/data/fields.h"
#include "heed/data/synths.h"
#include "heed/import/families.h"
#include "heed/import/formats.h"
#include "heed/metric/metrics.h"
#include "heed/metric/tokenisations.h"
#include "heed/model/decoders.h"
#include "heed/model/encoders.h"
#include "heed/model/fronts.h"
#include "heed/nn/activations.h"
#include "heed/nn/norms.h"
#include "heed/nn/positions.h"
#include "heed/ops/recurrent.h"
#include "heed/search/rules.h"
#include "heed/search/strategies.h"
#include "heed/text/tokenisers.h"
#include "heed/train/averages.h"
#include "heed/train/feed_policies.h"
#include "heed/train/objectives.h"
#include "heed/train/optimisers.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

Listing activation_listing() {
  Listing all{"activation", {}};
  for (const NamedActivation& one : activations()) {
    all.entries.push_back({one.name, {}, one.formula});
  }
  return all;
}

}  // namespace

std::vector<Listing> catalogues() {
  return {
      scores().listing(),     normalisers().listing(),   focuses().listing(),
      fields().listing(),     fronts().listing(),        encoders().listing(),
      decoders().listing(),   cells().listing(),         norms().listing(),
      positions().listing(),  activation_listing(),      tokenisers().listing(),
      synths().listing(),     objectives().listing(),    feed_policies().listing(),
      optimisers().listing(), schedules().listing(),     averages().listing(),
      metrics().listing(),    tokenisations().listing(), strategies().listing(),
      rules().listing(),      formats().listing(),       families().listing(),
  };
}

}  // namespace heed
