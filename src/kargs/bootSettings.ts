/** The settings of the operator for network boot of the ramdisk, not checked. */

export interface BootSettings {
  /**
   * The system of the ramdisk: CoreOS (default), or another one, such as the ramdisk of ironic-python-agent-builder, which has
   * neither Ignition nor a separate root filesystem.
   */
  readonly system?: 'coreos' | 'other' | undefined;
  /** URLs of the kernel and the initramfs; only boot scripts require them. */
  readonly kernelUrl?: string | undefined;
  readonly initramfsUrl?: string | undefined;
  /**
   * URLs of archives that are loaded after the initramfs in this order, for example with the Ignition config of a host. An EFI
   * kernel concatenates them without padding, so it finds an uncompressed archive only if the sizes of all previous archives
   * are multiples of four.
   */
  readonly appendedUrls?: readonly string[];
  /** URL from which the initramfs fetches the root filesystem. */
  readonly rootfsUrl?: string | undefined;
  /** URL from which Ignition fetches its config. */
  readonly ignitionUrl?: string | undefined;
  /** Whether the initramfs contains the config instead. */
  readonly embedded: boolean;
  /** `ip=` values for dracut, one per interface. */
  readonly ip: readonly string[];
  /** `console=` values; the last becomes /dev/console. */
  readonly consoles: readonly string[];
  /** `NAME=VALUE`; the name is that of the configuration file of the agent or of the kernel command line. */
  readonly ipaParameters: readonly string[];
  /** Other arguments, one per item. */
  readonly extraArguments: readonly string[];
  /** Proxies for fetching the root filesystem, and for the services of the ramdisk. */
  readonly proxy?: BootProxy | undefined;
}

/** As returned by `parseProxyUrl` and `parseNoProxy`. */
export interface BootProxy {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are contacted without a proxy, including the hosts of Ironic. */
  readonly noProxy: readonly string[];
}
