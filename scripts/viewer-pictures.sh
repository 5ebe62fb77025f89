#!/bin/sh
# Takes the screenshots of the viewer for README.md and docs/viewer.md: drives the window on a display of its own.
#
#   scripts/viewer-pictures.sh [SINEW]     default: target/release/sinew, which is built first
set -eu
cd "$(dirname "$0")/.."
SINEW=${1:-}
if [ -z "$SINEW" ]; then
    cargo build --release --quiet
    SINEW=target/release/sinew
fi
mkdir -p target/viewer-pictures
name=viewer-pictures shots=target/viewer-pictures
. scripts/person.sh

# Opens the built-in character with the settings of a new user.
start() {
    XDG_STATE_HOME="$work/state-$1" "$SINEW" view --adapter cpu 2> "$work/stderr" &
    viewer=$!
    find_window
    sleep 6
}
stop() {
    kill "$viewer"
    wait "$viewer" 2> /dev/null || true
    xdotool sleep 1
}
shot() {
    xdotool mousemove 60 200 sleep 1.5
    import -window root -dither None -colors 255 "$1"
}

# The hips are pulled down, a hand is raised, and its forearm is selected.
start pose
drag 455 325 455 400
drag 590 420 640 250
click 606 282
shot docs/viewer-pose.png

# The pose between two keys, with the ghosts of these keys.
xdotool key Escape
shortcut k
click 870 683
drag 454 372 430 330
shortcut k
click 500 683
click 711 656
click 772 656
shot docs/viewer-keys.png
stop

# Four methods solve for the same goal.
start lab
shortcut ctrl+Tab
drag 577 305 620 490
for row in 409 447 502; do click 946 "$row"; done
shot docs/viewer-lab.png
stop
