// Checks of an option's value. A wrong value is reported as `--split: saw "tets", needs one of
// train, valid, test; did you mean "test"?`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/base/catalogue.h"

namespace heed {

struct ValueCheck {
  /// Returns what is wrong with a value, or an empty text. An unset function accepts any value.
  std::function<std::string(const std::string& given)> fault = {};
  std::vector<std::string> choices = {};  // the only values, if limited; completions offer them
  /// What a value is read as, such as a part's own name for a second one; an unset function changes none.
  std::function<std::string(const std::string& given)> read_as = {};
};

ValueCheck one_of(std::vector<std::string> names);
/// A name or second name of a part, which is read as its name.
ValueCheck one_of(const Listing& catalogue);
/// The names of precisions; who asks for half of 32 bits in another way is shown bf16.
ValueCheck one_of_precisions(std::vector<std::string> names);
/// A whole number from `least` to `most`.
ValueCheck whole(std::int64_t least, std::int64_t most);
/// Any number of 64 bits without a sign.
ValueCheck seed_number();
/// A finite number of at least `least`.
ValueCheck at_least(double least);
/// A number from `least` to `most`.
ValueCheck between(double least, double most);
/// One of the names, or a number above 0 and at most 1.
ValueCheck one_of_or_share(std::vector<std::string> names);
/// The name of a file for a drawing in this format, svg or png: an ending that says another is refused. If it
/// says `other`, the option of that name is pointed to.
ValueCheck file_of_format(std::string format, std::string other = "");
/// Text in UTF-8.
ValueCheck utf8_text();

}  // namespace heed
