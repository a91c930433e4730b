// Scripts that write no blanks between words.
#pragma once

namespace heed {

/// Han, kana and their punctuation, full-width forms, Thai, Lao, Khmer, Burmese.
bool is_unspaced(char32_t code);

}  // namespace heed
