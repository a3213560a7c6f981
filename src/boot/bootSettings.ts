/** What a network boot of the ramdisk is made from, as the operator says it. Nothing here has been checked yet. */

export interface BootSettings {
  /** Where the kernel and the initramfs are loaded from; only boot scripts need them. */
  readonly kernelUrl?: string;
  readonly initramfsUrl?: string;
  /**
   * Archives that are loaded behind the initramfs, in this order, such as one with the Ignition config of a host. An
   * EFI kernel puts them behind each other without a gap, so it finds one that is not compressed only if the sizes of
   * those before it are multiples of four.
   */
  readonly appendedUrls?: readonly string[];
  /** Where the initramfs fetches the root filesystem from. */
  readonly rootfsUrl?: string;
  /** Where Ignition fetches its config from. */
  readonly ignitionUrl?: string;
  /** Whether the initramfs carries the config instead. */
  readonly embedded: boolean;
  /** dracut's `ip=` values, one per interface. */
  readonly ip: readonly string[];
  /** `console=` values; the last becomes /dev/console. */
  readonly consoles: readonly string[];
  /** `NAME=VALUE`, the name as in the agent's configuration file or as on the kernel command line. */
  readonly ipaParameters: readonly string[];
  /** Any other arguments, one each. */
  readonly extraArguments: readonly string[];
  /** The way to the root filesystem, and then of the whole ramdisk. */
  readonly proxy?: BootProxy;
}

/** As `parseProxyUrl` and `parseNoProxy` of the agent's settings give them. */
export interface BootProxy {
  readonly http?: string;
  readonly https?: string;
  /** Hosts that are reached directly, those of Ironic among them. */
  readonly noProxy: readonly string[];
}

/** A kernel argument and the setting that it comes from. */
export interface KernelArgument {
  readonly text: string;
  /** A path into `BootSettings`; empty for the arguments that are always there. */
  readonly path: readonly (string | number)[];
}

/** The name of an argument: `ip` of `ip=dhcp`. */
export function argumentName(text: string): string {
  const equals = text.indexOf('=');
  return equals === -1 ? text : text.slice(0, equals);
}

/** What follows the first `=`; undefined for an argument without one. */
export function argumentValue(text: string): string | undefined {
  const equals = text.indexOf('=');
  return equals === -1 ? undefined : text.slice(equals + 1);
}
