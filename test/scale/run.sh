#!/usr/bin/env bash
# Tests with real servers and real time. Installs redis-server (Debian) where it is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

if ! command -v redis-server >/dev/null; then
  apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server >/dev/null
fi

exec vitest run --config test/scale/vitest.config.ts "$@"
