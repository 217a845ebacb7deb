#!/usr/bin/env bash
# Clients that are not ours: a real browser drives the playground's page, Python reads the embedded
# file service. Installs Chromium and Python from Debian's packages where they are missing;
# screenshots are left in test/browser/out.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

if ! command -v chromium >/dev/null || ! command -v python3 >/dev/null; then
  echo 'Installing chromium and python3' >&2
  log=$(mktemp)
  if ! { apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      chromium fonts-noto-color-emoji python3; } >"$log" 2>&1; then
    cat "$log" >&2
    echo 'chromium and python3 could not be installed: these tests need a Debian, and root, for that.' >&2
    exit 1
  fi
fi

exec vitest run --config test/browser/vitest.config.ts "$@"
