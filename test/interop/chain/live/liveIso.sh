#!/bin/bash
# Writes a live ISO with the layout of Fedora CoreOS: it boots with ISOLINUX (BIOS) and GRUB (UEFI), and has the areas for the
# Ignition config and the kernel arguments that coreos-installer knows.
# usage: liveIso.sh KERNEL INITRD_IMG ROOTFS_IMG ISO
set -euo pipefail
kernel=$1 initrd=$2 rootfs=$3 iso=$4
here=$(dirname "$(realpath "$0")")
version=$(<"$here/version")
label=fedora-coreos-$version
arguments="coreos.liveiso=$label ignition.firstboot ignition.platform.id=metal console=ttyS0"
# The area for kernel arguments has the size that current images of Fedora CoreOS have.
area_size=1139
work=$(mktemp -d "$(dirname "$iso")/live-iso.XXXXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree"/{images/pxeboot,isolinux,coreos,EFI/fedora}
ln "$kernel" "$tree/images/pxeboot/vmlinuz" 2> /dev/null || cp "$kernel" "$tree/images/pxeboot/vmlinuz"
ln "$initrd" "$tree/images/pxeboot/initrd.img"
ln "$rootfs" "$tree/images/pxeboot/rootfs.img"
truncate -s 256K "$tree/images/ignition.img"
cp "$here/features.json" "$tree/coreos/features.json"
echo '{"file": "images/ignition.img"}' > "$tree/coreos/igninfo.json"

area() {
  local fill=$((area_size - ${#arguments} - 1))
  printf '%s\n%s' "$arguments" "$(printf '%*s' "$fill" '' | tr ' ' '#')"
}
cat > "$tree/isolinux/isolinux.cfg" <<CFG
serial 0
default linux
timeout 1
prompt 0
label linux
  kernel /images/pxeboot/vmlinuz
  append initrd=/images/pxeboot/initrd.img,/images/ignition.img $(area)
CFG
cat > "$tree/EFI/fedora/grub.cfg" <<CFG
set timeout=0
set default=0
serial
terminal_output serial
menuentry "live" {
  linux /images/pxeboot/vmlinuz $(area)
  initrd /images/pxeboot/initrd.img /images/ignition.img
}
CFG
offset() { grep --only-matching --byte-offset --fixed-strings "$arguments" "$tree/$1" | cut -d: -f1; }
entry() { printf '{"path": "%s", "offset": %s, "pad": "#", "end": "\\n"}' "$1" "$(offset "$1")"; }
printf '{"default": "%s", "files": [%s, %s], "size": %s}\n' "$arguments" \
  "$(entry isolinux/isolinux.cfg)" "$(entry EFI/fedora/grub.cfg)" $area_size |
  python3 -m json.tool --indent 2 > "$tree/coreos/kargs.json" # of this form, as the minimal ISO has it, too

cp /usr/lib/ISOLINUX/isolinux.bin "$tree/isolinux/"
cp /usr/lib/syslinux/modules/bios/ldlinux.c32 "$tree/isolinux/"
printf 'search --no-floppy --set=root --file /coreos/igninfo.json\nconfigfile /EFI/fedora/grub.cfg\n' > "$work/early.cfg"
grub-mkimage -O x86_64-efi -o "$work/BOOTX64.EFI" -p /EFI/fedora -c "$work/early.cfg" \
  iso9660 search search_fs_file configfile linux serial terminal normal part_msdos part_gpt fat
truncate -s 4M "$tree/images/efiboot.img"
mkfs.vfat -n EFI "$tree/images/efiboot.img" > /dev/null
mmd -i "$tree/images/efiboot.img" ::EFI ::EFI/BOOT
mcopy -i "$tree/images/efiboot.img" "$work/BOOTX64.EFI" ::EFI/BOOT/
write_iso() {
  xorriso -as mkisofs -quiet -V "$label" -R -J -joliet-long -isohybrid-mbr /usr/lib/ISOLINUX/isohdpfx.bin \
    -b isolinux/isolinux.bin -c isolinux/boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table \
    -eltorito-alt-boot -e images/efiboot.img -no-emul-boot -isohybrid-gpt-basdat -o "$1" "$tree"
}
# CoreOS packs the data of a minimal ISO into the full one (coreos/miniso.dat).
truncate -s 64K "$tree/coreos/miniso.dat"
write_iso "$iso.new"
rm "$tree/coreos/miniso.dat" "$tree/images/pxeboot/rootfs.img"
write_iso "$iso.minimal"
