#!/bin/sh
# Tests the page that scripts/web.sh builds, in headless Chromium with software WebGPU. Screenshots are in target/web-test.
#
# usage: scripts/web-test.sh [NAME...]      SINEW names the native program whose picture the page is compared with
# exit:  77 if this machine has no Chromium or no Node
set -eu
cd "$(dirname "$0")/.."

skip() {
    echo "web-test: skipped: $1" >&2
    exit 77
}

command -v "${CHROMIUM:-chromium}" >/dev/null || skip "Chromium is missing (on Debian: apt-get install chromium)"
command -v npm >/dev/null || skip "Node and npm are missing"
page="${WEB_TARGET_DIR:-$PWD/web/target}/page"
[ -f "$page/sinew_web_bg.wasm" ] || { echo "web-test: run scripts/web.sh first" >&2; exit 2; }

WEB_PROFILE=$(cat "${WEB_TARGET_DIR:-$PWD/web/target}/page.profile")
export WEB_PROFILE

(cd web/test && npm install --silent --no-audit --no-fund) || skip "npm cannot install playwright-core"
node web/test/test.mjs "$page" "${WEB_OUT:-target/web-test}" "$@"
