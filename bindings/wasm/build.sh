#!/usr/bin/env bash
# Builds the engine for WebAssembly, and prints the path of the file.
# Builds the standard library for size, too, where its sources are: those of Debian's packages rustc-web, cargo-web,
# rust-web-src and lld-22, or of `rustup component add rust-src`. Else takes the toolchain's own standard library for
# wasm32 (`rustup target add wasm32-unknown-unknown`), which was built for speed. Exits with 3 if there is none, so that
# tests can be skipped by name.
set -euo pipefail
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-$PWD/../../target/wasm}
export CARGO_TARGET_DIR=$out
optimizer=${KUBEMERGE_WASM_OPT:-$(command -v wasm-opt || true)}
# The optimizer wants names of functions, and removes them.
export CARGO_PROFILE_RELEASE_STRIP=$([ -n "$optimizer" ] && echo none || echo symbols)
# Recursion over documents needs room: the stack of an instance cannot grow.
flags='-C link-arg=-zstack-size=8388608'
# A trap says "unreachable" instead of a message and a place, which no user of the package reads. Functions that are
# not inlined are smaller.
small='-Cllvm-args=-inline-threshold=0 -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zinline-mir=no'

sysroot=$(rustc --print sysroot)
with_std() {
    RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags $small" "$@" build --quiet --release --target "$target" \
        -Zbuild-std=std,panic_abort -Zbuild-std-features=optimize_for_size
}
if [ -d /usr/lib/rustlib/src ] && [ -x /usr/bin/rustc ] && command -v wasm-ld-22 >/dev/null; then
    RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 with_std /usr/bin/cargo
elif [ -d "$sysroot/lib/rustlib/src" ]; then
    with_std cargo
elif [ -d "$sysroot/lib/rustlib/$target" ]; then
    RUSTFLAGS=$flags cargo build --quiet --release --target "$target"
else
    echo "no WebAssembly toolchain: run \`rustup component add rust-src\`, or install rustc-web cargo-web rust-web-src lld-22" >&2
    exit 3
fi
built=$out/$target/release/kubemerge_wasm.wasm

# Binaryen's optimizer saves a tenth of the download, where it is installed (`npm install binaryen`). Functions in the
# order of their names are beside similar ones, which compresses better.
optimize() {
    $optimizer --enable-bulk-memory --enable-mutable-globals --enable-multivalue --enable-nontrapping-float-to-int \
        --enable-reference-types --enable-sign-ext "$@"
}
if [ -n "$optimizer" ]; then
    optimized=$out/kubemerge.wasm
    if [ ! "$optimized" -nt "$built" ]; then
        optimize "$built" -g --flatten --rereloop -Oz -Oz -o "$out/named.wasm"
        optimize "$out/named.wasm" --reorder-functions-by-name --strip-debug --strip-producers -o "$optimized"
    fi
    built=$optimized
fi
echo "$built"
