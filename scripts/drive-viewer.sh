#!/bin/sh
# The window, driven as people do and then as nobody does: under a display of its own, with real pointer and key events.
#
#   scripts/drive-viewer.sh [SECONDS [FOLDER]]
#
# First every key of the keys window, a drag of the mannequin's hand, of a ring, of an end of a limit and of a pole, files
# that are opened and change on disk, sizes down to one pixel; then about 200 random events a second for SECONDS (default
# 120). Fails if the viewer panics, says anything else on stderr than where a recording is, ends otherwise than asked, or grows: the least that is resident
# in the last quarter of that time is compared with the least in the second. In the first minutes it does grow, to what two
# readers of files, the largest window and the shaders of all modes take; the allocator keeps what the worst moment took; and
# graphics memory on a processor comes in blocks of 32 MB, of which the second stays if anything lasting was put there while
# an old target, or a saved picture, was in the first. So it may be 64 MB in less than ten minutes, 48 MB beyond.
# Screenshots go to FOLDER (default target/drive-viewer). SINEW names another program than the debug build,
# SEED other events, and other variables (WINIT_X11_SCALE_FACTOR) reach the viewer as they are.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-120}
mkdir -p "${2:-target/drive-viewer}"
shots=$(cd "${2:-target/drive-viewer}" && pwd)
seed=${SEED:-1}
most_growth=49152
[ "$seconds" -ge 600 ] || most_growth=65536

for tool in Xvfb xdotool import compare; do
    command -v "$tool" > /dev/null || { echo "drive-viewer: there is no $tool" >&2; exit 3; }
done
if [ -z "${SINEW:-}" ]; then
    cargo build --quiet
    SINEW=$PWD/target/debug/sinew
fi

room=$(mktemp -d)
viewer='' server=''
leave() {
    for process in $viewer $server; do kill "$process" 2> /dev/null || true; done
    rm -rf "$room"
}
trap leave EXIT
trap 'exit 1' INT TERM

fail() {
    echo "drive-viewer: $1" >&2
    [ -z "$server" ] || import -window root "$shots/failed.png" || true
    sed 's/^/    viewer: /' "$room/said" >&2
    exit 1
}

# A display that nobody has: the server says its number.
mkfifo "$room/number"
Xvfb -displayfd 3 -screen 0 1300x820x24 3> "$room/number" 2> /dev/null &
server=$!
read -r number < "$room/number"
export DISPLAY=":$number" XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$room}" XDG_STATE_HOME="$room/state"
unset WAYLAND_DISPLAY
# No bus, and none that is started for the display: a desktop's dialog would come from its portal and take the keys.
export DBUS_SESSION_BUS_ADDRESS="unix:path=$room/no-bus"

cp assets/*.glb assets/*.toml "$room"
: > "$room/said"
(cd "$room" && exec "$SINEW" view --adapter cpu) 2> "$room/said" &
viewer=$!

alive() { kill -0 "$viewer" 2> /dev/null || fail "the viewer has gone $1"; }
shot() { alive "before $1"; sleep 0.5; import -window root "$shots/$1.png"; }
# Waits until the screen is another one than in a screenshot.
differs() {
    patience=100
    while import -window root "$room/now.png"; do
        changed=$(compare -metric AE -fuzz 2% "$shots/$1.png" "$room/now.png" null: 2>&1 | sed 's/[^0-9].*//') || true
        [ "${changed:-0}" -le 500 ] || return 0
        patience=$((patience - 1))
        [ "$patience" -gt 0 ] || fail "nothing changes after: $2"
        alive "after: $2"
        sleep 0.1
    done
}
resident() { awk '/^VmRSS/ {print $2}' "/proc/$viewer/status"; }

window=$(timeout 30 xdotool search --sync --onlyvisible --name '^sinew$') || fail "there is no window"
patience=300
until [ "$(import -window root -format %k info:)" -gt 500 ]; do
    patience=$((patience - 1))
    [ "$patience" -gt 0 ] || fail "the window stays blank"
    alive "before it showed anything"
    sleep 0.1
done
xdotool windowfocus --sync "$window" mousemove 120 120
shot 01-first

