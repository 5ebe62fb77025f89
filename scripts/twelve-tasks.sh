#!/bin/sh
# Performs twelve everyday tasks in the viewer's window as a person would, and counts the actions that each task takes.
#
#   scripts/twelve-tasks.sh [FOLDER]
#
# An action is one click, one drag, one shortcut, or one typed field with its Enter. The script fails if a task has no effect, or
# if all tasks together take more than 60 actions. docs/viewer.md lists the tasks.
#
# Screenshots after each task are written to FOLDER [default: target/twelve-tasks]. SINEW is the program to test [default: the
# debug build].
set -eu
cd "$(dirname "$0")/.."
mkdir -p "${1:-target/twelve-tasks}"
shots=$(cd "${1:-target/twelve-tasks}" && pwd)
name=twelve-tasks
. scripts/person.sh

# Prints the joint named $1 from the first key of the project.
key_joint() { sed -n "/^\[motion.key.joints\]/,/^$/s/^$1 = //p" "$work/man.sinew" | head -n 1; }

cp assets/mannequin.glb "$work/man.glb"
open_viewer "$PWD/assets/arm.glb"

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
drag 606 424 505 446
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
click 927 373
end

begin "export"
shortcut ctrl+e
type_path "$work/sit.glb"
wait_for "nothing was exported" '[ -s "$work/sit.glb" ]'
"$SINEW" inspect "$work/sit.glb" | grep -q '^animation .* 2\.9' || fail "the clip is missing"
end

begin "reopen"
shortcut ctrl+s
wait_for "the project was not saved" '[ -s "$work/man.sinew" ]'
shortcut ctrl+o
type_path "$work/sit.glb"
wait_for "the export is not shown" '[ "$(changed export)" -gt 2000 ]'
sleep 1
# The project contains the earlier work.
grep -q '^clips = "walk"' "$work/man.sinew" || fail "there is no walk"
[ "$(grep -c '^\[\[motion.key\]\]' "$work/man.sinew")" = 2 ] || fail "there are not two keys"
key_joint hips | grep -q 'translation = \[[^,]*, 0\.[4-7]' || fail "he does not sit: $(key_joint hips)"
# Before the pose was mirrored, the left arm was bent.
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

# Not part of a task: the last project shows that the limit was changed and the solvers were compared.
xdotool key Escape sleep 0.3 key ctrl+s
wait_for "the project was not saved" '[ -s "$work/sit.sinew" ]'
grep -q '^leftLowerArm = { kind = "hinge"' "$work/sit.sinew" || fail "the limit has not changed"
grep -q '^compare = \["ccd", "fabrik"\]' "$work/sit.sinew" || fail "nothing is compared: $(grep compare "$work/sit.sinew")"
finish 60
