// GET /metrics: what the server has counted, for Prometheus.
#include "heed/serve/routes.h"
#include "heed/serve/serve_state.h"

namespace heed {
namespace {

class MetricsRoute : public Route {
 public:
  std::vector<std::string> gives() const override { return {"text/plain; version=0.0.4"}; }
  void answer(const HttpExchange& exchange, ServeState& state) override {
    const MemoryUse memory = state.engine.memory();
    const SearchUse use = state.engine.search_use();
    const std::chrono::duration<double> age = std::chrono::steady_clock::now() - state.begun;
    const std::vector<Gauge> gauges{
        {"heed_queue", "Requests that wait or are being answered.",
         static_cast<double>(state.asked())},
        {"heed_search_steps_total", "Steps of all searches.", static_cast<double>(use.steps)},
        {"heed_search_sources_total", "Sources, or parts of them, that were searched.",
         static_cast<double>(use.sources)},
        {"heed_search_joins_total", "Of these, those that joined others under way.",
         static_cast<double>(use.joins)},
        {"heed_models", "Models that are loaded.", static_cast<double>(state.models.size())},
        {"heed_memory_bytes", "Memory of tensors in use.", static_cast<double>(memory.in_use)},
        {"heed_memory_peak_bytes", "The most that was in use.", static_cast<double>(memory.peak)},
        {"heed_up_seconds", "How long the server has been up.", age.count()}};
    exchange.answer({.type = gives().front(), .body = state.meters.written(gauges)});
  }
};

}  // namespace

std::unique_ptr<Route> metrics_route() { return std::make_unique<MetricsRoute>(); }

}  // namespace heed
