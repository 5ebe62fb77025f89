#!/bin/sh
# Runs the suite on variants of the software driver that round differently, as other CPUs do. The goldens must match on all of them. Prints
# how each variant differs, and writes the measured differences to target/variants/*.csv. Some characters are also drawn in studio light,
# and compared with the images that the software driver draws with Vulkan. Exits with 1 if the suite fails on any variant, or if the
# variants produce fewer than three distinct outputs.
#   scripts/driver-variants.sh                      variants of the installed Mesa
#   scripts/driver-variants.sh --full               also newer Mesa versions from Debian, unpacked to target/variants without
#                                                   installation, Chromium's SwiftShader if it is installed, and the whole suite in
#                                                   studio light
#   scripts/driver-variants.sh --adapter ADAPTER    only this adapter, as for `sinew test --adapter`
# With SINEW_TEST_DATA=DIR, the goldens in DIR/goldens-other-cpu are also compared with this machine's images.
set -eu
cd "$(dirname "$0")/.."
root="$PWD"
out="$root/target/variants"
# SINEW=PROGRAM runs a program that is already built.
sinew="${SINEW:-${CARGO_TARGET_DIR:-$root/target}/debug/sinew}"
suite=tests/suite/suite.toml
mkdir -p "$out"
rm -f "$out"/*.csv
failed=0
runs=""

full="" adapter=""
case "${1:-}" in
    "") ;;
    --full) full=1 ;;
    --adapter) adapter="${2:?driver-variants: --adapter needs a value}" ;;
    *) echo "driver-variants: unknown argument $1" >&2 && exit 2 ;;
esac

[ -n "${SINEW:-}" ] || cargo build --quiet --bin sinew

# run NAME SUITE [VARIABLE=VALUE …] COMMAND …: runs the suite with COMMAND, which starts sinew, in the given environment.
run() {
    name="$1" file="$2"
    shift 2
    status=0
    env "$@" test "$file" --csv "$out/$name.csv" >"$out/$name.txt" 2>&1 || status=$?
    if [ $status -ne 0 ]; then
        failed=1
        grep -A 2 '^\(failed\|broken\|missing\|error\)' "$out/$name.txt" || tail -n 5 "$out/$name.txt"
    fi
    [ ! -e "$out/$name.csv" ] || runs="$runs $name.csv"
    printf '%-18s %s\n' "$name" "$(grep '^drawn by' "$out/$name.txt" || echo 'no image was drawn')"
    printf '%-18s %s\n' "" "$(grep -E '^[0-9]+ (passed|failed)' "$out/$name.txt" || tail -n 1 "$out/$name.txt")"
}

# with_adapter NAME ADAPTER: writes a program that starts sinew with an adapter, and prints its path.
with_adapter() {
    cat >"$out/$1.sh" <<END
#!/bin/sh
exec "$sinew" "\$@" --adapter "$2"
END
    chmod +x "$out/$1.sh"
    echo "$out/$1.sh"
}

# Some characters and clips in studio light. With --full, the whole suite in studio light.
studio="$out/studio/tests/suite/suite.toml"
make_studio() {
    rm -rf "$out/studio"
    mkdir -p "$out/studio"
    cp --parents -r -t "$out/studio" assets docs/drag.session tests/suite
    rm -r "$out/studio/tests/suite/goldens"
    if [ -n "$full" ]; then
        sed 's/^resolution = "144,144"$/&\nlight = "studio"/' "$suite" >"$studio"
    else
        cat >"$studio" <<END
version = 1

[defaults]
resolution = "144,144"
compare = ["image"]
light = "studio"

[[matrix]]
name = "rest"
model = ["../../assets/mannequin.glb", "../../assets/arm.glb", "../../assets/tentacle.glb", "../../assets/spider.glb", "../../assets/awkward.glb"]

[[matrix]]
name = "clip"
animation = ["wave", "run", "crouch"]
animation-time = [0.61]
END
    fi
    "$sinew" test "$studio" --update --adapter cpu >"$out/studio.txt" 2>&1
}

if [ -n "$adapter" ]; then
    program="$(with_adapter adapter "$adapter")"
    run classic "$suite" "$program"
    if make_studio; then
        run studio "$studio" "$program"
    else
        echo "studio             skipped: there is no software adapter to compare with"
    fi
    echo
    # shellcheck disable=SC2086 # the paths are separate arguments
    (cd "$out" && "$root/scripts/differences.sh" $runs)
    exit $failed
fi

run default "$suite" "$sinew"
# Variants with fewer CPU features.
run sse4.1 "$suite" GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 "$sinew"
run nosse "$suite" GALLIUM_OVERRIDE_CPU_CAPS=nosse "$sinew"
# In Mesa 22.3, narrow vectors without the override of the CPU features corrupt the heap.
run sse4.1-128 "$suite" GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 LP_NATIVE_VECTOR_WIDTH=128 "$sinew"

# Mesa's OpenGL driver instead of its Vulkan driver. OpenGL 3.3 and a driver without storage buffers are like WebGL2: shaders read data
# from textures. A 3.3 context that has compute shaders as an extension is rejected.
gl="$(with_adapter gl gl)"
run gl "$suite" "$gl"
old="MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLSL_VERSION_OVERRIDE=330 MESA_EXTENSION_OVERRIDE=-GL_ARB_compute_shader"
# shellcheck disable=SC2086 # the variables are separate arguments
run gl3.3 "$suite" $old "$gl"
if env MESA_GL_VERSION_OVERRIDE=3.3 MESA_GLSL_VERSION_OVERRIDE=330 "$gl" render -o "$out/refused.png" 2>"$out/refused.txt" ||
    ! grep -q 'cannot run sinew' "$out/refused.txt"; then
    echo "gl3.3 with compute  was not refused: $(cat "$out/refused.txt")"
    failed=1
fi
run no-storage "$suite" MESA_EXTENSION_OVERRIDE=-GL_ARB_shader_storage_buffer_object "$gl"

make_studio
run studio-gl "$studio" "$gl"
# shellcheck disable=SC2086 # the variables are separate arguments
run studio-gl3.3 "$studio" $old "$gl"
run studio-no-storage "$studio" MESA_EXTENSION_OVERRIDE=-GL_ARB_shader_storage_buffer_object "$gl"
run studio-sse4.1 "$studio" GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 "$sinew"

# Reports a skipped variant, which counts as a failure with SINEW_REQUIRE_TEST_DATA=1.
skip() {
    echo "$1"
    if [ -n "${SINEW_REQUIRE_TEST_DATA:-}" ]; then
        failed=1
    fi
}

other="${SINEW_TEST_DATA:-$out}/goldens-other-cpu"
if [ ! -d "$other" ]; then
    skip "other-cpu          skipped: SINEW_TEST_DATA does not contain goldens-other-cpu"
else
    # The suite refers to other files by relative paths, so it is copied together with them. Then its goldens are replaced.
    rm -rf "$out/copy"
    mkdir -p "$out/copy"
    cp --parents -r -t "$out/copy" assets docs/drag.session tests/suite
    for image in "$other"/*.png; do
        # Images that were drawn before a solver changed show a different pose.
        grep -qx "$(basename "$image" .png)" tests/suite/redrawn.txt || cp "$image" "$out/copy/tests/suite/goldens/"
    done
    run other-cpu "$out/copy/$suite" "$sinew"
fi

# newer_mesa RELEASE BASE: unpacks Mesa's packages from a Debian release with their dependencies, and starts sinew with the
# dynamic loader of that release.
newer_mesa() {
    release="$1"
    folder="$out/$release"
    config="$folder/apt"
    # The mirror that this system uses.
    mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)"
    if [ ! -d "$folder/root" ]; then
        rm -rf "$folder"
        mkdir -p "$config/lists/partial" "$config/archives/partial" "$folder/root.new"
        : >"$config/status"
        for source in "$release" "$2"; do
            echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $source main"
        done | sort -u >"$config/sources.list"
        options="-oDir::Etc::SourceList=$config/sources.list -oDir::Etc::SourceParts=/dev/null
            -oDir::State::Lists=$config/lists -oDir::State::status=$config/status -oDebug::NoLocking=1
            -oDir::Cache::archives=$config/archives -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache="
        # shellcheck disable=SC2086 # the words are separate arguments
        if ! { apt-get $options update -qq --error-on=any && apt-get $options -t "$release" install -y -qq \
            --no-install-recommends --download-only mesa-vulkan-drivers libvulkan1; } >"$folder/apt.txt" 2>&1; then
            skip "$release skipped: its Mesa cannot be downloaded, see $folder/apt.txt"
            return 0
        fi
        for package in "$config"/archives/*.deb; do
            dpkg -x "$package" "$folder/root.new"
        done
        mv "$folder/root.new" "$folder/root"
    fi
    libraries="$(find "$folder/root" -name libvulkan_lvp.so -printf '%h\n' -quit)"
    loader="$(find "$folder/root" -name 'ld-linux*.so.*' | head -n 1)"
    cat >"$folder/icd.json" <<END
{ "file_format_version": "1.0.0", "ICD": { "library_path": "$libraries/libvulkan_lvp.so", "api_version": "1.3.0" } }
END
    run "$release" "$suite" VK_DRIVER_FILES="$folder/icd.json" "$loader" \
        --library-path "$libraries:$folder/root/lib/$(basename "$libraries")" "$sinew"
}

if [ -n "$full" ]; then
    run avx "$suite" GALLIUM_OVERRIDE_CPU_CAPS=avx "$sinew"
    run avx2 "$suite" GALLIUM_OVERRIDE_CPU_CAPS=avx2 "$sinew"
    for release in bookworm-backports trixie sid; do
        # Backports need the packages of their base release.
        base="${release%-backports}"
        newer_mesa "$release" "$base"
    done
    icd=/usr/lib/chromium/vk_swiftshader_icd.json
    if [ -e "$icd" ]; then
        run swiftshader "$suite" VK_DRIVER_FILES="$icd" "$sinew"
        run studio-swiftshader "$studio" VK_DRIVER_FILES="$icd" "$sinew"
    fi
fi

echo
# shellcheck disable=SC2086 # the paths are separate arguments
table="$(cd "$out" && "$root/scripts/differences.sh" $runs)"
echo "$table"
# A driver that ignores the overrides would pass without testing anything.
if [ "$(echo "$table" | sed -n 's/^distinct outputs: //p')" -lt 3 ]; then
    echo "driver-variants: the variants drew fewer than three distinct outputs" >&2
    failed=1
fi
exit $failed
