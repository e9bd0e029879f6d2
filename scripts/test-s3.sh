#!/bin/sh
# Tests files in S3 against a real S3 server, the Versity S3 Gateway on a folder. It is fetched once, by the ordinary
# client of Go, into a folder of its own: no other test needs it.
set -eu
cd "$(dirname "$0")/.."
version=v1.8.0
tools="$PWD/node_modules/.cache/versitygw-$version"
mkdir -p "$tools"
[ -x "$tools/versitygw" ] || GOBIN="$tools" go install "github.com/versity/versitygw/cmd/versitygw@$version"
PATH="$tools:$PATH" npx vitest run test/object-store
