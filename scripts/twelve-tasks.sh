#!/bin/sh
# Does twelve everyday tasks in the viewer's window like a person, and counts the actions that each of them takes.
#
#   scripts/twelve-tasks.sh [FOLDER]
#
# An action is one click, one drag, one shortcut, or one typed field with its Enter. The script fails if a task does not have its
# effect, or if all tasks together take more than 60 actions. docs/viewer.md lists the tasks.
#
# Screenshots after each task are written to FOLDER [default: target/twelve-tasks]. SINEW is the program to test [default: the
# debug build].
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-target/twelve-tasks}"
shots=$(cd "${1:-target/twelve-tasks}" && pwd)
limit=60
for tool in Xvfb xdotool import compare; do
    command -v "$tool" > /dev/null || { echo "twelve-tasks: $tool is not installed" >&2; exit 3; }
done
if [ -z "${SINEW:-}" ]; then
    cargo build --quiet
    SINEW=$PWD/target/debug/sinew
fi

work=$(mktemp -d)
viewer='' server=''
clean_up() {
    for process in $viewer $server; do kill "$process" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
task='the start'
fail() {
    echo "twelve-tasks: $task: $1" >&2
    import -window root "$shots/failed.png" || true
    ls -la "$work" >&2
    sed 's/^/    viewer: /' "$work/stderr" >&2
    exit 1
}

mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset 3> "$work/number" 2> /dev/null &
server=$!
read -r number < "$work/number"
export DISPLAY=":$number" XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$work}" XDG_STATE_HOME="$work/state"
export DBUS_SESSION_BUS_ADDRESS="unix:path=$work/no-bus"
unset WAYLAND_DISPLAY

all=0 actions=0
# The four kinds of actions. Each waits for a moment, as a person does. The pointer moves in steps during a drag.
counted() { actions=$((actions + 1)); }
click() { counted; xdotool mousemove "$1" "$2" sleep 0.4 click 1 sleep 0.6; }
drag() {
    counted
    xdotool mousemove "$1" "$2" sleep 0.4 mousedown 1 sleep 0.1
    for step in 1 2 3 4; do
        xdotool mousemove $(($1 + ($3 - $1) * step / 4)) $(($2 + ($4 - $2) * step / 4)) sleep 0.1
    done
    xdotool sleep 0.5 mouseup 1 sleep 0.6
}
shortcut() { counted; xdotool mousemove 60 560 sleep 0.2 key "$1" sleep 0.8; }
type_path() { counted; xdotool type --delay 20 "$1"; xdotool key Return sleep 0.5; }

begin() { task=$1 actions=0; }
end() {
    kill -0 "$viewer" 2> /dev/null || fail "the viewer exited"
    all=$((all + actions))
    printf '%3d  %s\n' "$actions" "$task"
    import -window root "$shots/$(echo "$task" | tr ' ' '-').png"
}
# Waits until a command succeeds.
wait_for() {
    tries=150
    until eval "$2"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "$1"
        kill -0 "$viewer" 2> /dev/null || fail "the viewer exited"
        sleep 0.2
    done
}
# Prints the number of pixels that differ from the screenshot of a task.
changed() {
    import -window root "$work/now.png"
    { compare -metric AE -fuzz 5% "$shots/$1.png" "$work/now.png" null: 2>&1 || true; } | sed 's/[^0-9].*//'
}
# Prints one joint of a project's first key: $1 is its name.
key_joint() { sed -n "/^\[motion.key.joints\]/,/^$/s/^$1 = //p" "$work/man.sinew" | head -n 1; }

cp assets/mannequin.glb "$work/man.glb"
: > "$work/stderr"
(cd "$work" && exec "$SINEW" view --framing auto --adapter cpu "$OLDPWD/assets/arm.glb") 2> "$work/stderr" &
viewer=$!
window=$(timeout 60 xdotool search --sync --onlyvisible --name '^sinew$') || fail "the window did not open"
xdotool windowfocus --sync "$window"
wait_for "the window stayed blank" '[ "$(import -window root -format %k info:)" -gt 500 ]'
sleep 1

begin "open a man"
import -window root "$shots/start.png"
shortcut ctrl+o
type_path "$work/man.glb"
wait_for "the man is not shown" '[ "$(changed start)" -gt 20000 ]'
sleep 1
end

begin "sit him down"
drag 487 300 487 395
end

begin "hand on knee"
drag 617 388 505 478
end

begin "mirror"
shortcut m
[ "$(changed hand-on-knee)" -gt 2000 ] || fail "nothing changed"
end

begin "key two poses"
shortcut k
click 870 683
drag 487 395 487 330
shortcut k
end

begin "blend into a walk"
click 929 656
click 927 578
end

begin "export"
shortcut ctrl+e
type_path "$work/sit.glb"
wait_for "nothing was exported" '[ -s "$work/sit.glb" ]'
"$SINEW" inspect "$work/sit.glb" | grep -q '^animation .* 2\.[45]' || fail "the clip is missing"
end

begin "reopen"
shortcut ctrl+s
wait_for "the project was not saved" '[ -s "$work/man.sinew" ]'
shortcut ctrl+o
type_path "$work/sit.glb"
wait_for "the export is not shown" '[ "$(changed export)" -gt 2000 ]'
sleep 1
# What was made before is in the project.
grep -q '^clips = "walk"' "$work/man.sinew" || fail "there is no walk"
[ "$(grep -c '^\[\[motion.key\]\]' "$work/man.sinew")" = 2 ] || fail "there are not two keys"
key_joint hips | grep -q 'translation = \[[^,]*, 0\.[4-7]' || fail "he does not sit: $(key_joint hips)"
# Before it was mirrored, the left arm was bent.
key_joint rightLowerArm | grep -q rotation || fail "the arm is not mirrored"
end

begin "change a limit"
click 574 243
drag 530 209 560 205
end

begin "record"
shortcut ctrl+r
drag 370 280 330 180
shortcut ctrl+r
wait_for "there is no recording" 'ls "$work"/*.session > /dev/null 2>&1'
grep -q '"drag":' "$work"/*.session || fail "the drag was not recorded"
end

begin "compare two solvers"
shortcut ctrl+Tab
click 946 409
click 946 447
drag 590 318 660 240
end

begin "find a shortcut"
shortcut F1
wait_for "the list of shortcuts did not open" '[ "$(changed compare-two-solvers)" -gt 20000 ]'
end

# What is not part of a task: the last project shows that the limit was changed and the solvers were compared.
xdotool key Escape sleep 0.3 key ctrl+s
wait_for "the project was not saved" '[ -s "$work/sit.sinew" ]'
grep -q '^leftLowerArm = { kind = "hinge"' "$work/sit.sinew" || fail "the limit has not changed"
grep -q '^compare = \["ccd", "fabrik"\]' "$work/sit.sinew" || fail "nothing is compared: $(grep compare "$work/sit.sinew")"
[ ! -s "$work/stderr" ] || fail "the viewer reported something"
echo "$all actions in all, of at most $limit"
[ "$all" -le "$limit" ] || exit 1
