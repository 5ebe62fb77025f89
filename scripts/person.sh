# Sourced by the scripts that operate the viewer's window as a person would, and count the actions. An action is one click, one drag, one
# shortcut, or one typed field with its Enter.
#
# Before sourcing this, set `name` to the name of the script, and `shots` to the folder of its screenshots.
tools='import compare'
. scripts/display.sh
task='the start'

all=0 actions=0
# The four kinds of actions. Each action waits for a moment, as a person does. The pointer moves in steps during a drag.
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
# Opens the viewer with these arguments, in the working folder, and waits until it shows something.
open_viewer() {
    : > "$work/stderr"
    (cd "$work" && exec "$SINEW" view --framing auto --adapter cpu "$@") 2> "$work/stderr" &
    viewer=$!
    find_window
    wait_for "the window stayed blank" '[ "$(import -window root -format %k info:)" -gt 500 ]'
    sleep 1
}
# Ends a script, which fails if there were more than this many actions.
finish() {
    [ ! -s "$work/stderr" ] || fail "the viewer reported something"
    echo "$all actions in all, of at most $1"
    [ "$all" -le "$1" ] || exit 1
}
