# The front door. Everything below is a short way to say a longer command; the build itself is CMake's (CMakePresets.json).
.DEFAULT_GOAL := help
.PHONY: help demo build test test-long test-emulated fuzz bench format lint setup setup-develop develop clean
release := build/release
jobs := $(shell nproc)

help: ## show this help
	@echo "heed: one engine that trains and serves attention models"
	@echo
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
	  printf '  make %-13s %s\n' "$$name" "$$what"; done

demo: build ## set up, build, translate, caption and transcribe with the bundled models and draw what they attend to
	@tools/demo $(release)/heed

build: setup ## set up and build the program, build/release/heed, and the library
	@cmake --preset release
	@tools/expect $(release) heed
	@cmake --build --preset release --target heed heed_library

test: develop ## set up, build and run every test, quick and slow
	@ctest --preset release -j $(jobs)

test-long: develop ## run the tests that take many minutes
	@ctest --test-dir $(release) --output-on-failure -L long

test-emulated: ## build for the other architecture and run its unit tests under qemu-user
	@tools/emulate

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
