// A library that is none of a backend's.
extern "C" [[gnu::visibility("default")]] int heed_nothing() { return 0; }
