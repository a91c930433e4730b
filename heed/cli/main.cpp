#include "heed/cli/command_line.h"

int main(int argc, char** argv) { return heed::run_command_line(argc, argv); }
