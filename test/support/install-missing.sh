# Sourced by the suites' run.sh. `install_missing PACKAGE …` installs Debian packages; without them, it
# ends the script.
install_missing() {
  [ "$#" -gt 0 ] || return 0
  echo "Installing $*" >&2
  local log
  log=$(mktemp)
  # The lists are fetched only where they do not serve as they are: another suite may have done that.
  install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  }
  if ! { install "$@" || { apt-get update -qq && install "$@"; }; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "$* could not be installed: these tests need a Debian, and root, for that." >&2
    exit 1
  fi
}
