#!/bin/bash
# Packs the initramfs: systemd, udev, NetworkManager and mkfs.xfs of the Debian system, the real ignition, and the script
# live-init in place of CoreOS's dracut modules.
# usage: initramfs.sh DEBIAN_FOLDER IGNITION INITRD_IMG
set -euo pipefail
debian=$1 ignition=$2 image=$3
here=$(dirname "$(realpath "$0")")
initrd=$(mktemp -d "$(dirname "$image")/initramfs.XXXXXX")
trap 'rm -rf "$initrd"' EXIT
chmod 755 "$initrd"
kernel=$(basename "$debian"/usr/lib/modules/*)

programs='bash mount umount losetup cp mkdir rm ls cat ln mv sleep stat truncate mkfs.xfs modprobe udevadm useradd usermod userdel
  groupadd groupmod groupdel lsblk ip grep sed systemctl chroot touch chmod curl bsdtar sha256sum tr tee basename
  /usr/lib/systemd/systemd /usr/lib/systemd/systemd-udevd /usr/lib/systemd/systemd-shutdown
  /usr/lib/udev/cdrom_id /usr/lib/udev/ata_id /usr/lib/udev/scsi_id
  /usr/sbin/NetworkManager /usr/lib/NetworkManager/nm-initrd-generator'
modules='virtio_pci virtio_blk virtio_net virtio_scsi virtio_rng ata_piix ata_generic sd_mod sr_mod isofs squashfs overlay
  loop xfs bonding 8021q nls_ascii nls_utf8'

mkdir -p "$initrd"/{dev,etc/coreos,proc,run,sys,sysroot,tmp,usr/bin,usr/sbin,usr/lib,usr/lib64,usr/lib/ignition/base.d,var/lib/NetworkManager}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$initrd/$folder"; done

# The paths of the Debian system: /lib/… and /usr/lib/… are the same folder there and here. Its links are followed there: the
# absolute ones would lead to files of this machine.
copy() {
  mkdir -p "$initrd$(dirname "$1")"
  [ -e "$initrd$1" ] || cp "$debian$(chroot "$debian" realpath "$1")" "$initrd$1"
}
copy_libraries() {
  { LC_ALL=C chroot "$debian" ldd "$1" || true; } 2> /dev/null | grep -o '/[^ )]*' | sort -u | while read -r library; do copy "$library"; done
}
for program in $programs; do
  path=$(chroot "$debian" sh -c "command -v $program")
  copy "$path"
  copy_libraries "$path"
done
ln -s bash "$initrd/usr/bin/sh"
install -m 755 "$ignition" "$initrd/usr/bin/ignition"
cp "$ignition" "$debian/tmp/ignition"
copy_libraries /tmp/ignition
rm "$debian/tmp/ignition"
cp -a "$debian"/usr/lib/x86_64-linux-gnu/libnss_{files,dns}* "$initrd/usr/lib/x86_64-linux-gnu/" 2> /dev/null || true
mkdir -p "$initrd/usr/lib/x86_64-linux-gnu/systemd"
cp "$debian"/usr/lib/x86_64-linux-gnu/systemd/*.so "$initrd/usr/lib/x86_64-linux-gnu/systemd/"
cp -r "$debian/usr/lib/udev/rules.d" "$initrd/usr/lib/udev/"
mkdir -p "$initrd/usr/lib/systemd/network"
cp "$debian/usr/lib/systemd/network/99-default.link" "$initrd/usr/lib/systemd/network/"
cp "$debian"/etc/{passwd,group,nsswitch.conf} "$initrd/etc/"
cp "$debian/usr/lib/os-release" "$initrd/usr/lib/os-release"
cp "$debian/usr/lib/os-release" "$initrd/etc/initrd-release"
ln -s ../usr/lib/os-release "$initrd/etc/os-release"
cp "$here/version" "$initrd/etc/coreos-live-initramfs"
sha256sum "$(dirname "$image")/rootfs.img" | cut -d' ' -f1 > "$initrd/etc/coreos-live-want-rootfs"
cp "$here/features.json" "$initrd/etc/coreos/features.json"

lib=usr/lib/modules/$kernel
mkdir -p "$initrd/$lib"
cp "$debian/$lib"/modules.{order,builtin,builtin.modinfo} "$initrd/$lib/"
for module in $modules; do
  # A module that is built into the kernel has no file.
  { modprobe -d "$debian" -S "$kernel" --show-depends "$module" || true; } | sed -n "s#^insmod $debian##p"
done | sed 's#^/lib#/usr/lib#; s# .*##' | sort -u | while read -r path; do copy "$path"; done
depmod -b "$initrd" "$kernel"

cp -r --preserve=mode "$here/initramfs/." "$initrd/"
ln -s usr/lib/systemd/systemd "$initrd/init"
(cd "$initrd" && find . | LC_ALL=C sort | cpio --quiet -o -H newc | gzip -1) > "$image.new"
# The config area follows: archives start at multiples of 4 bytes.
truncate -s %4 "$image.new"
mv "$image.new" "$image"
