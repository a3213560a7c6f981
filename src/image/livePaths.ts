/** Where live ISOs of CoreOS have their files; `images/pxeboot` has those for network boot, too. */
export const livePaths = {
  kernel: 'images/pxeboot/vmlinuz',
  initramfs: 'images/pxeboot/initrd.img',
  /** Minimal ISOs do not have it. */
  rootfs: 'images/pxeboot/rootfs.img',
  efi: 'images/efiboot.img',
  isolinux: 'isolinux/isolinux.bin',
  isolinuxMenu: 'isolinux/isolinux.cfg',
  embedArea: 'images/ignition.img',
  /** Describes the embed area. */
  embedInfo: 'coreos/igninfo.json',
  /** Describes the areas with kernel arguments. */
  kargsInfo: 'coreos/kargs.json',
  /** What the live system supports. */
  features: 'coreos/features.json',
} as const;
