#!/usr/bin/env bash
# Clients that are not ours: a real browser drives the playground's page, Python reads the embedded
# file service. Installs Chromium and Python from Debian's packages where they are missing;
# screenshots are left in test/browser/out.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
. test/support/install-missing.sh

if ! command -v chromium >/dev/null || ! command -v python3 >/dev/null; then
  install_missing chromium fonts-noto-color-emoji python3
fi

exec vitest run --config test/browser/vitest.config.ts "$@"
