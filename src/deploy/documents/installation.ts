/**
 * What `install_coreos` gets from Ironic: the deploy step, the config drive with its meta data, the Ignition config of the
 * host that is installed, and another image of CoreOS. The pre-rendered forms of the config drive (an ISO image, gzipped
 * and in base64) are not offered: `install_coreos` refuses them. Nor is network_data: CoreOS does not read it.
 */

import type { Issue, Rule } from '../../ignition/rule.ts';
import { checkConsole, checkIp } from '../../boot/argumentValues.ts';
import { argumentName, argumentValue } from '../../boot/bootSettings.ts';
import { isPlainText, parseBootUrl } from '../../boot/urlArgument.ts';
import type { Config } from '../../ignition/config.ts';
import { formatIgnition } from '../../ignition/ignitionText.ts';

export const stepNames = ['install_coreos', 'start_assisted_install'] as const;

export type StepName = (typeof stepNames)[number];

export interface DeployStep {
  readonly interface: 'deploy';
  readonly step: StepName;
  /** Between starting the ramdisk and booting the instance; as Metal3 has it. */
  readonly priority: 80;
  readonly args: { readonly ignition?: PlainConfig };
}

export const ignitionInArguments: Rule = {
  id: 'ignition-in-args',
  severity: 'warning',
  message:
    "today's hardware manager reads no arguments: it takes the config from the config drive and ignores this one",
  hint: 'leave --ignition-in-args out, unless your agent image has a hardware manager that takes args.ignition',
};

/** The one step that deploys, with the config in its arguments if it is given. */
export function renderDeploySteps(step: StepName, ignition?: PlainConfig): readonly DeployStep[] {
  return [{ interface: 'deploy', step, priority: 80, args: ignition === undefined ? {} : { ignition } }];
}

/** The names are Ironic's. Empty where there is nothing to say. */
export interface ConfigDrive {
  readonly user_data?: PlainConfig;
  readonly meta_data?: InstallMetaData;
}

const requestTooLarge: Rule = {
  id: 'config-drive-size',
  severity: 'error',
  message: 'Ironic refuses a request to deploy of more than 64 MiB',
  hint: 'serve the large files of the config over https and refer to them by URL and hash',
};

/** Of the body of a request that changes the provision state: `[api]max_json_body_size_provision`. */
const maxRequestBytes = 64 * 1024 * 1024;

export function renderConfigDrive(config: PlainConfig | undefined, install: InstallSettings): ConfigDrive {
  const metaData = renderMetaData(install);
  return {
    ...(config !== undefined && { user_data: config }),
    ...(metaData !== undefined && { meta_data: metaData }),
  };
}

/** What is sent is the same JSON within a few more bytes. */
export function checkRequestSize(parts: readonly unknown[]): readonly Issue[] {
  const bytes = parts.reduce<number>((sum, part) => sum + Buffer.byteLength(JSON.stringify(part)), 0);
  return bytes <= maxRequestBytes
    ? []
    : [{ rule: requestTooLarge, path: [], message: `${requestTooLarge.message}: this is ${bytes} bytes` }];
}

export interface InstallSettings {
  /** For the installed system, one argument each. */
  readonly kernelArguments: readonly string[];
  /** Whether the installed system takes over the network of the ramdisk; absent leaves it to the agent. */
  readonly copyNetwork?: boolean;
}

/** The names are the agent's. */
interface InstallMetaData {
  /** One element at most: see `renderMetaData`. */
  readonly coreos_append_karg?: readonly [string];
  readonly coreos_copy_network?: boolean;
}

const installKarg: Rule = {
  id: 'install-karg',
  severity: 'error',
  message:
    'a kernel argument has a name, and neither white space, double quotes nor other than printable ASCII',
  hint: 'write NAME or NAME=VALUE, and give each argument by itself',
};
const installKargOfRamdisk: Rule = {
  id: 'install-karg-of-ramdisk',
  severity: 'warning',
  message: 'the argument is for the ramdisk; the installed system has no use for it or is disturbed by it',
  hint: 'give it to the ramdisk: see pxe kargs, and iso kargs',
};
const installKargsJoined: Rule = {
  id: 'install-kargs-joined',
  severity: 'info',
  message: 'the kernel arguments are written as one element with blanks between them',
  hint: 'install_coreos would join a list by commas into one argument; coreos-installer appends one element as it is',
};

/** Paths lead into the settings. */
export function checkInstall({ kernelArguments }: InstallSettings): readonly Issue[] {
  const issues = kernelArguments.flatMap((text, index) =>
    checkArgument(text).map((issue) => ({ ...issue, path: ['kernelArguments', index] })),
  );
  return kernelArguments.length > 1 ? [...issues, { rule: installKargsJoined, path: [] }] : issues;
}

function checkArgument(text: string): readonly Issue[] {
  const name = argumentName(text);
  if (name === '' || !isPlainText(text)) return [{ rule: installKarg, path: [] }];
  if (/^(?:coreos\.(?:inst|live)(?:\.|iso$)|ipa-|ignition\.(?:firstboot|config\.url$))/.test(name)) {
    return [{ rule: installKargOfRamdisk, path: [] }];
  }
  if (name === 'console') return checkConsole(argumentValue(text) ?? '');
  return name === 'ip' ? checkIp(argumentValue(text) ?? '') : [];
}

