// What an option accepts. A wrong value reads `--split: saw "tets", needs one of train, valid,
// test; did you mean "test"?`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace heed {

/// The validator's name lists the choices, `none|wu|length`: completions read it.
CLI::Validator one_of(std::vector<std::string> names);
/// A whole number from `least` to `most`.
CLI::Validator whole(std::int64_t least, std::int64_t most);
/// A finite number of at least `least`.
CLI::Validator at_least(double least);
/// A number from `least` to `most`.
CLI::Validator between(double least, double most);
/// Text in UTF-8.
CLI::Validator utf8_text();

}  // namespace heed
