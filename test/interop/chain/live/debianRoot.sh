#!/bin/bash
# Unpacks a Debian system into a new folder.
# usage: debianRoot.sh FOLDER PACKAGE,PACKAGE...
set -euo pipefail
folder=$1 packages=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
rm -rf "$folder" "$folder.new"
# initramfs-tools is not among the packages, so no initramfs is built here.
mmdebstrap --quiet --variant=minbase --include="$packages" \
  --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  bookworm "$folder.new" \
  "deb $mirror/debian bookworm main" \
  "deb $mirror/debian bookworm-updates main" \
  "deb $mirror/debian-security bookworm-security main"
mv "$folder.new" "$folder"
