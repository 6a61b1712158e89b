#!/bin/sh
# What these workspaces need when they run. Of what the project is worked on with, npm would leave out no more than nothing else needs: the
# agent would get the packages of the control plane, because tests use them.
#
#   install-workspaces.sh <workspace>…
set -eu
npm pkg delete devDependencies
for workspace in "$@"; do
  shift
  set -- "$@" -w "$workspace"
done
"$(dirname "$0")/install.sh" --omit=dev --include-workspace-root "$@"
# Sources of the compiled part, the same for another libc, and tests of a package.
cd node_modules
rm -rf koffi/vendor koffi/lib koffi/src/koffi/src/abi @koromix/*/musl_* bintrees/test
find koffi/src -type f ! -name '*.js' ! -name '*.cjs' -delete
