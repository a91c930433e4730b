// What every target of this folder does with its input: it hands the bytes to the code that reads
// them in heed, and allows two outcomes only. Either they are taken, or they are refused by an Error
// of the promised kind. Any other exception, a crash, a report of a sanitizer, much memory or much
// time is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "heed/base/fault.h"

/// What libFuzzer calls, and replay.cpp for each file of a corpus.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace heed::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process, for libFuzzer to keep the input.
[[noreturn]] inline void report(const char* what, const std::string& more) {
  std::fprintf(stderr, "fuzz: %s: %s\n", what, more.c_str());
  std::abort();
}

/// Calls `act`, which may throw an Error of kind `promised`.
template <class Act>
void take_or_refuse(Fault promised, Act&& act) {
  try {
    act();
  } catch (const Error& error) {
    if (error.fault() != promised) {
      report("saw an Error of another kind than promised", error.what());
    }
  }
}

}  // namespace heed::fuzz
