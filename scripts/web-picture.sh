#!/bin/sh
# Draws the picture of docs/web.md from the screenshots that the tests of the page take. Run scripts/web.sh first.
set -eu
cd "$(dirname "$0")/.."

./scripts/web-test.sh "a drag by the mouse" fingers
out="${WEB_OUT:-target/web-test}"
convert "$out/dragged.png" -resize 960x600 "$out/wide.png"
convert "$out/phone-dragged.png" -resize x600 "$out/narrow.png"
convert "$out/wide.png" "$out/narrow.png" -background white -gravity center +smush 16 -colors 200 docs/web.png