# A selected joint: its ring with the limb and alone, an end of its limit, its pole. All is taken back.
xdotool mousemove 324 357 sleep 0.3 click 1 mousemove 120 120
differs 01-first "a click on the hand"
shot 02-selected
drag() { xdotool mousemove "$1" "$2" sleep 0.3 mousedown 1 mousemove "$3" "$4" mousemove "$5" "$6" sleep 0.3 mouseup 1; }
pull() {
    drag "$1" "$2" "$3" "$4" "$5" "$6"
    differs 02-selected "$7"
    shot "02-$8"
    xdotool key ctrl+z
}
pull 411 338 409 325 400 300 "a ring" ring
xdotool key e
pull 411 338 409 325 400 300 "a ring of the hand alone" ring-alone
xdotool key e
pull 358 391 350 380 340 375 "an end of a limit" limit
pull 413 272 420 240 430 200 "a pole" pole
xdotool mousemove 120 120 key Escape
shot 02-again

# The hand, out and up; axes, steps and the wheel while it is held; another drag that is cancelled.
xdotool mousemove 324 357 mousedown 1 mousemove 320 345 mousemove 330 300 mousemove 300 270 mousemove 280 250
differs 02-again "dragging the hand"
shot 03-dragged
xdotool key x mousemove 250 250 key x key y mousemove 260 220 key y key z key z \
    keydown ctrl mousemove 240 240 keyup ctrl click 4 click 5 mouseup 1
xdotool mousemove 672 353 mousedown 1 mousemove 702 300 key Escape mouseup 1
# Every other key, with the pointer on the chest and on nothing.
for place in "512 300" "120 120"; do
    # shellcheck disable=SC2086 # two numbers
    xdotool mousemove $place key s key s key p key b key p key b key r key shift+r key ctrl+z key ctrl+shift+z \
        key 0 key 1 key 2 key 3 key 4 key 5 key 6 key 7 key 8 key 9 key space key space key f \
        key Tab key Tab key F5 key Left key Right key F12 key ctrl+s key ctrl+z
done
shot 03-saved
[ -s "$room/sinew-0001.png" ] && [ -s "$room/sinew-0001.json" ] || fail "picture and pose are not saved"
xdotool key ctrl+r mousemove 324 357 mousedown 1 mousemove 320 345 mousemove 330 300 mouseup 1 key f sleep 0.5 key ctrl+r
patience=100
until tail -n 1 "$room/sinew-0001.session" 2> /dev/null | grep -q '^{"at":[0-9.]*}$'; do
    patience=$((patience - 1))
    [ "$patience" -gt 0 ] || fail "what was done is not recorded"
    sleep 0.1
done
# By daylight, and so it stays.
xdotool mousemove 1100 600 click --repeat 40 --delay 10 5 sleep 0.5
shot 03-below
xdotool mousemove 1172 729 sleep 0.3 click 1
differs 03-below "another theme"
shot 03-light
grep -q '"theme": "light"' "$room/state/sinew/settings.json" || fail "the theme is not remembered"
xdotool mousemove 1122 729 sleep 0.3 click 1
differs 03-light "the dark theme"
xdotool mousemove 1100 600 click --repeat 40 --delay 10 4
xdotool keydown shift mousemove 512 300 mousemove 520 290 mousemove 540 260 keyup shift mousemove 120 120
xdotool mousedown 1 mousemove 180 140 mouseup 1 keydown alt mousemove 512 300 mousedown 1 mousemove 560 300 \
    mouseup 1 keyup alt mousedown 2 mousemove 540 320 mouseup 2 mousedown 3 mousemove 512 300 mouseup 3 \
    click 4 click 4 click 5 click --repeat 2 --delay 40 1 key f
shot 04-before
xdotool key question
differs 04-before "the key of keys"
shot 04-keys
xdotool key question

# A file by its path: the dialog that is not there leaves a field for it.
shot 05-before
xdotool key ctrl+o
differs 05-before "asking for a file"
xdotool type --delay 5 "$room/spider.glb"
shot 05-typed
xdotool key Return
differs 05-typed "opening a file by its path"
patience=100
until grep -qs 'spider.glb"' "$room/state/sinew/settings.json"; do
    patience=$((patience - 1))
    [ "$patience" -gt 0 ] || fail "the file is not opened and remembered"
    sleep 0.1
