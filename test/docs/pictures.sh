#!/usr/bin/env bash
# Takes the pictures of the README and of docs/in-slack.md in a real browser, light and dark, and puts
# them into docs/pictures. Installs an open font and img2webp from Debian's packages where they are
# missing.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v img2webp >/dev/null || ! fc-list | grep -q '/Inter-'; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends fonts-inter webp
fi

bash test/browser/run.sh test/browser/in-slack.test.ts test/browser/tour.test.ts
mkdir -p docs/pictures
for picture in test/browser/out/in-slack-*.png; do
  name=${picture##*/in-slack-}
  cwebp -quiet -q 90 "$picture" -o "docs/pictures/${name%.png}.webp"
done
for look in tour tour-dark; do
  # The list of frames is img2webp's own arguments.
  xargs img2webp -loop 0 -min_size -mixed -q 60 -o "docs/pictures/$look.webp" <"test/browser/out/$look.frames"
done
