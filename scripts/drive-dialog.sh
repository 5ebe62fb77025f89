#!/bin/sh
# The system's own dialog for files, by a real portal on a bus of its own: cancelled, then a file is chosen.
#
#   scripts/drive-dialog.sh [FOLDER]
#
# Where a desktop has no portal, drive-viewer.sh tells what happens instead. This needs xdg-desktop-portal,
# xdg-desktop-portal-gtk and dbus-run-session beside what that one needs, and ends with 3 where they are missing: CI does not
# run it. Screenshots go to FOLDER (default target/drive-dialog). SINEW names another program than the debug build.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-target/drive-dialog}"
shots=$(cd "${1:-target/drive-dialog}" && pwd)

for tool in Xvfb xdotool import compare dbus-run-session; do
    command -v "$tool" > /dev/null || { echo "drive-dialog: there is no $tool" >&2; exit 3; }
done
for service in org.freedesktop.portal.Desktop org.freedesktop.impl.portal.desktop.gtk; do
    [ -e "/usr/share/dbus-1/services/$service.service" ] || { echo "drive-dialog: there is no $service" >&2; exit 3; }
done
if [ -z "${SINEW:-}" ]; then
    cargo build --quiet
    SINEW=$PWD/target/debug/sinew
fi

room=$(mktemp -d)
session='' server=''
leave() {
    # The bus ends with the viewer, and with the bus what it has started; that takes a moment to give its mount back.
    [ -z "$session" ] || { kill "$(cat "$room/viewer")" 2> /dev/null || true; wait "$session" || true; }
    [ -z "$server" ] || kill "$server" 2> /dev/null || true
    rm -rf "$room" 2> /dev/null || { sleep 2; rm -rf "$room"; }
}
trap leave EXIT
trap 'exit 1' INT TERM
fail() {
    echo "drive-dialog: $1" >&2
    [ -z "$server" ] || import -window root "$shots/failed.png" || true
    sed 's/^/    viewer: /' "$room/said" >&2
    exit 1
}
# Asks until it is so, for a minute.
until_so() {
    what=$1 patience=300
    shift
    until "$@"; do
        patience=$((patience - 1))
        [ "$patience" -gt 0 ] || fail "in vain is waited for: $what"
        sleep 0.2
    done
}

mkfifo "$room/number"
Xvfb -displayfd 3 -screen 0 1300x900x24 3> "$room/number" 2> /dev/null &
server=$!
read -r number < "$room/number"
mkdir -m 700 "$room/run" "$room/config" "$room/config/xdg-desktop-portal"
printf '[preferred]\ndefault=gtk\n' > "$room/config/xdg-desktop-portal/portals.conf"
export DISPLAY=":$number" XDG_RUNTIME_DIR="$room/run" XDG_STATE_HOME="$room/state" XDG_CONFIG_HOME="$room/config" \
    XDG_DATA_HOME="$room/data" XDG_CURRENT_DESKTOP=GNOME NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS

# A name that a URI writes otherwise, and an ending that a pattern could miss.
mkdir "$room/files"
cp assets/spider.glb "$room/files/ä b%20c.GLB"
: > "$room/said"
# shellcheck disable=SC2016 # the inner shell's
(cd "$room" && exec dbus-run-session -- sh -c 'echo $$ > viewer; exec "$0" view --adapter cpu 2> said' "$SINEW") \
    > "$room/bus" 2>&1 &
session=$!

window=$(timeout 60 xdotool search --sync --onlyvisible --name '^sinew$') || fail "there is no window"
until_so "a picture in the window" sh -c '[ "$(import -window root -format %k info:)" -gt 500 ]'
dialog() { xdotool search --onlyvisible --name '^Open a character, or motion for it$' > "$room/dialog" 2> /dev/null; }
no_dialog() {
    ! dialog || { xdotool windowfocus "$(tail -n 1 "$room/dialog")" key Escape 2> /dev/null; false; }
}
ask() {
    xdotool windowfocus "$window" mousemove 640 600 sleep 1 key ctrl+o
    until_so "the dialog" dialog
    sleep 2
    xdotool windowfocus "$(tail -n 1 "$room/dialog")" sleep 0.5
}

# The upper end of the panel, where a field for a path or a complaint would push everything down.
above() { import -window root -crop 304x250+976+0 +repage "$room/$1.png"; }
above before
import -window root "$shots/01-before.png"
ask
import -window root "$shots/02-dialog.png"
until_so "a dialog that is cancelled to go" no_dialog
sleep 1
import -window root "$shots/03-cancelled.png"
above after
changed=$(compare -metric AE -fuzz 2% "$room/before.png" "$room/after.png" null: 2>&1 | sed 's/[^0-9].*//') || true
[ "${changed:-500}" -lt 500 ] || fail "a cancelled dialog has changed $changed pixels of the panel"

# The only name that fits the patterns is put in for the folder's, so it is seen that it does.
ask
xdotool key ctrl+l sleep 1 key ctrl+a sleep 0.3 type --delay 80 "$room/files/"
sleep 1
import -window root "$shots/04-typed.png"
xdotool key Return
until_so "the file that was chosen" grep -qs 'ä b%20c.GLB"' "$room/state/sinew/settings.json"
sleep 2
import -window root "$shots/05-opened.png"
xdotool windowfocus "$window" sleep 0.5 key ctrl+q
gone() { ! kill -0 "$(cat "$room/viewer")" 2> /dev/null; }
until_so "the end" gone
code=0
wait "$session" || code=$?
session=''
[ "$code" -eq 0 ] || fail "it ended with $code"
[ ! -s "$room/said" ] || fail "it said something on stderr"
echo "drive-dialog: all well; screenshots are in $shots"
