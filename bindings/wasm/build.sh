#!/usr/bin/env bash
# Builds the engine for WebAssembly, and prints the path of the file.
# Uses the toolchain's own standard library for wasm32 if it is installed (`rustup target add
# wasm32-unknown-unknown`), else Debian's packages rustc-web, cargo-web, rust-web-src and lld-22. Exits with 3 if
# there is neither, so that tests can be skipped by name.
set -euo pipefail
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
out=${CARGO_TARGET_DIR:-$PWD/../../target/wasm}
export CARGO_TARGET_DIR=$out
# Recursion over documents needs room: the stack of an instance cannot grow.
flags='-C link-arg=-zstack-size=8388608'

if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    RUSTFLAGS=$flags cargo build --quiet --release --target "$target"
elif [ -d /usr/lib/rustlib/src ] && [ -x /usr/bin/rustc ] && command -v wasm-ld-22 >/dev/null; then
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS=$flags \
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-22 \
        /usr/bin/cargo build --quiet --release --target "$target" -Zbuild-std=std,panic_abort
else
    echo "no WebAssembly toolchain: run \`rustup target add $target\`, or install rustc-web cargo-web rust-web-src lld-22" >&2
    exit 3
fi
echo "$out/$target/release/kubemerge_wasm.wasm"
