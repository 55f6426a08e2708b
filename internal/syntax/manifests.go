package syntax

// Manifests are the names of files that say what the source code of a directory is built with and from, and
// for each of them the names of its lock files. Tools keep a manifest consistent with its locks, and refuse a
// mixture of two revisions of them.
var Manifests = map[string][]string{
	"go.mod":         {"go.sum"},
	"package.json":   {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"},
	"Cargo.toml":     {"Cargo.lock"},
	"pyproject.toml": {"poetry.lock", "uv.lock", "pdm.lock"},
	"Pipfile":        {"Pipfile.lock"},
	"Gemfile":        {"Gemfile.lock"},
	"composer.json":  {"composer.lock"},
	"go.work":        {"go.work.sum"},
	"Makefile":       nil, "makefile": nil, "GNUmakefile": nil, "Kbuild": nil, "Kconfig": nil,
	"CMakeLists.txt": nil, "meson.build": nil, "configure": nil, "configure.ac": nil, "configure.in": nil,
	"Makefile.am": nil, "BUILD": nil, "BUILD.bazel": nil, "WORKSPACE": nil, "MODULE.bazel": nil, "SConstruct": nil,
	"build.gradle": nil, "build.gradle.kts": nil, "settings.gradle": nil, "settings.gradle.kts": nil, "gradle.properties": nil,
	"pom.xml": nil, "build.xml": nil, "build.sbt": nil, "requirements.txt": nil, "setup.py": nil, "setup.cfg": nil,
	"tsconfig.json": nil, "mix.exs": nil, "rebar.config": nil, "Rakefile": nil, "build.rs": nil, "build.zig": nil,
	"Package.swift": nil, "stack.yaml": nil, "dune-project": nil, "pubspec.yaml": {"pubspec.lock"},
}
