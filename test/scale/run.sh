#!/usr/bin/env bash
# Tests with real servers and real time. Installs redis-server and PostgreSQL from Debian's packages
# where they are missing; the tests start both themselves, on ports and in folders of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"

postgres_is_there() { compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }

missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
postgres_is_there || missing+=(postgresql)

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

exec vitest run --config test/scale/vitest.config.ts "$@"
