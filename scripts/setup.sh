#!/bin/sh
# Installs the missing packages that sinew needs besides Rust on Debian and Ubuntu. Prints nothing if all are present.
#   a C++ compiler             for a dependency (meshoptimizer)
#   a software Vulkan driver   for tests, and for rendering on machines without a graphics card
#   window libraries           X11 and keyboard layouts
#   Xvfb, xdotool, import      for tests of the window
#   strace                     for a test of the order of disk writes
#   Chromium, Mesa's OpenGL    for the test of the HTML report and for the suite on another driver; only with --all
#   Python with venv           for the tests of the bindings; only with --all
set -eu

missing=""
need() { missing="$missing $1"; }
has_library() { ldconfig -p 2>/dev/null | grep -q "$1" || /sbin/ldconfig -p 2>/dev/null | grep -q "$1"; }

if [ "$(uname -s)" != Linux ]; then
    exit 0
fi
command -v c++ >/dev/null 2>&1 || need g++
has_library libvulkan.so.1 || need libvulkan1
ls /usr/share/vulkan/icd.d/lvp_icd*.json >/dev/null 2>&1 || need mesa-vulkan-drivers
has_library libX11-xcb.so.1 || need libx11-xcb1
has_library libXcursor.so.1 || need libxcursor1
has_library libXi.so.6 || need libxi6
has_library libXrandr.so.2 || need libxrandr2
has_library libxkbcommon-x11.so.0 || need libxkbcommon-x11-0
command -v Xvfb >/dev/null 2>&1 || need xvfb
command -v xdotool >/dev/null 2>&1 || need xdotool
command -v import >/dev/null 2>&1 || need imagemagick
command -v strace >/dev/null 2>&1 || need strace
if [ "${1:-}" = --all ]; then
    # Ubuntu has no Chromium package, but its runners have Chrome.
    command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || need chromium
    python3 -c 'import ensurepip' >/dev/null 2>&1 || need python3-venv
    has_library libEGL.so.1 || need libegl1
    ls /usr/lib/*/dri/swrast_dri.so >/dev/null 2>&1 || need libgl1-mesa-dri
fi

if [ -z "$missing" ]; then
    exit 0
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: apt-get does not exist on this system; install these packages (named as in Debian):$missing" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: sudo does not exist; run as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "setup: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # the words are separate arguments
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
