#!/bin/sh
# Tests the viewer's window with real pointer and key events, on a display of its own.
#
#   scripts/drive-viewer.sh [SECONDS [FOLDER]]
#
# The first part uses the window like a person. It presses every key in the list of shortcuts, drags the mannequin's hand, a
# ring, a limit handle and a pole, opens files that then change on disk, and resizes the window down to one pixel. The second
# part sends about 200 random events per second for SECONDS [default: 120].
#
# The script fails if the viewer panics, exits unexpectedly, prints anything on stderr except the paths of saved recordings, or leaks
# memory. The last check compares the minimum resident memory in the last quarter of the random events with the minimum in the second
# quarter. Memory grows in the first minutes, because of two file readers, the largest window and the shaders of all shading modes. The
# allocator also keeps the memory that was needed at the peak. Graphics memory of a software driver is allocated in blocks of 32 MB, and a
# second block stays allocated if a long-lived allocation was placed in it while the first block contained an old render target or a saved
# image. Growth of 64 MB is therefore accepted in runs shorter than ten minutes, and 48 MB in longer runs.
#
# Finally, scripts/recover-viewer.sh kills the viewer RECOVERIES times [default: 10] and recovers the work.
#
# Screenshots are written to FOLDER [default: target/drive-viewer]. SINEW is the program to test [default: the debug build].
# SEED selects different random events. Other variables, such as WINIT_X11_SCALE_FACTOR, are passed on to the viewer.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-120}
mkdir -p "${2:-target/drive-viewer}"
shots=$(cd "${2:-target/drive-viewer}" && pwd)
seed=${SEED:-1}
max_growth=49152
[ "$seconds" -ge 600 ] || max_growth=65536

name=drive-viewer tools='import compare' screen=1300x820
. scripts/display.sh

cp assets/*.glb assets/*.toml "$work"
(cd "$work" && exec "$SINEW" view --framing auto --adapter cpu) 2> "$work/stderr" &
viewer=$!

alive() { kill -0 "$viewer" 2> /dev/null || fail "the viewer exited $1"; }
shot() { alive "before $1"; sleep 0.5; import -window root "$shots/$1.png"; }
# Waits until the screen differs from a screenshot.
differs() {
    tries=100
    while import -window root "$work/now.png"; do
        changed=$(compare -metric AE -fuzz 2% "$shots/$1.png" "$work/now.png" null: 2>&1 | sed 's/[^0-9].*//') || true
        [ "${changed:-0}" -le 500 ] || return 0
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "the screen did not change after $2"
        alive "after $2"
        sleep 0.1
    done
}
resident() { awk '/^VmRSS/ {print $2}' "/proc/$viewer/status"; }

