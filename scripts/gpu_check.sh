#!/usr/bin/env bash
# Measure the speed of training on a GPU in a few minutes, or on the CPU with smaller numbers.
#
#   scripts/gpu_check.sh fetch WHEELS [3.12]   download the wheels that a bare CUDA image with torch
#                                              and numpy lacks; needs a package index
#   scripts/gpu_check.sh [WHEELS]              measure; with a folder of wheels, install them first
#
# The variable PYTHON names the interpreter (default: python3).
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"

if [ "${1:-}" = fetch ]; then
    : "${2:?the folder for the wheels is missing}"
    for_image=(--quiet --only-binary=:all: --python-version "${3:-3.12}" --dest "$2")
    "$python" -m pip download "${for_image[@]}" pydantic safetensors cloudpickle
    # Without dependencies, because the image has numpy.
    "$python" -m pip download "${for_image[@]}" --no-deps gymnasium pettingzoo farama-notifications
    exit
fi
if [ -n "${1:-}" ]; then
    place="$(mktemp -d)"
    trap 'rm -rf "$place"' EXIT
    "$python" -m pip install --quiet --no-index --find-links "$1" --no-deps --target "$place" "$1"/*.whl
    export PYTHONPATH="$place${PYTHONPATH:+:$PYTHONPATH}"
fi
"$python" -m scripts.gpu_check
