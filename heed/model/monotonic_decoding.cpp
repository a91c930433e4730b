#include "heed/model/monotonic_decoding.h"

#include <algorithm>

#include "heed/attention/focuses.h"

namespace heed {
namespace {

/// Finds the attention to the source; self-attention is left out.
class SourceAttentions : public Describer {
 public:
  explicit SourceAttentions(std::vector<Attention*>& found) : found_(found) {}
  void child(const std::string& name, Described& child) override { visit(name, child); }
  void built(const std::string& name, Described& child) override { visit(name, child); }

 private:
  void visit(const std::string& name, Described& child) {
    auto* const attention = dynamic_cast<Attention*>(&child);
    const bool is_built = attention != nullptr && attention->width() > 0;  // no design of blocks
    if (is_built && name != "self") {
      found_.push_back(attention);
    }
    child.describe(*this);
  }

  std::vector<Attention*>& found_;
};

}  // namespace

void look_forwards_only(Model& model) {
  std::vector<Attention*> found;
  SourceAttentions finder(found);
  model.autoregressive().describe(finder);
  if (found.empty() || model.decoder().reporting_blocks() == 0) {
    fail(Fault::usage, "monotonic: the decoder {} does not attend to the source; leave it out",
         model.decoder().kind());
  }
  for (Attention* const attention : found) {
    const auto& focuses_now = attention->parts().focus;
    const bool has_it = std::any_of(focuses_now.begin(), focuses_now.end(),
                                    [](const auto& one) { return one->kind() == "monotonic"; });
    if (!has_it) {
      attention->add_focus(make_part(focuses(), "monotonic"));
    }
  }
}

}  // namespace heed
