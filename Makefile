# The front door. Everything below is a short way to say a longer command; the build itself is CMake's (CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help demo build test test-long test-emulated test-gpu fuzz bench format lint setup setup-develop develop clean
release := build/release
jobs := $(shell nproc)

help: ## show this help
	@echo "heed: one engine that trains and serves attention models"
	@echo
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
	  printf '  make %-13s %s\n' "$$name" "$$what"; done

demo: build ## set up, build, translate, caption and transcribe with the bundled models and draw what they attend to
	@tools/demo $(release)/heed

build: setup ## set up and build the program: build/release/heed
	@cmake --preset release
	@tools/expect $(release) heed
	@cmake --build --preset release --target heed

test: develop ## set up, build and run every test, quick and slow
	@ctest --preset release -j $(jobs)

test-long: develop ## run the tests that take many minutes
	@ctest --test-dir $(release) --output-on-failure -L long

test-emulated: ## build for the other architecture and run its unit tests under qemu-user
	@tools/emulate

test-gpu: setup-develop ## build with CUDA and run the tests on this machine's GPU
	@command -v nvcc >/dev/null || { echo "make test-gpu: there is no nvcc on PATH; install the CUDA toolkit"; exit 1; }
	@nvidia-smi >/dev/null 2>&1 || { echo "make test-gpu: there is no GPU on this machine; run it where nvidia-smi lists one"; exit 1; }
	@cmake --preset cuda && cmake --build --preset cuda && ctest --preset cuda -j $(jobs)

fuzz: setup-develop ## feed hostile inputs to TARGET (such as model) for SECONDS; build/fuzz keeps what it finds
	@tools/fuzz "$(TARGET)" "$(SECONDS)"

bench: develop ## build and run the benchmarks; figures as JSON under build/release/bench
	@tools/bench $(release)

format: setup-develop ## rewrite the sources in the house's format
	@tools/format

lint: develop ## check the sources with clang-tidy
	@tools/lint $(release)

setup: ## install the Debian packages that building needs
	@tools/setup product

clean: ## remove build/
	@rm -rf build

setup-develop:
	@tools/setup develop

develop: setup-develop ## set up and build the program and every test
	@cmake --preset release -DHEED_DEVELOP=ON
	@tools/expect $(release) all
	@cmake --build --preset release
