// What the words of a `shapes` caption name, for judging where a model looks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/media/scene.h"

namespace heed {

/// Words first … last of the caption (counted from 0, between blanks) name what is in the box. The
/// last one names the shape: "small blue square".
struct NamedPlace {
  std::size_t first = 0;
  std::size_t last = 0;
  SceneBox box;
};

/// The caption of a scene: "a red circle left of a small blue square".
std::string caption_of(const Scene& scene);

/// The places that the words of its caption name, in their order. `cell` is a source of the task
/// `shapes`.
std::vector<NamedPlace> named_places(std::string_view cell);

/// Whether a shape of this colour never occurs in training.
bool is_unseen_pair(std::string_view colour, ShapeKind kind);

}  // namespace heed
