#!/bin/sh
# Animates a downloaded character in the viewer's window as a person would. In four keys over three seconds, the character sits down, puts a
# hand on its hip, looks over its shoulder and changes sides. Then it walks off. The result is exported and opened.
#
#   scripts/animate.sh [FOLDER]
#
# An action is one click, one drag, one shortcut, or one typed field with its Enter. The script fails if a step has no effect, if the feet
# move by more than 2 mm between the keys in the exported file, or if the steps take more than 30 actions in total.
#
# Screenshots after each step are written to FOLDER [default: target/animate]. SINEW is the program to test [default: the debug build].
# SINEW_TEST_DATA is the folder of the test data (docs/test-data.md), which contains the character.
set -eu
cd "$(dirname "$0")/.."
character=${SINEW_TEST_DATA:-../shared}/models/quaternius/modular_men/Adventurer/Adventurer.glb
if [ ! -f "$character" ]; then
    echo "animate: the test data is missing: $character"
    [ -z "${CI:-}" ] || exit 1
    exit 0
fi
mkdir -p "${1:-target/animate}"
shots=$(cd "${1:-target/animate}" && pwd)
name=animate
. scripts/person.sh

cp "$character" "$work/man.glb"
chmod u+w "$work/man.glb"
open_viewer "$PWD/assets/arm.glb"
type_frame() { counted; xdotool mousemove 67 656 sleep 0.3 click 1 sleep 0.3 key ctrl+a type "$1"; xdotool key Return sleep 0.5; }

begin "open the character"
import -window root "$shots/start.png"
shortcut ctrl+o
type_path "$work/man.glb"
wait_for "the character is not shown" '[ "$(changed start)" -gt 10000 ]'
sleep 1
end

begin "sit"
click 874 656
drag 487 330 487 425
end

begin "hand on hip"
click 462 680
drag 598 374 524 396
end

begin "look over the shoulder"
type_frame 60
click 478 262
shortcut t
counted
xdotool type "y60"
xdotool key Return sleep 0.6
end

begin "change sides"
type_frame 90
shortcut m
end

begin "walk off"
click 929 656
click 927 516
wait_for "the walk was not added" '[ "$(changed change-sides)" -gt 4000 ]'
shortcut space
end

begin "export"
shortcut ctrl+e
type_path "$work/act.glb"
wait_for "nothing was exported" '[ -s "$work/act.glb" ]'
end

begin "open the export"
shortcut ctrl+s
wait_for "the project was not saved" '[ -s "$work/man.sinew" ]'
shortcut ctrl+o
type_path "$work/act.glb"
wait_for "the export is not shown" '[ "$(changed export)" -gt 2000 ]'
sleep 1
end

# Four keys, one second apart, and the walk after the last one.
keys=$(sed -n '/^\[\[motion.key\]\]/,/^$/s/^time = //p' "$work/man.sinew" | tr '\n' ' ')
[ "$keys" = "0.0 1.0 2.0 3.0 " ] || fail "the keys are at $keys"
grep -q '^clips = "walk"' "$work/man.sinew" || fail "there is no walk"
grep -q '^clip = "walk"' "$work/man.sinew" || fail "the walk is not the built-in one"
"$SINEW" inspect "$work/act.glb" | grep '^animation' || fail "the export has no clip"
# Prints the positions of the feet in the exported file at a given time, in metres.
feet() {
    "$SINEW" pose "$work/act.glb" --animation 0 --animation-time "$1" -o "$work/feet-$1.json"
}
for time in 0 0.25 0.5 0.75 1 1.25 1.5 1.75 2 2.25 2.5 2.75 3; do feet "$time"; done
node -e '
    const fs = require("fs"), folder = process.argv[1];
    const places = fs.readdirSync(folder).filter(file => /^feet-/.test(file)).map(file => {
        const { nodes } = JSON.parse(fs.readFileSync(`${folder}/${file}`));
        return ["Foot.L", "Foot.R"].map(name => nodes.find(node => node.name === name).world.slice(12, 15));
    });
    const moved = Math.max(...places.flatMap(pair => pair.map((place, foot) => Math.hypot(...place.map((x, i) => x - places[0][foot][i])))));
    console.log(`the feet move by ${(1000 * moved).toFixed(2)} mm between the keys`);
    process.exit(moved < 0.002 ? 0 : 1);
' "$work" || fail "the feet slide"
"$SINEW" check "$work/act.glb" || fail "the exported clip has faults"
if command -v npm > /dev/null && npm install --silent --prefix "$shots" gltf-validator@2.0.0-dev.3.10 > /dev/null 2>&1; then
    NODE_PATH="$shots/node_modules" node -e '
        require("gltf-validator").validateBytes(require("fs").readFileSync(process.argv[1])).then(({ issues }) => {
            console.log(`${issues.numErrors} errors of the glTF validator`);
            process.exit(issues.numErrors);
        });
    ' "$work/act.glb" || fail "the exported file is invalid"
else
    echo "the exported file was not validated: the glTF validator cannot be installed"
fi
finish 30
