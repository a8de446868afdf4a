# SPDX-License-Identifier: MIT
# The front door. Everything is done by CMake (see CMakePresets.json) and by the scripts in tools/; each target first
# makes sure that the packages it needs are installed (tools/packages.txt).
.PHONY: all demo check validate fuzz debug asan tsan double format docs clean help
.DEFAULT_GOAL := all

## all: the optimised program, build/frazil (the default)
all:
	@tools/setup build
	@tools/build release frazil_app

## demo: simulate scenes/demo.yaml and make a film of it, in demo/
demo: all
	@tools/demo

## check: every test and static check; last line is "N passed, M failed"
check:
	@tools/setup build check
	@tools/check

## validate: hold the physics against theory and experiment; a page with tables and plots, validation/index.html
validate: all
	@build/frazil validate -o validation

## fuzz: feed broken files and command lines to everything that reads them, a minute each
fuzz:
	@tools/setup build check
	@tools/fuzz

## debug: build/debug, with -O1 -g
debug:
	@tools/setup build
	@tools/build debug

## asan: build/asan, with the address and undefined-behaviour sanitizers
asan:
	@tools/setup build
	@tools/build asan

## tsan: build/tsan, with clang's thread sanitizer
tsan:
	@tools/setup build check
	@tools/build tsan

## double: build/double, particle fields in double precision
double:
	@tools/setup build
	@tools/build double

## format: rewrite all C files as .clang-format says
format:
	@tools/setup check
	@tools/format

## docs: write docs/scene-reference.md, docs/methods.md and docs/laws.md from the tables of the program
docs: all
	@tools/docs

## clean: remove everything that was built
clean:
	rm -rf build

## help: this list
help:
	@sed -n 's/^## //p' Makefile
