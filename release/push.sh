#!/bin/sh
# Pushes the images and charts of a release, with their signatures and attestations, by skopeo, which has been logged in.
#
#   push.sh <folder of the release> <registry, and a path in it if you like>
set -eu
folder=$1 registry=$2
names() {
  node -p 'JSON.parse(fs.readFileSync(process.argv[1])).manifests.map((one) => one.annotations["org.opencontainers.image.ref.name"]).join("\n")' "$1/index.json"
}
for layout in "$folder/oci" "$folder/signatures"; do
  [ -d "$layout" ] || continue
  for name in $(names "$layout"); do
    echo "$registry/$name"
    skopeo copy --quiet --all ${SKOPEO_OPTIONS:-} "oci:$layout:$name" "docker://$registry/$name"
  done
done
