// The sanitizers' options for the programs of this folder. Without the stacks of every allocation a
// program is a third faster; a finding is run again with ASAN_OPTIONS=malloc_context_size=30. What was
// freed stays out of use until another megabyte was freed, which is what a dozen inputs free; with the
// usual 256 MB every allocation would be a miss of the cache.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "malloc_context_size=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=256:allocator_"
         "may_return_null=0";
}