done
shot 06-spider
xdotool key Right
differs 06-spider "the next file"
xdotool key Left
shot 07-spider
# Half a file is an error, and the old character stays; a whole one is shown.
head -c 20000 "$room/arm.glb" > "$room/spider.glb"
differs 07-spider "half a file"
shot 08-error
rm "$room/spider.rig.toml"
cp "$room/mannequin.glb" "$room/.new" && mv "$room/.new" "$room/spider.glb"
differs 08-error "a whole file again"
shot 09-reloaded

# Sizes: small, none, and back; without the panel.
xdotool windowsize "$window" 400 300
shot 10-small
for size in "1 1" "2 600" "900 2" "1 1" "1280 800"; do
    # shellcheck disable=SC2086 # two numbers
    xdotool windowsize "$window" $size
    sleep 0.3
    alive "at $size"
done
xdotool key Tab
shot 11-without-panel
xdotool key Tab
shot 12-back

# What nobody does, a second of it at a time.
events() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        keys = split("0 1 2 3 4 5 6 7 8 9 x y z p b r e f s space Tab question Escape Left Right F5 ctrl+z ctrl+shift+z shift+r ctrl+r Return o a BackSpace", key)
        for (n = 0; n < 200; n++) {
            what = rand(); x = int(rand() * 1320) - 20; y = int(rand() * 840) - 20
            if (what < 0.60) print "mousemove", (x < 0 ? 0 : x), (y < 0 ? 0 : y)
            else if (what < 0.68) print "mousedown", 1 + int(rand() * 3)
            else if (what < 0.78) print "mouseup", 1 + int(rand() * 3)
            else if (what < 0.84) { wheel = 4 + int(rand() * 2); print "mousedown", wheel; print "mouseup", wheel }
            else if (what < 0.93) print "key --delay 0", key[1 + int(rand() * keys)]
            else if (what < 0.985) print (rand() < 0.4 ? "keydown" : "keyup"), "--delay 0", (rand() < 0.5 ? "shift" : rand() < 0.5 ? "ctrl" : "alt")
            else if (what < 0.99) print "windowsize", "'"$window"'", 1 + int(rand() * 1300), 1 + int(rand() * 820)
            else if (what < 0.992) print "key --delay 0", (rand() < 0.5 ? "F12" : "ctrl+o")
            print "sleep 0.0043"
        }
    }'
}
first=$(resident) started=$(date +%s) rounds=0
while [ $(($(date +%s) - started)) -lt "$seconds" ]; do
    rounds=$((rounds + 1))
    events $((seed * 100000 + rounds)) | xdotool -
    alive "in round $rounds of seed $seed"
    rm -f "$room"/*-0*.png "$room"/*-0*.json "$room"/*-0*.glb "$room"/*-0*.session
    echo "$(resident)" >> "$room/resident"
done
took=$(($(date +%s) - started))
# The same window as at first, nothing held.
xdotool mouseup 1 mouseup 2 mouseup 3 keyup shift keyup ctrl keyup alt key Escape \
    windowsize "$window" 1280 800 windowfocus "$window"
sleep 2
alive "at the end"
# The least of a quarter of the rounds.
least() { head -n $(((rounds * $1 + 3) / 4)) "$room/resident" | tail -n $(((rounds + 3) / 4)) | sort -n | head -n 1; }
second=$(least 2) last=$(least 4)
echo "drive-viewer: $((rounds * 200)) events in $took s; resident $first kB before; at least $(least 1), $second, $(least 3)," \
    "$last kB in the quarters of that time"
shot 13-after
[ $((last - second)) -le "$most_growth" ] || fail "it has grown by $((last - second)) kB from the second quarter to the last"

# A limit that was changed and not saved is pointed out once.
xdotool key ctrl+q sleep 1 key ctrl+q
patience=100
while kill -0 "$viewer" 2> /dev/null && [ "$patience" -gt 0 ]; do
    patience=$((patience - 1))
    sleep 0.1
done
[ "$patience" -gt 0 ] || fail "it does not close"
code=0
wait "$viewer" || code=$?
viewer=''
[ "$code" -eq 0 ] || fail "it ended with $code"
# A recording that was still running got its name when the window closed, and the viewer says so.
! grep -qv '^saved .*\.session$' "$room/said" || fail "it said something on stderr"
echo "drive-viewer: all well; screenshots are in $shots"
