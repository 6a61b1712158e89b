#!/bin/sh
# `npm ci` of the folder with the caller's .npmrc and authorities, where they were given as secrets of the build.
#
#   install.sh [argument of npm ci]…
set -eu
[ ! -f /run/secrets/ca ] || export NODE_EXTRA_CA_CERTS=/run/secrets/ca npm_config_cafile=/run/secrets/ca
[ ! -f /run/secrets/npmrc ] || export npm_config_userconfig=/run/secrets/npmrc
npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error --cache=/tmp/npm-cache "$@"
rm -rf /tmp/npm-cache
# What only people and compilers read, and modes that do not depend on the machine that the sources lay on.
find . -path '*/node_modules/*' -type f \
  \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' -o -name '*.markdown' \) -delete
chmod -R u=rwX,go=rX .
