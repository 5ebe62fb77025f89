#!/bin/sh
# Draws the last image of recorded sessions, for example to compare two builds.
#
#     scripts/render-sessions.sh SINEW FOLDER SESSION[=MODEL]...
#
# SINEW is the program to use. The images are written to FOLDER as SESSION.png. With =MODEL, the session is replayed with
# that character instead of its own.
set -eu
sinew="$1"
folder="$2"
shift 2
mkdir -p "$folder"
for argument; do
    session="${argument%%=*}"
    image="$folder/$(basename "${session%.session}").png"
    case "$argument" in
        *=*) "$sinew" render --quiet --replay "$session" "${argument#*=}" --output "$image" ;;
        *) "$sinew" render --quiet --replay "$session" --output "$image" ;;
    esac
    echo "$image"
done
