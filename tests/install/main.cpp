// A program outside the project: it includes heed's headers and links heed's library.
#include <cstdio>

#include "heed/base/error.h"

int main() {
  try {
    heed::fail("stranger: saw {} layers, needs none", 3);
  } catch (const heed::Error& error) {
    std::puts(error.what());
  }
}
