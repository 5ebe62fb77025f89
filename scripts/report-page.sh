#!/bin/sh
# Draws the picture of the HTML report, or screenshots of it at several sizes and in both themes, to inspect after a change.
#   scripts/report-page.sh              docs/report.png
#   scripts/report-page.sh FOLDER       FOLDER/report.html and screenshots
# SINEW=PROGRAM uses an existing program [default: target/release/sinew, which is built first].
set -eu
cd "$(dirname "$0")/.."

browser=""
for name in chromium chromium-browser google-chrome; do
    command -v "$name" > /dev/null && browser=$name && break
done
[ -n "$browser" ] || { echo "report-page: Chromium is not installed" >&2; exit 3; }
sinew="${SINEW:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew="${CARGO_TARGET_DIR:-target}/release/sinew"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A suite of the built-in characters, drawn once before and once after a change.
suite() {
    cat > "$work/suite.toml" << END
version = 1
[defaults]
resolution = [320, 320]
compare = ["image", "joints"]
[[case]]
name = "wave with the left hand out"
animation = "wave"
animation-time = 0.4
reach = "leftHand=$1"
method = "two-bone"
camera-position = [1.1, 1.4, 2.6]
camera-focal-point = [-0.05, 0.9, 0]
[[case]]
name = "walk in the evening"
animation = "walk"
animation-time = 0.3
light = "$2"
resolution = [480, 270]
[[case]]
name = "spider from the side"
model = "$PWD/assets/spider.glb"
camera-position = "$3"
camera-focal-point = [0, 0.2, 0]
[[matrix]]
name = "clip"
animation = ["walk", "run", "wave", "idle", "crouch"]
animation-time = [0, 0.1, 0.2, 0.3]
resolution = [[96, 96]]
END
}
suite 0.28,0.85,0.25 studio 1.5,0.9,1.6
"$sinew" test "$work/suite.toml" --update --quiet > "$work/log"
suite 0.45,1.2,0.35 outdoor 1.5,0.95,1.6
"$sinew" test "$work/suite.toml" --report "$work/report.html" --quiet > "$work/log" || [ $? -eq 1 ]
# The picture does not depend on the folder in which it was drawn.
sed -i.full "s|$work/||g" "$work/report.html"

# A screenshot: file, size, theme (0 is dark, 1 is light), and the actions on the page.
shot() {
    { cat "$work/report.html"; printf '<script>setTimeout(() => { %s }, 1000)</script>' "$4"; } > "$work/shot.html"
    "$browser" --headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars --disable-background-networking \
        --disable-component-update --user-data-dir="$work/profile" --window-size="$2" --virtual-time-budget=4000 \
        --blink-settings="preferredColorScheme=$3" --screenshot="$1" "file://$work/shot.html" 2> "$work/log" \
        || { cat "$work/log" >&2; exit 1; }
}
if [ $# -eq 0 ]; then
    shot "$work/report.png" 1440,860 1 'setMode("slider"); setCut(0.58); selectChange(0)'
    convert "$work/report.png" -strip -alpha off +dither -colors 255 -define png:compression-level=9 docs/report.png
    exit
fi
mkdir -p "$1"
cp "$work/report.html" "$1"
for theme in 0 1; do
    for size in 1000,800 1600,900; do
        shot "$1/side-$size-$theme.png" "$size" "$theme" ''
        shot "$1/slider-$size-$theme.png" "$size" "$theme" 'setMode("slider")'
        shot "$1/difference-$size-$theme.png" "$size" "$theme" 'setMode("difference"); selectChange(0)'
    done
    shot "$1/help-$theme.png" 1280,720 "$theme" 'byId("help").showModal()'
done
