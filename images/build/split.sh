#!/bin/sh
# Moves parts of a tree into a tree of their own, which becomes a layer: what seldom changes is not pulled again with what often does.
#
#   split.sh <tree> <new tree> <path below the tree>…
#
# A path that is not there is left out.
set -eu
tree=$1 new=$2
shift 2
for path in "$@"; do
  [ -e "$tree/$path" ] || continue
  mkdir -p "$new/$(dirname "$path")"
  mv "$tree/$path" "$new/$path"
done