/** The settings for the agent; undefined where there are none. */
export function renderMetaData({
  kernelArguments,
  copyNetwork,
}: InstallSettings): InstallMetaData | undefined {
  if (kernelArguments.length === 0 && copyNetwork === undefined) return undefined;
  return {
    ...(kernelArguments.length > 0 && { coreos_append_karg: [kernelArguments.join(' ')] as const }),
    ...(copyNetwork !== undefined && { coreos_copy_network: copyNetwork }),
  };
}

/** JSON that programs other than Ignition can hold. */
export type PlainConfig = Readonly<Record<string, unknown>>;

const hostNameTwice: Rule = {
  id: 'install-hostname-twice',
  severity: 'error',
  message: 'install_coreos adds /etc/hostname itself, and Ignition refuses a config that has it twice',
  hint: 'leave it out: the host keeps the name that it has in the ramdisk',
};
const integerTooLarge: Rule = {
  id: 'install-integer',
  severity: 'error',
  message: 'an integer of the config has more digits than JSON keeps on the way to the host',
  hint: 'use numbers up to 9007199254740991',
};
export const configOfRamdisk: Rule = {
  id: 'install-config-of-ramdisk',
  severity: 'warning',
  message:
    'the config runs ironic-python-agent: it looks like the one for the ramdisk, not for the installed host',
  hint: 'give the config that the host shall have after the installation',
};

/** Issues with paths into the config, which Ignition has found valid. */
export function checkInstalledConfig(config: Config): readonly Issue[] {
  return [...checkHostName(config), ...checkUnits(config), ...checkIntegers(config)];
}

function checkHostName({ storage = {} }: Config): readonly Issue[] {
  return (['files', 'directories', 'links'] as const).flatMap((kind) =>
    (storage[kind] ?? []).flatMap((node, index) =>
      node.path === '/etc/hostname' ? [{ rule: hostNameTwice, path: ['storage', kind, index, 'path'] }] : [],
    ),
  );
}

function checkUnits({ systemd = {} }: Config): readonly Issue[] {
  return (systemd.units ?? []).flatMap(({ name }, index) =>
    name === 'ironic-agent.service'
      ? [{ rule: configOfRamdisk, path: ['systemd', 'units', index, 'name'] }]
      : [],
  );
}

function checkIntegers(config: Config): readonly Issue[] {
  let isTooLarge = false;
  JSON.stringify(config, (_key, value: unknown) => {
    if (typeof value !== 'bigint') return value;
    isTooLarge = true;
    return null;
  });
  return isTooLarge ? [{ rule: integerTooLarge, path: [] }] : [];
}

/** A config without issues of severity `error`, members in the order of Ignition's own documents. */
export function plainConfig(config: Config): PlainConfig {
  const plain: PlainConfig = JSON.parse(formatIgnition(config));
  return plain;
}

export interface InstallImage {
  readonly url: string;
  /** Metal3 only. */
  readonly checksum?: string;
  readonly format?: string;
}

const imageUrl: Rule = {
  id: 'image-url',
  severity: 'error',
  message: 'coreos-installer cannot fetch the image from there',
  hint: 'give the http or https URL of a metal image of CoreOS, …-metal.x86_64.raw.xz',
};
const imageUnverified: Rule = {
  id: 'image-unverified',
  severity: 'warning',
  message:
    'install_coreos does not verify the image: it tells coreos-installer to accept it without a signature',
  hint: "serve it over https from a host that you trust, or leave it out to install the ramdisk's own CoreOS",
};
export const imageSetOnNode: Rule = {
  id: 'image-set-on-node',
  severity: 'warning',
  message: 'the image is not part of the steps: install_coreos reads it from the node',
  hint: 'set it there: baremetal node set NODE --instance-info image_source=URL; --format command writes this too',
};
const imageFormatCoreos: Rule = {
  id: 'image-format-coreos',
  severity: 'error',
  message: `the image format "coreos" of Metal3's design was never implemented`,
  hint: 'leave it out and set customDeploy.method to install_coreos, which is what this command writes',
};
const imageFormat: Rule = {
  id: 'image-format',
  severity: 'error',
  message: 'coreos-installer writes raw images only, which may be compressed',
  hint: 'use raw, and the …-metal… image of CoreOS',
};
const imageChecksum: Rule = {
  id: 'image-checksum',
  severity: 'error',
  message:
    'the operator of Metal3 refuses an image without a checksum, though install_coreos does not use it',
  hint: 'give the SHA-256 or SHA-512 of the image, or the URL of a file with it',
};

/** Paths lead into `ImageSource`. */
export function checkImageSource({ url, format }: InstallImage): readonly Issue[] {
  const isFetchable = /^[!-~]+$/.test(url) && /^https?:/.test(url) && parseBootUrl(url) !== undefined;
  return [
    isFetchable ? { rule: imageUnverified, path: ['url'] } : { rule: imageUrl, path: ['url'] },
    ...checkImageFormat(format),
  ];
}

/** The format alone, which is refused also where no image is given. */
export function checkImageFormat(format: string | undefined): readonly Issue[] {
  if (format === undefined || format === 'raw') return [];
  return [{ rule: format === 'coreos' ? imageFormatCoreos : imageFormat, path: ['format'] }];
}

/** As the webhook of the operator, which knows no other forms of a checksum: digests and URLs. */
export function checkImageChecksum({ checksum = '' }: InstallImage): readonly Issue[] {
  const isDigest = /^(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{128})$/.test(checksum);
  const isUrl = /^https?:\/\/[!-~]+$/.test(checksum) && parseBootUrl(checksum) !== undefined;
  return isDigest || isUrl ? [] : [{ rule: imageChecksum, path: ['checksum'] }];
}
