// The files of heed/see/font as bytes of the program: the assembler reads them.
// tools/font.py makes them; docs/licences/README.md says from what.
#include "heed/see/font_data.h"

// clang-format off
asm(R"(
    .pushsection .rodata, "a", %progbits
    .balign 16
    .global heed_font_wenquanyi_begin
    .hidden heed_font_wenquanyi_begin
heed_font_wenquanyi_begin:
    .incbin "heed/see/font/wenquanyi-micro-hei.ttf"
    .global heed_font_wenquanyi_end
    .hidden heed_font_wenquanyi_end
heed_font_wenquanyi_end:
    .balign 16
    .global heed_font_dejavu_begin
    .hidden heed_font_dejavu_begin
heed_font_dejavu_begin:
    .incbin "heed/see/font/dejavu-sans.ttf"
    .global heed_font_dejavu_end
    .hidden heed_font_dejavu_end
heed_font_dejavu_end:
    .popsection
)");
// clang-format on

extern "C" {
extern const unsigned char heed_font_wenquanyi_begin;
extern const unsigned char heed_font_wenquanyi_end;
extern const unsigned char heed_font_dejavu_begin;
extern const unsigned char heed_font_dejavu_end;
}

namespace heed {

std::array<std::span<const unsigned char>, 2> built_in_fonts() {
  return {std::span(&heed_font_wenquanyi_begin, &heed_font_wenquanyi_end),
          std::span(&heed_font_dejavu_begin, &heed_font_dejavu_end)};
}

}  // namespace heed
