#!/bin/sh
# Takes the screenshots of the viewer for README.md and docs/viewer.md: drives the window on a display of its own.
#
#   scripts/viewer-pictures.sh [SINEW]     default: target/release/sinew, which is built first
set -eu
cd "$(dirname "$0")/.."
for tool in Xvfb xdotool import; do
    command -v "$tool" > /dev/null || { echo "viewer-pictures: $tool is not installed" >&2; exit 3; }
done
sinew="${1:-}"
if [ -z "$sinew" ]; then
    cargo build --release --quiet
    sinew=target/release/sinew
fi
work=$(mktemp -d)
viewer='' server=''
clean_up() {
    for process in $viewer $server; do kill "$process" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset 3> "$work/number" 2> /dev/null &
server=$!
read -r number < "$work/number"
export DISPLAY=":$number" XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$work}" DBUS_SESSION_BUS_ADDRESS="unix:path=$work/no-bus"
unset WAYLAND_DISPLAY

# Opens the built-in character with the settings of a new user.
start() {
    XDG_STATE_HOME="$work/state-$1" "$sinew" view --adapter cpu 2> "$work/stderr" &
    viewer=$!
    window=$(timeout 60 xdotool search --sync --onlyvisible --name '^sinew$')
    xdotool windowfocus --sync "$window" sleep 6
}
stop() {
    kill "$viewer"
    wait "$viewer" 2> /dev/null || true
    xdotool sleep 1
}
click() { xdotool mousemove "$1" "$2" sleep 0.4 click 1 sleep 0.6; }
drag() {
    xdotool mousemove "$1" "$2" sleep 0.4 mousedown 1 sleep 0.1
    for step in 1 2 3 4; do
        xdotool mousemove $(($1 + ($3 - $1) * step / 4)) $(($2 + ($4 - $2) * step / 4)) sleep 0.1
    done
    xdotool sleep 0.5 mouseup 1 sleep 0.6
}
shortcut() { xdotool mousemove 60 560 sleep 0.2 key "$1" sleep 0.8; }
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

# Two keys, and the pose between them with their ghosts.
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

# Four methods and the same goal.
start lab
shortcut ctrl+Tab
drag 577 305 620 490
for row in 409 447 502; do click 946 "$row"; done
shot docs/viewer-lab.png
stop
