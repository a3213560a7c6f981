#!/bin/bash
# Puts what a boot of an aarch64 machine takes into a folder, from packages of Debian, without installing them:
#   test/interop/loaders/fetchArm64.sh FOLDER && IRONIC_COREOS_BOOT=1 IRONIC_COREOS_ARM64=FOLDER npx vitest run test/interop/loaders.test.ts
# The machine itself is qemu-system-arm with qemu-efi-aarch64, which have to be installed. About 30 MB are fetched.
set -euo pipefail
folder=$(realpath -m "$1")
mkdir -p "$folder"/{lists,cache,packages}/partial
apt=(apt-get -qq -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o "Dir::State::lists=$folder/lists"
  -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update
kernel=$(apt-cache "${apt[@]:2}" depends linux-image-cloud-arm64:arm64 | sed -n 's/.*Depends: \(linux-image-[0-9]\S*\)/\1/p' | head -1)
cd "$folder/packages"
"${apt[@]}" download "$kernel" busybox-static:arm64 grub-efi-arm64-bin:arm64
for package in *.deb; do dpkg-deb -x "$package" "$folder/root"; done
depmod -b "$folder/root" "$(ls "$folder/root/lib/modules")"
rm -r "$folder"/{lists,cache,packages}
