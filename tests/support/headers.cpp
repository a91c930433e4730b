// Nothing of its own: its target holds the headers that are parsed once for all tests.
int main() { return 0; }
