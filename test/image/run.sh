#!/usr/bin/env bash
# The image's Dockerfile without Docker: each of its steps in an empty root, then the app in it.
# Needs root, for chroot. Installs busybox-static, whose shell fills the root, and systemd, which judges
# the unit, from Debian's packages where they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
. test/support/install-missing.sh

missing=()
command -v busybox >/dev/null || missing+=(busybox-static)
command -v systemd-analyze >/dev/null || missing+=(systemd)

install_missing "${missing[@]}"

exec vitest run --config test/image/vitest.config.ts "$@"
