#!/bin/bash
# Gives a Debian system the layout of Fedora CoreOS and packs it like CoreOS: a cpio archive whose first member is root.squashfs.
# CoreOS keeps / read-only, and changes only /etc and /var; systemd presets decide what runs; chrony.conf and the trust anchors
# are where Fedora has them. What differs from CoreOS is listed in docs/proof.md.
# usage: liveRoot.sh DEBIAN_FOLDER ROOTFS_IMG [COREOS_INSTALLER]
set -euo pipefail
debian=$1 image=$2 installer=${3:-}
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d "$(dirname "$image")/live-root.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
cp -a "$debian" "$root"
cp -r --preserve=mode "$here/root/." "$root/"
chmod 440 "$root/etc/sudoers.d/coreos"
version=$(<"$here/version")

# The state of an image that has never booted.
rm -f "$root"/etc/{machine-id,hostname,resolv.conf,motd,network/interfaces} "$root"/var/lib/dbus/machine-id "$root"/etc/ssh/ssh_host_*
: > "$root/etc/fstab"
: > "$root/etc/motd"
rm -rf "$root"/etc/{chrony,cni,update-motd.d} "$root"/etc/systemd/system/*.wants
# Fedora has /tmp in memory.
mkdir -p "$root/usr/lib/systemd/system/local-fs.target.wants"
cp "$root/usr/share/systemd/tmp.mount" "$root/usr/lib/systemd/system/"
ln -s ../tmp.mount "$root/usr/lib/systemd/system/local-fs.target.wants/tmp.mount"
sed -i "s/^VERSION_ID=.*/VERSION_ID=\"$version\"/" "$root/usr/lib/os-release"
for group in wheel systemd-journal; do
  chroot "$root" getent group "$group" > /dev/null || chroot "$root" groupadd --system "$group"
done
sed -i '/^#\?SHELL=/d' "$root/etc/default/useradd"
echo SHELL=/bin/bash >> "$root/etc/default/useradd"

# Trust anchors: update-ca-trust is a part of Fedora that Debian does not have; root/usr/bin/update-ca-trust stands in for it.
mkdir -p "$root"/etc/pki/ca-trust/source/anchors "$root"/etc/pki/ca-trust/extracted/pem
cat "$root"/usr/share/ca-certificates/mozilla/*.crt > "$root/usr/share/mozilla-bundle.pem"
bundle=/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem
cp "$root/usr/share/mozilla-bundle.pem" "$root$bundle"
find "$root/etc/ssl/certs" -mindepth 1 -delete
ln -s "$bundle" "$root/etc/ssl/certs/ca-certificates.crt"

[ -z "$installer" ] || install -m 755 "$installer" "$root/usr/bin/coreos-installer"

# Folders whose contents change are in /var.
for pair in home:home root:roothome opt:opt srv:srv mnt:mnt; do
  name=${pair%:*} target=var/${pair#*:}
  mkdir -p "$root/$target"
  cp -a "$root/$name/." "$root/$target/"
  rm -rf "${root:?}/$name"
  ln -s "$target" "$root/$name"
done
chmod 700 "$root/var/roothome"
mkdir -p "$root/var/usrlocal" "$root/sysroot"
cp -a "$root/usr/local/." "$root/var/usrlocal/"
rm -rf "$root/usr/local"
ln -s ../var/usrlocal "$root/usr/local"
rm -rf "$root/boot" "$root"/var/cache/apt "$root"/var/lib/apt
mkdir "$root/boot"

mksquashfs "$root" "$work/root.squashfs" -comp zstd -Xcompression-level 3 -quiet -no-progress
mkdir "$work/etc"
echo "$version" > "$work/etc/coreos-live-rootfs"
(cd "$work" && printf '%s\n' root.squashfs etc etc/coreos-live-rootfs | cpio --quiet -o -H newc > "$image.new")
mv "$image.new" "$image"
