#!/bin/sh
# Tests the system's file dialog with a real desktop portal on a private message bus: cancels it once, then chooses a file.
#
#   scripts/drive-dialog.sh [FOLDER]
#
# drive-viewer.sh tests the viewer on a desktop without a portal. This script needs xdg-desktop-portal, xdg-desktop-portal-gtk
# and dbus-run-session in addition to the tools of that script. It exits with 3 if one of them is missing, so CI does not run it.
# Screenshots are written to FOLDER [default: target/drive-dialog]. SINEW is the program to test [default: the debug build].
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-target/drive-dialog}"
shots=$(cd "${1:-target/drive-dialog}" && pwd)

for tool in Xvfb xdotool import compare dbus-run-session; do
    command -v "$tool" > /dev/null || { echo "drive-dialog: $tool is not installed" >&2; exit 3; }
done
for service in org.freedesktop.portal.Desktop org.freedesktop.impl.portal.desktop.gtk; do
    [ -e "/usr/share/dbus-1/services/$service.service" ] || { echo "drive-dialog: the service $service is not installed" >&2; exit 3; }
done
if [ -z "${SINEW:-}" ]; then
    cargo build --quiet
    SINEW=$PWD/target/debug/sinew
fi

work=$(mktemp -d)
session='' server=''
clean_up() {
    # The bus exits with the viewer, and its services exit with the bus. The services need a moment to release their mount.
    [ -z "$session" ] || { kill "$(cat "$work/viewer")" 2> /dev/null || true; wait "$session" || true; }
    [ -z "$server" ] || kill "$server" 2> /dev/null || true
    rm -rf "$work" 2> /dev/null || { sleep 2; rm -rf "$work"; }
}
trap clean_up EXIT
trap 'exit 1' INT TERM
fail() {
    echo "drive-dialog: $1" >&2
    [ -z "$server" ] || import -window root "$shots/failed.png" || true
    sed 's/^/    viewer: /' "$work/stderr" >&2
    exit 1
}
# wait_for DESCRIPTION COMMAND …: runs a command until it succeeds, for up to a minute.
wait_for() {
    description=$1 tries=300
    shift
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "timed out waiting for $description"
        sleep 0.2
    done
}

mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1300x900x24 -noreset 3> "$work/number" 2> /dev/null &
server=$!
read -r number < "$work/number"
mkdir -m 700 "$work/run" "$work/config" "$work/config/xdg-desktop-portal"
printf '[preferred]\ndefault=gtk\n' > "$work/config/xdg-desktop-portal/portals.conf"
export DISPLAY=":$number" XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config" \
    XDG_DATA_HOME="$work/data" XDG_CURRENT_DESKTOP=GNOME NO_AT_BRIDGE=1
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS

# The name needs escapes in a URI, and the upper-case extension must match the dialog's filter.
mkdir "$work/files"
cp assets/spider.glb "$work/files/ä b%20c.GLB"
: > "$work/stderr"
# shellcheck disable=SC2016 # the inner shell expands the variables
(cd "$work" && exec dbus-run-session -- sh -c 'echo $$ > viewer; exec "$0" view --framing auto --adapter cpu 2> stderr' "$SINEW") \
    > "$work/bus" 2>&1 &
session=$!

window=$(timeout 60 xdotool search --sync --onlyvisible --name '^sinew$') || fail "the window did not open"
wait_for "the first frame in the window" sh -c '[ "$(import -window root -format %k info:)" -gt 500 ]'
dialog() { xdotool search --onlyvisible --name '^Open a character or a motion$' > "$work/dialog" 2> /dev/null; }
no_dialog() {
    ! dialog || { xdotool windowfocus "$(tail -n 1 "$work/dialog")" key Escape 2> /dev/null; false; }
}
open_dialog() {
    xdotool windowfocus "$window" mousemove 640 600 sleep 1 key ctrl+o
    wait_for "the dialog to open" dialog
    sleep 2
    xdotool windowfocus "$(tail -n 1 "$work/dialog")" sleep 0.5
}

# Captures the top of the panel, where a path field or an error message would move everything down.
panel_top() { import -window root -crop 304x250+976+0 +repage "$work/$1.png"; }
panel_top before
import -window root "$shots/01-before.png"
open_dialog
import -window root "$shots/02-dialog.png"
wait_for "the cancelled dialog to close" no_dialog
sleep 1
import -window root "$shots/03-cancelled.png"
panel_top after
changed=$(compare -metric AE -fuzz 2% "$work/before.png" "$work/after.png" null: 2>&1 | sed 's/[^0-9].*//') || true
[ "${changed:-500}" -lt 500 ] || fail "cancelling the dialog changed $changed pixels of the panel"

# The dialog completes the folder with the only file name that its filter accepts, which shows that the filter works.
open_dialog
xdotool key ctrl+l sleep 1 key ctrl+a sleep 0.3 type --delay 80 "$work/files/"
sleep 1
import -window root "$shots/04-typed.png"
xdotool key Return
wait_for "the chosen file to be opened" grep -qs 'ä b%20c.GLB"' "$work/state/sinew/settings.json"
sleep 2
import -window root "$shots/05-opened.png"
xdotool windowfocus "$window" sleep 0.5 key ctrl+q
gone() { ! kill -0 "$(cat "$work/viewer")" 2> /dev/null; }
wait_for "the viewer to exit" gone
code=0
wait "$session" || code=$?
session=''
[ "$code" -eq 0 ] || fail "the viewer exited with $code"
[ ! -s "$work/stderr" ] || fail "the viewer printed something on stderr"
echo "drive-dialog: passed; screenshots are in $shots"
