// Text to tokens and back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

/// A tokeniser may carry state that it learnt (subword pieces); then it saves and restores it as
/// bytes.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  /// As the catalogue lists it.
  virtual std::string_view name() const = 0;

  /// Throws where `text` is not UTF-8.
  virtual std::vector<std::string> split(std::string_view text) const = 0;

  /// join(split(text)) is `text` again, up to what the tokeniser normalises.
  virtual std::string join(std::span<const std::string> tokens) const = 0;

  /// Whether split could ever give this token: a vocabulary with any other is corrupt.
  virtual bool yields(std::string_view token) const = 0;

  virtual std::string state() const { return {}; }

  /// Takes what `state` gave; throws an Error of kind `file` on anything else.
  virtual void restore(std::string_view state);
};

}  // namespace heed
