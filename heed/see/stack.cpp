#include "heed/see/stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/see/sheet.h"
#include "heed/text/display_width.h"

namespace heed {
namespace {

constexpr Rgb title_ink = {27, 39, 51};

double head_px(std::string_view title) { return title.empty() ? 0 : 2 * font_px; }

double least_width_px(std::string_view title) {
  return title.empty() ? 0 : 2 * gap_px + title_width_px(title);
}

void check_count(size_t parts) { require(parts > 0, "stack: saw no drawing, needs at least one"); }

}  // namespace

std::string stacked_svg(std::string_view title, const std::vector<SvgPart>& parts) {
  check_count(parts.size());
  SvgPart all{least_width_px(title), head_px(title), ""};
  all.body = svg_title(title, gap_px, gap_px + font_px / 2);
  for (const SvgPart& part : parts) {
    all.body +=
        fmt::format("<g transform=\"translate(0 {:.1f})\">\n{}</g>\n", all.height, part.body);
    all.width = std::max(all.width, part.width);
    all.height += part.height;
  }
  return svg_file(all, title);
}

std::string stacked_png(std::string_view title, const std::vector<Canvas>& parts) {
  check_count(parts.size());
  double width = least_width_px(title);
  double height = head_px(title);
  for (const Canvas& part : parts) {
    width = std::max(width, static_cast<double>(part.width()));
    height += part.height();
  }
  Canvas all(static_cast<int>(std::ceil(width)), static_cast<int>(std::ceil(height)));
  if (!title.empty()) {
    all.write(gap_px, gap_px + font_px / 2, drawn_label(title),
              {.ink = title_ink, .px = title_px, .is_bold = true});
  }
  auto top = static_cast<int>(head_px(title));
  for (const Canvas& part : parts) {
    all.paste(part, 0, top);
    top += part.height();
  }
  return all.png();
}

}  // namespace heed
