#!/bin/sh
# Tests rooms of co-hosts against a real LiveKit server, with its own client in Chromium. Both are fetched once, by the
# ordinary clients of Go and npm, into a folder of their own: no other test needs them. Takes minutes the first time.
set -eu
cd "$(dirname "$0")/.."
server=v1.13.3
client=2.23.0
tools="$PWD/node_modules/.cache/livekit-$server-$client"
mkdir -p "$tools"
if [ ! -x "$tools/livekit-server" ]; then
  GOBIN="$tools" go install "github.com/livekit/livekit-server/cmd/server@$server"
  mv "$tools/server" "$tools/livekit-server"
fi
[ -d "$tools/node_modules/livekit-client" ] || npm install --prefix "$tools" --no-save "livekit-client@$client"
PATH="$tools:$PATH" NODE_PATH="$tools/node_modules" npx vitest run test/stage
