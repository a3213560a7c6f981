#!/bin/bash
# Makes a Debian system of its essential packages and the given ones: a new folder, or a tar file if the name ends with .tar.
# usage: debianRoot.sh RELEASE OUTPUT [PACKAGE,PACKAGE...]
set -euo pipefail
release=$1 output=$2 packages=${3-}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
new=$(dirname "$output")/new-$(basename "$output")
rm -rf "$output" "$new"
# initramfs-tools is not among the packages, so no initramfs is built here.
mmdebstrap --quiet --variant=minbase ${packages:+--include="$packages"} \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  "$release" "$new" \
  "deb $mirror/debian $release main" \
  "deb $mirror/debian $release-updates main" \
  "deb $mirror/debian-security $release-security main"
mv "$new" "$output"
