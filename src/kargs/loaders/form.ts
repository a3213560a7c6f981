/** An output format: how it writes kernel arguments, and which values its boot loader would change. */

import { UsageError } from '../../core/errors.ts';
import type { Path, Finding } from '../../core/finding.ts';
import { lintError, type Rule } from '../../core/rule.ts';
import type { KernelArgument } from '../argument.ts';
import type { BootSettings } from '../bootSettings.ts';

export interface BootForm {
  /** Schemes of the URLs that the boot loader fetches; undefined if the format contains no such URLs. */
  readonly schemes?: readonly string[];
  /** Names of arguments that the boot loader sets itself. */
  readonly reserved: readonly string[];
  /**
   * Issues that are specific to this format. Paths refer to the settings.
   * @param images the URLs of the kernel and of the archives
   */
  check(list: readonly KernelArgument[], images: readonly BootText[]): readonly Finding[];
  /** Arguments that the boot loader adds, with values of maximum length; for the length limit. */
  added(settings: BootSettings): readonly string[];
  /** Returns the whole text, with a final line feed. The settings must be checked. */
  render(settings: BootSettings): string;
}

/** An argument or a URL, and the setting that it comes from. */
export interface BootText {
  readonly text: string;
  readonly path: Path;
}

/** The URLs that a boot script loads, archives in the order in which the kernel unpacks them. Throws a `UsageError` if one is missing. */
export function bootImages(settings: BootSettings) {
  const { kernelUrl, initramfsUrl, appendedUrls = [] } = settings;
  if (kernelUrl === undefined || initramfsUrl === undefined) {
    throw new UsageError('a boot script requires the URLs of the kernel and the initramfs', {
      hint: 'add --kernel-url and --initramfs-url, or --base-url for both and the root filesystem',
    });
  }
  return { kernelUrl, initramfsUrls: [initramfsUrl, ...appendedUrls] };
}

export const loaderSetting = lintError(
  'kernel-argument-loader-setting',
  'only iPXE replaces ${…}; GRUB, ISOLINUX and PXELINUX do not know its settings',
  'use the value of one host; `prepare` writes boot scripts by MAC address for many hosts',
);

/** Settings that iPXE has by itself, by the macro `__setting` in its source. Those of scripts, such as `user-name`, are not known. */
const ownSettings =
  `active-scan asset board-serial buildarch busid busloc bustype chip cpumodel cpuvendor cwduri cwuri dhcp-server dns
  dns6 dnssl domain errno filename gateway gateway6 hostname hwaddr ifname initiator-iqn ip ip6 key keymap len6 linktype mac manufacturer
  memsize mtu netmask next-server ntp password platform priority product root-path san-filename serial ssid syslog syslog6 syslogs sysmac
  unixtime user-class username uuid vendor-class version vram`.split(/\s+/);

/** `${next-server}`, `${net0/mac:hexhyp}`, `${net0.dhcp/gateway}`, `${smbios/1.5.0}` (https://ipxe.org/cfg). */
const OWN_SETTING = new RegExp(
  String.raw`\$\{(?:[\w.]+/)?(?:${ownSettings.join('|')}|\d[\d.]*)(?::\w+)?\}`,
  'g',
);

/** Whether iPXE would change a text in a way that its user does not mean. */
export function hasUnknownSetting(text: string): boolean {
  return text.replaceAll(OWN_SETTING, '').includes('${');
}

/** Issues for settings of iPXE, such as `${mac:hexhyp}`, for other boot loaders. In a URL, any `${` is meant as one. */
export function checkLoaderSettings(texts: readonly BootText[]): readonly Finding[] {
  return checkTexts(loaderSetting, texts, (text) =>
    text.includes('://') ? text.includes('${') : text.search(OWN_SETTING) >= 0,
  );
}

/** Issues of one rule for all arguments and image URLs that the boot loader would change. */
export function checkTexts(
  rule: Rule,
  texts: readonly BootText[],
  isBroken: (text: string) => boolean,
): readonly Finding[] {
  return texts.filter(({ text }) => isBroken(text)).map(({ path }) => ({ ...rule, path }));
}
