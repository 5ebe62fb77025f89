#!/bin/sh
# Installs sinew from this folder into ~/.local, or into the folder PREFIX. `install.sh --remove` removes it again.
set -eu
cd "$(dirname "$0")"

prefix="${PREFIX:-$HOME/.local}"
program="$prefix/bin/sinew" entry="$prefix/share/applications/sinew.desktop" documents="$prefix/share/doc/sinew"
if [ "${1:-}" = --remove ]; then
    rm -rf "$program" "$entry" "$documents"
    echo "removed $program"
    exit
fi
mkdir -p "$prefix/bin" "$prefix/share/applications" "$documents"
# A running program cannot be overwritten, but its file can be replaced.
cp sinew "$program.new" && mv "$program.new" "$program"
sed "s|^Exec=sinew|Exec=$program|; s|^TryExec=sinew|TryExec=$program|" sinew.desktop > "$entry"
cp -R README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt sbom.cdx.json docs "$documents"

has_library() { { ldconfig -p || /sbin/ldconfig -p; } 2> /dev/null | grep -q "$1"; }
missing=''
has_library libvulkan.so.1 || missing="$missing libvulkan1 mesa-vulkan-drivers"
has_library libxkbcommon-x11.so.0 || missing="$missing libxkbcommon-x11-0"
has_library libX11-xcb.so.1 || missing="$missing libx11-xcb1"
has_library libXcursor.so.1 || missing="$missing libxcursor1"
has_library libXi.so.6 || missing="$missing libxi6"
has_library libXrandr.so.2 || missing="$missing libxrandr2"
[ -z "$missing" ] || echo "sinew needs these packages (named as in Debian):$missing" >&2
case ":$PATH:" in
    *":$prefix/bin:"*) echo "installed $program; run: sinew" ;;
    *) echo "installed $program, whose folder is not in PATH; run: $program" ;;
esac
