#!/bin/sh
# Kills the viewer during work and recovers the work, repeatedly: only the last 30 seconds may be lost.
#
#   scripts/recover-viewer.sh [COUNT]
#
# In each of COUNT rounds [default: 10], a project is opened, the character is dragged to a random place, and the viewer is killed with
# SIGKILL. In every second round, it is killed while it may be saving, and in the other rounds after the copy of the unsaved work has been
# written. The next viewer that opens the project recovers the work, saves it into the project and is closed. The script fails if the
# project or the copy cannot be read, if the recovered joints differ from the joints in the copy, or if a saved project has changed.
#
# SINEW is the program to test [default: the debug build]. SEED selects different places.
set -eu
cd "$(dirname "$0")/.."
count=${1:-10}
name=recover-viewer screen=1300x820
. scripts/display.sh

project=$work/hand.sinew copy=$work/.hand.sinew.autosave.sinew

# Waits until a command succeeds, for at most a minute. Runs ACT between tries.
wait_for() {
    tries=600
    until eval "$2"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "$1"
        kill -0 "$viewer" 2> /dev/null || fail "the viewer exited before: $1"
        eval "${3:-:}"
        sleep 0.1
    done
}
start() {
    (cd "$work" && exec "$SINEW" view --framing auto --adapter cpu "$project") 2> "$work/stderr" &
    viewer=$!
    find_window
}
# Prints the joints of a project.
joints() { sed -n '/^\[pose.joints\]/,/^$/p' "$1"; }
# Prints random number $1 of the round, from 0 to $2 - 1.
random() { awk -v seed="${SEED:-1}$round$1" -v n="$2" 'BEGIN { srand(seed); print int(rand() * n) }'; }

recovered=0 round=0
while [ "$round" -lt "$count" ]; do
    round=$((round + 1))
    task="round $round"
    rm -f "$copy" "$work"/*-recovered-*
    # Each round begins with the character in its rest pose, because the drags of several rounds would move it out of view.
    printf 'version = 1\n' > "$project"
    cp "$project" "$work/before"
    start
    # Drag the character's left side until something has changed. The whole body follows wherever it is grabbed.
    drag="xdotool mousemove 480 270 sleep 0.1 mousedown 1 mousemove 490 262 \
        mousemove $((400 + $(random 1 160))) $((150 + $(random 2 160))) sleep 0.1 mouseup 1 mousemove 60 100"
    if [ $((round % 2)) -eq 0 ]; then
        wait_for "nothing was saved automatically" '[ -s "$copy" ]' "$drag"
    else
        # The copy is written a second after the change. The viewer may be killed before or while the copy is written.
        wait_for "nothing was dragged" '[ "$tries" -lt 597 ]' "$drag"
        sleep "0.$(random 3 10)"
        sleep "0.$(random 4 10)"
    fi
    kill -9 "$viewer"
    wait "$viewer" 2> /dev/null || true
    viewer=''
    cmp -s "$project" "$work/before" || fail "the saved project has changed"
    if [ ! -s "$copy" ]; then
        continue
    fi
    cp "$copy" "$work/lost.sinew"
    "$SINEW" pose "$work/lost.sinew" -o "$work/lost.json" 2> "$work/stderr" || fail "the copy cannot be read"
    start
    wait_for "the work was not recovered" 'ls "$work"/*-recovered-*.sinew > /dev/null 2>&1' 'xdotool key Return'
    wait_for "the work was not saved" '! ls "$work"/*-recovered-*.sinew > /dev/null 2>&1' 'xdotool key ctrl+s'
    [ "$(joints "$project")" = "$(joints "$work/lost.sinew")" ] || fail "the recovered joints differ"
    [ ! -e "$copy" ] || fail "the copy was not removed"
    recovered=$((recovered + 1))
    xdotool key ctrl+q
    wait "$viewer" || fail "the viewer failed"
    viewer=''
done
[ "$recovered" -ge $((count / 2)) ] || fail "only $recovered of $count rounds had something to recover"
echo "recover-viewer: $count kills, $recovered recoveries, nothing was lost"
