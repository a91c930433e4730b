// Sequence-level distillation (Kim and Rush 2016, section 3.2): the model is trained on what a teacher
// says,
//
//   ŷ = search(teacher, x)   in place of y, for every different source x of the training data
//
// Its outputs are more regular than what people write, which helps models that choose all words at
// once (Gu 2018). They are kept in the run's folder, in a file whose name has a digest of the teacher,
// the search and the sources: an interrupted run continues where it was, and a run with other settings
// has another file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/data/data_plan.h"
#include "heed/engine/shelf/model_shelf.h"
#include "heed/search/search_options.h"
#include "heed/tensor/tensor.h"
#include "heed/train/run_hooks.h"

namespace heed {

class Teacher : public Described {
 public:
  Teacher() { search_.beam = 5; }
  void describe(Describer& d) override;

  /// Whether the recipe names one.
  bool is_there() const { return !model_.empty(); }
  const std::string& model() const { return model_; }

  struct Work {
    std::string name;    // of the run, for messages
    std::string folder;  // of the run
    Place place;
    const RunHooks& hooks;
    const ModelShelf& shelf;
  };
  /// An Error unless the model is there, whole, and reads sources of this field. A run calls it before
  /// data are loaded, and a dry run calls it, too.
  void check(const ModelShelf& shelf, const Place& place, const Field& source) const;
  /// Hands on each different source with what the teacher says for it, after the pairs themselves if
  /// they are kept. Fault::cancelled if it was interrupted; what was said until then is kept. The
  /// folder is locked meanwhile.
  void rewrite(const Cells& pairs, const TakePair& take, const Work& work) const;

 private:
  /// What the teacher says for each of the sources, read from the file as far as it is there.
  std::vector<std::string> outputs(const std::vector<std::string>& sources, const Work& work) const;
  std::string key(const std::string& path, const std::vector<std::string>& sources) const;

  std::string model_;
  SearchOptions search_;
  int64_t batch_ = 64;
  bool keeps_pairs_ = false;
};

}  // namespace heed
