#!/usr/bin/env bash
# Takes the pictures of docs/in-slack.md and the README in a real browser, and copies them there.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash test/browser/run.sh test/browser/in-slack.test.ts
mkdir -p docs/pictures
for picture in test/browser/out/in-slack-*.png; do
  name=${picture##*/in-slack-}
  cp "$picture" "docs/pictures/$name"
done
cp test/browser/out/playground.png .github/playground.png
