#!/usr/bin/env bash
# The image's Dockerfile without Docker: each of its steps in an empty root, then the app in it.
# Needs root, for chroot. Installs busybox-static, whose shell fills the root, and systemd, which judges
# the unit, from Debian's packages where they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

missing=()
command -v busybox >/dev/null || missing+=(busybox-static)
command -v systemd-analyze >/dev/null || missing+=(systemd)

if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing ${missing[*]}" >&2
  log=$(mktemp)
  if ! { apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "${missing[*]} could not be installed: these tests need a Debian, and root, for that." >&2
    exit 1
  fi
fi

exec vitest run --config test/image/vitest.config.ts "$@"
