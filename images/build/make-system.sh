#!/bin/sh
# The rest of a file system for programs of any user: who there is, folders that may be written, the cache of libraries, Node.
#
#   make-system.sh <folder> <writable folder>…
#
# OpenShift runs containers as a user that nobody knows beforehand, always of the group 0: so that group may write.
set -eu
cd "$1"
shift
mkdir -p etc tmp var/tmp run usr/local/bin
chmod 1777 tmp var/tmp
printf 'root:x:0:0:root:/root:/usr/sbin/nologin\nwatchpost:x:10001:0:watchpost:/tmp:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n' >etc/passwd
printf 'root:x:0:\nnogroup:x:65534:\n' >etc/group
printf 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n' >etc/nsswitch.conf
[ -e etc/ld.so.conf ] || echo 'include /etc/ld.so.conf.d/*.conf' >etc/ld.so.conf
for folder in "$@"; do
  mkdir -p ".$folder"
  chown 10001:0 ".$folder"
  chmod 0775 ".$folder"
done
ldconfig -r .
rm -rf var/cache/ldconfig
# Node without its symbols: a seventh smaller. Its flags and modules stay.
strip -o usr/local/bin/node /usr/local/bin/node