find_window
tries=300
until [ "$(import -window root -format %k info:)" -gt 500 ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the window stayed blank"
    alive "before it drew anything"
    sleep 0.1
done
xdotool mousemove 120 120
shot 01-first

# Select a joint. Drag a ring with the limb following, then a ring that turns only the joint, an end of a limit, and a pole. Undo each drag.
xdotool mousemove 375 279 sleep 0.3 click 1 mousemove 120 120
differs 01-first "a click on the hand"
shot 02-selected
drag() { xdotool mousemove "$1" "$2" sleep 0.3 mousedown 1 mousemove "$3" "$4" mousemove "$5" "$6" sleep 0.3 mouseup 1; }
pull() {
    drag "$1" "$2" "$3" "$4" "$5" "$6"
    differs 02-selected "$7"
    shot "02-$8"
    xdotool key ctrl+z
}
pull 425 286 400 288 370 288 "dragging a ring" ring
xdotool key e
pull 425 286 400 288 370 288 "dragging a ring that rotates only the hand" ring-alone
xdotool key e
pull 409 324 400 330 385 335 "dragging an end of a limit" limit
pull 430 231 440 210 450 190 "dragging a pole" pole
xdotool mousemove 120 120 key Escape
shot 02-again

# Drag the hand outwards and up, and use axes, snapping and the wheel during the drag. Cancel another drag.
xdotool mousemove 375 279 mousedown 1 mousemove 371 267 mousemove 381 230 mousemove 351 200 mousemove 331 180
differs 02-again "dragging the hand"
shot 03-dragged
xdotool key x mousemove 301 180 key x key y mousemove 311 150 key y key z key z \
    keydown ctrl mousemove 291 170 keyup ctrl click 4 click 5 mouseup 1
xdotool mousemove 617 289 mousedown 1 mousemove 647 240 key Escape mouseup 1
# Without a mouse button, pull the selected joint along an axis and turn it about an axis by typed numbers. Then cancel another turn.
xdotool mousemove 375 279 click 1 mousemove 420 200 key g mousemove 430 190 key y key 0 key period key 1 key Return \
    key t mousemove 450 210 key x key 2 key 0 key Return key t mousemove 400 240 key Escape key Escape
# Find an action in the palette. On a slow machine, letters typed before the palette is open would act as shortcuts.
shot 03-posed
xdotool key F3
differs 03-posed "opening the palette"
shot 03-palette
xdotool type --delay 20 mirror
differs 03-palette "typing the name of an action"
xdotool key Return
differs 03-palette "running an action of the palette"
xdotool key ctrl+z key n key n key shift+n key shift+n key ctrl+Tab key ctrl+Tab
# Press the remaining keys, first with the pointer on the chest and then on the background.
for position in "487 226" "120 120"; do
    # shellcheck disable=SC2086 # two numbers
    xdotool mousemove $position key s key s key p key b key p key b key r key shift+r key ctrl+z key ctrl+shift+z \
        key 0 key 1 key 2 key 3 key 4 key 5 key 6 key 7 key 8 key 9 key space key space key f \
        key Tab key Tab key F5 key Left key Right key F12 key ctrl+s key ctrl+z
done
shot 03-saved
# A slow machine may still be working through the keys.
tries=100
until [ -s "$work/sinew-0001.png" ] && [ -s "$work/mannequin.sinew" ]; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the image and the project were not saved"
    alive "before it saved the image and the project"
    sleep 0.1
done
xdotool key ctrl+r mousemove 375 279 mousedown 1 mousemove 371 267 mousemove 381 230 mouseup 1 key f sleep 0.5 key ctrl+r
tries=100
until tail -n 1 "$work/sinew-0001.session" 2> /dev/null | grep -q '^{"at":[0-9.]*}$'; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the session was not recorded"
    sleep 0.1
done
# Switch to the light theme, which is saved, and back to the dark one.
shot 03-above
xdotool mousemove 1204 50 sleep 0.3 click 1
differs 03-above "selecting the panel of the view"
shot 03-below
xdotool mousemove 1163 325 sleep 0.3 click 1
differs 03-below "selecting the light theme"
shot 03-light
grep -q '"theme": "light"' "$work/state/sinew/settings.json" || fail "the theme was not saved"
xdotool mousemove 1113 325 sleep 0.3 click 1
differs 03-light "selecting the dark theme"
xdotool mousemove 1003 50 sleep 0.3 click 1
xdotool keydown shift mousemove 487 226 mousemove 495 216 mousemove 515 186 keyup shift mousemove 120 120
xdotool mousedown 1 mousemove 180 140 mouseup 1 keydown alt mousemove 487 226 mousedown 1 mousemove 535 226 \
    mouseup 1 keyup alt mousedown 2 mousemove 515 246 mouseup 2 mousedown 3 mousemove 487 226 mouseup 3 \
    click 4 click 4 click 5 click --repeat 2 --delay 40 1 key f
shot 04-before
xdotool key question
differs 04-before "opening the list of shortcuts"
shot 04-keys
xdotool key question

# Open a file by its path. Without a file dialog the panel shows a path field. With unsaved work, the viewer would ask a question
# first.
xdotool key ctrl+s sleep 1
shot 05-before
xdotool key ctrl+o
differs 05-before "opening the path field"
xdotool type --delay 5 "$work/spider.glb"
shot 05-typed
xdotool key Return
differs 05-typed "opening a file by its path"
tries=100
until grep -qs 'spider.glb"' "$work/state/sinew/settings.json"; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the file was not opened or not added to the recent files"
    sleep 0.1
done
shot 06-spider
xdotool key Next
differs 06-spider "the next file"
xdotool key Prior
shot 07-spider
# A truncated file causes an error, and the old character remains. A complete file is loaded.
head -c 20000 "$work/arm.glb" > "$work/spider.glb"
differs 07-spider "truncating the file"
shot 08-error
rm "$work/spider.rig.toml"
cp "$work/mannequin.glb" "$work/.new" && mv "$work/.new" "$work/spider.glb"
differs 08-error "restoring the file"
shot 09-reloaded

# Resize the window to small and minimal sizes and back, and hide the panel.
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

# Sends random events for about one second.
events() {
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        keys = split("0 1 2 3 4 5 6 7 8 9 x y z p b r e f s g t m n F3 space Tab question Escape Left Right F5 ctrl+z ctrl+shift+z shift+r ctrl+r Return o a BackSpace", key)
        for (n = 0; n < 200; n++) {
            kind = rand(); x = int(rand() * 1320) - 20; y = int(rand() * 840) - 20
            if (kind < 0.60) print "mousemove", (x < 0 ? 0 : x), (y < 0 ? 0 : y)
            else if (kind < 0.68) print "mousedown", 1 + int(rand() * 3)
            else if (kind < 0.78) print "mouseup", 1 + int(rand() * 3)
            else if (kind < 0.84) { wheel = 4 + int(rand() * 2); print "mousedown", wheel; print "mouseup", wheel }
            else if (kind < 0.93) print "key --delay 0", key[1 + int(rand() * keys)]
            else if (kind < 0.985) print (rand() < 0.4 ? "keydown" : "keyup"), "--delay 0", (rand() < 0.5 ? "shift" : rand() < 0.5 ? "ctrl" : "alt")
            else if (kind < 0.99) print "windowsize", "'"$window"'", 1 + int(rand() * 1300), 1 + int(rand() * 820)
            else if (kind < 0.992) print "key --delay 0", (rand() < 0.5 ? "F12" : "ctrl+o")
            print "sleep 0.0043"
        }
    }'
}
first=$(resident) started=$(date +%s) rounds=0
while [ $(($(date +%s) - started)) -lt "$seconds" ]; do
    rounds=$((rounds + 1))
    events $((seed * 100000 + rounds)) | xdotool -
    alive "in round $rounds of seed $seed"
    rm -f "$work"/*-0*.png "$work"/*-0*.json "$work"/*-0*.glb "$work"/*-0*.session "$work"/*.sinew
    echo "$(resident)" >> "$work/resident"
done
duration=$(($(date +%s) - started))
# Restore the initial window, and release all keys and buttons.
xdotool mouseup 1 mouseup 2 mouseup 3 keyup shift keyup ctrl keyup alt key Escape key Escape key Escape \
    windowsize "$window" 1280 800 windowfocus "$window"
sleep 2
alive "at the end"
# Prints the minimum resident memory in one quarter of the rounds.
minimum() { head -n $(((rounds * $1 + 3) / 4)) "$work/resident" | tail -n $(((rounds + 3) / 4)) | sort -n | head -n 1; }
second=$(minimum 2) last=$(minimum 4)
echo "drive-viewer: $((rounds * 200)) events in $duration s; resident memory $first kB before, quarterly minima $(minimum 1), $second, $(minimum 3)," \
    "$last kB"
shot 13-after
[ $((last - second)) -le "$max_growth" ] || fail "resident memory grew by $((last - second)) kB from the second to the last quarter, but at most $max_growth kB is accepted"

# With unsaved work, the viewer asks before it closes, after a delay on a slow machine.
xdotool key ctrl+q
tries=30
while sleep 1 && kill -0 "$viewer" 2> /dev/null && [ "$tries" -gt 0 ]; do
    xdotool key d
    tries=$((tries - 1))
done
[ "$tries" -gt 0 ] || fail "the window did not close"
code=0
wait "$viewer" || code=$?
viewer=''
[ "$code" -eq 0 ] || fail "the viewer exited with $code"
# A recording that was still running is saved when the window closes, and the viewer prints its path.
! grep -qv '^saved .*\.session$' "$work/stderr" || fail "the viewer printed something unexpected on stderr"
# Kill the viewer during work, and recover the work.
SINEW=$SINEW SEED=$seed scripts/recover-viewer.sh "${RECOVERIES:-10}" || fail "work was lost"
echo "drive-viewer: passed; screenshots are in $shots"
