#!/bin/sh
# Lays Debian packages out in a folder that becomes a file system, with all that they depend on and nothing else:
# no package manager, no maintainer scripts, no caches. Runs in a builder stage, as root.
#
#   lay-out-packages.sh <folder> <folder of what is there already, or -> <package>…
#
# PRETENDED names packages that others depend on but nothing here needs. TOOLS are installed in the builder itself.
# DEBIAN_MIRROR and DEBIAN_SECURITY_MIRROR take the place of the base image's own sources.
set -eu
target=$1
present=$2
shift 2

work=$(mktemp -d)
if [ -n "${DEBIAN_MIRROR:-}" ]; then
  . /etc/os-release
  rm -f /etc/apt/sources.list.d/*
  {
    echo "deb $DEBIAN_MIRROR $VERSION_CODENAME main"
    echo "deb $DEBIAN_MIRROR $VERSION_CODENAME-updates main"
    echo "deb ${DEBIAN_SECURITY_MIRROR:-${DEBIAN_MIRROR%/debian}/debian-security} $VERSION_CODENAME-security main"
  } >/etc/apt/sources.list
fi
rm -f /etc/apt/apt.conf.d/docker-clean
apt-get update -qq
# As if in the version that the mirror has: others may ask for just that.
for name in ${PRETENDED:-}; do
  version=$(apt-cache show --no-all-versions "$name" 2>/dev/null | sed -n 's/^Version: //p')
  printf 'Package: %s\nStatus: install ok installed\nVersion: %s\nArchitecture: %s\nMaintainer: none <none@none>\nDescription: not needed\n\n' \
    "$name" "${version:-9999}" "$(dpkg --print-architecture)"
done >"$work/status"
if [ "$present" != - ]; then
  for record in "$present"/var/lib/dpkg/status.d/*; do
    cat "$record"
    echo
  done >>"$work/status"
fi

if [ -n "${TOOLS:-}" ]; then apt-get install -qq -y --no-install-recommends $TOOLS >/dev/null; fi
mkdir -p "$work/archives/partial"
apt-get install -qq -y --download-only --no-install-recommends \
  -o Dir::State::status="$work/status" -o Dir::Cache::archives="$work/archives" "$@" >/dev/null

mkdir -p "$target/var/lib/dpkg/status.d"
for archive in "$work"/archives/*.deb; do
  name=$(dpkg-deb -f "$archive" Package)
  # apt may prefer the mirror's to the pretended one.
  case " ${PRETENDED:-} " in *" $name "*) continue ;; esac
  dpkg-deb -x "$archive" "$target"
  # Where scanners look for packages in images without a package manager.
  dpkg-deb -f "$archive" | sed '/^Package:/a Status: install ok installed' >"$target/var/lib/dpkg/status.d/$name"
done
rm -rf "$work"

cd "$target"
rm -rf usr/share/man usr/share/locale usr/share/info usr/share/lintian usr/share/bug usr/share/bash-completion \
  usr/share/zoneinfo/right usr/share/zoneinfo/posix usr/lib/*-linux-gnu/gconv usr/lib/*-linux-gnu/audit var/cache/apt
if [ -d usr/share/doc ]; then
  find usr/share/doc ! -type d ! -name copyright -delete
  find usr/share/doc -type d -empty -delete
fi
# Neither privileges by a file's mode nor devices.
find . -xdev -type f -perm /6000 -exec chmod a-s {} +
# What maintainer scripts would have done.
if [ -d usr/share/ca-certificates ]; then
  mkdir -p etc/ssl/certs
  find usr/share/ca-certificates -name '*.crt' | LC_ALL=C sort | xargs cat >etc/ssl/certs/ca-certificates.crt
fi
if [ -d usr/share/fontconfig/conf.avail ]; then
  mkdir -p etc/fonts/conf.d
  for path in usr/share/fontconfig/conf.avail/[2-9]*.conf usr/share/fontconfig/conf.avail/10-hinting-slight.conf; do
    case $path in
    */70-no-bitmaps* | */70-yes-bitmaps* | */70-force-bitmaps*) ;;
    *) ln -sf "/$path" etc/fonts/conf.d/ ;;
    esac
  done
fi
for folder in usr/lib/*-linux-gnu/blas usr/lib/*-linux-gnu/lapack usr/lib/*-linux-gnu/pulseaudio; do
  if [ -d "$folder" ]; then
    mkdir -p etc/ld.so.conf.d
    echo "/$folder" >>etc/ld.so.conf.d/zz-alternatives.conf
  fi
done
for name in gcc g++; do
  if [ -e usr/bin/$name ]; then
    ln -sf $name usr/bin/cc
    [ $name = gcc ] || ln -sf g++ usr/bin/c++
  fi
done
