#!/usr/bin/env bash
# Tests with real servers and real time. Installs redis-server and PostgreSQL from Debian's packages
# where they are missing; the tests start both themselves, on ports and in folders of their own.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
. test/support/install-missing.sh

postgres_is_there() { compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }

missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
postgres_is_there || missing+=(postgresql)

install_missing "${missing[@]}"

exec vitest run --config test/scale/vitest.config.ts "$@"
