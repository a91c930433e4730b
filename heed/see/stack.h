// Drawings one below the other in one file, for comparing what several models saw in a picture or heard in a recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/see/canvas.h"
#include "heed/see/svg.h"

namespace heed {

/// `title` stands above all of them; it may be empty. Throws where there is no drawing.
std::string stacked_svg(std::string_view title, const std::vector<SvgPart>& parts);
std::string stacked_png(std::string_view title, const std::vector<Canvas>& parts);

}  // namespace heed
