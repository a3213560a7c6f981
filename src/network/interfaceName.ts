/** Names of interfaces: those that Linux accepts, and those that a machine gives its own. */

/** Linux accepts the name, and it is ASCII without a leading dot, as names become names of files. */
export function isKernelName(name: string): boolean {
  return /^(?![.])[!-$&-.0-9;-~]{1,15}$/.test(name);
}

/**
 * Whether the kernel, systemd-udevd or biosdevname gives a physical interface this name: `eth0`, `enp1s0`, `enP2p1s0`, `em1`, `p1p1`,
 * `usb0`. With a dot, it is the name of a VLAN. Sources: systemd.net-naming-scheme(7), biosdevname(1).
 */
export function isMachineName(name: string): boolean {
  return /^(?:eth\d|en[A-Za-z]\S|em\d|p\d+p\d|ib\w|usb\d|sl\w|wl\w|ww\w)[^.]*$/.test(name);
}
