// The sanitizers' options for the programs of this folder. Without the stacks of every allocation a
// program is a third faster; a finding is run again with ASAN_OPTIONS=malloc_context_size=30.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "malloc_context_size=0:quarantine_size_mb=32:allocator_may_return_null=0";
}
