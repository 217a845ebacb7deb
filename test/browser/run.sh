#!/usr/bin/env bash
# Drives the playground's page in a real browser. Installs Chromium from Debian's packages where it
# is missing; screenshots are left in test/browser/out.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

if ! command -v chromium >/dev/null; then
  echo 'Installing chromium' >&2
  log=$(mktemp)
  if ! { apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      chromium fonts-noto-color-emoji; } >"$log" 2>&1; then
    cat "$log" >&2
    echo 'chromium could not be installed: these tests need a Debian, and root, for that.' >&2
    exit 1
  fi
fi

exec vitest run --config test/browser/vitest.config.ts "$@"
