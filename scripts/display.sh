# Sourced by the scripts that use the viewer's window: starts a display that shows nothing else.
#
# Before sourcing this, set `name` to the name of the script. Optional variables: `tools` lists the programs that the script needs besides
# Xvfb and xdotool; `screen` is the size of the display [default: 1280x800]; `shots` is the folder for a screenshot of a failure. SINEW is
# the program to test [default: the debug build].
#
# Afterwards, `work` is a folder that is removed at exit, and `viewer` can be set to a process that is killed at exit.
for tool in Xvfb xdotool ${tools:-}; do
    command -v "$tool" > /dev/null || { echo "$name: $tool is not installed" >&2; exit 3; }
done
if [ -z "${SINEW:-}" ]; then
    cargo build --quiet
    SINEW=$PWD/target/debug/sinew
fi

work=$(mktemp -d)
: > "$work/stderr"
viewer='' server='' task=''
clean_up() {
    for process in $viewer $server; do kill "$process" 2> /dev/null || true; done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' INT TERM
# Ends the script with an error. `task` is the current task of the script.
fail() {
    echo "$name: ${task:+$task: }$1" >&2
    [ -z "${shots:-}" ] || import -window root "$shots/failed.png" || true
    ls -la "$work" >&2
    sed 's/^/    viewer: /' "$work/stderr" >&2
    exit 1
}

# The server chooses a free display and reports its number.
mkfifo "$work/number"
Xvfb -displayfd 3 -screen 0 "${screen:-1280x800}x24" -noreset 3> "$work/number" 2> /dev/null &
server=$!
read -r number < "$work/number"
export DISPLAY=":$number" XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$work}" XDG_STATE_HOME="$work/state"
# Run without a message bus. Otherwise a desktop portal would open its file dialog, which would receive the keys.
export DBUS_SESSION_BUS_ADDRESS="unix:path=$work/no-bus"
unset WAYLAND_DISPLAY

# Waits until the window of the viewer is open, and gives it the keyboard focus.
find_window() {
    window=$(timeout 60 xdotool search --sync --onlyvisible --name '^sinew$') || fail "the window did not open"
    xdotool windowfocus --sync "$window"
}
