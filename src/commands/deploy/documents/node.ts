/**
 * Renders a node of Ironic for `baremetal create FILE`, or as commands of the client. Credentials are never written: the
 * commands read them from the environment. An interface is only set if the request needs it or names it: a conductor refuses
 * those that it does not enable, and its own default is among those that it enables. RAID, BIOS, console and rescue are not set.
 */

import type { Finding } from '../../../core/finding.ts';
import { type DeployInterface, networkBootInterfaces } from '../../../core/nodeInterfaces.ts';
import { errorRule, found, issue, issueWith, warningRule } from '../../../core/rule.ts';
import { type BmcAddress, bmcKind } from '../../../redfish/bmcAddress.ts';
import { checkDeployment, checkReference, instanceInfo, interfaceFor } from './deployment.ts';
import { type DeployHost, noRootDevice } from './host.ts';
import { noteDisabled, noteFolders } from './interfaces.ts';
import type { DeployOptions } from '../options.ts';
import { type Mapping, withoutUndefined } from '../../../formats/mapping.ts';
import { checkArgument } from '../../../kargs/argumentChecks.ts';
import { parseArgument, parseArguments, splitArguments } from '../../../kargs/argument.ts';
import { type NamedBootFile, checkBootFiles, rootfsOf } from '../../../kargs/bootFileNames.ts';
import { findInstallation } from '../../../kargs/checkBoot.ts';
import { checkIronicArgument, ramdiskArgumentSyntax } from '../../../kargs/loaders/ironic.ts';
import { checkArgumentNetwork } from '../../../kargs/networkChecks.ts';
import { formatCommand, quoteShellWord } from '../../../formats/shell.ts';
import { withoutBrackets } from '../../../formats/url.ts';
import { coreosArguments, firstBootNames } from '../../../kargs/coreosArguments.ts';

/** Field names of Ironic's API. */
export interface NodeDescription {
  readonly name: string;
  readonly driver?: string;
  readonly driver_info: Mapping;
  readonly instance_info?: Mapping;
  readonly properties: Mapping;
  readonly boot_interface?: string;
  readonly deploy_interface?: string;
  readonly inspect_interface?: string;
  readonly ports?: readonly { readonly address: string }[];
}

const isoNeedsVirtualMedia = errorRule(
  'iso-needs-virtual-media',
  'the BMC address selects network boot, which does not support an ISO',
  'use a virtual media address, or pass {deployKernel} and {deployRamdisk}',
);

/** Paths begin with the name of an option. With `set`, the node exists: it may have arguments and hints already. */
export function checkNode(host: DeployHost, options: DeployOptions): readonly Finding[] {
  const { bootIso, deployIso, deployKernel, kernelAppendParams, rootDevice = [], set = false } = options;
  const images = imagesOf(options);
  const rootfs = rootfsOf(parseArguments(kernelAppendParams ?? ''));
  const boot = bootInterfaceOf(host, options);
  const isNetworkBoot = boot !== undefined && networkBootInterfaces.includes(boot);
  const keepsArguments = deployKernel === undefined || (set && kernelAppendParams === undefined);
  return found(
    images.flatMap(({ path, url }) => checkReference(path, url, 'ramdisk')),
    keepsArguments ? [] : checkRamdiskArguments(kernelAppendParams ?? ''),
    checkBootFiles([...images, ...rootfs.map((file) => ({ ...file, path: ['kernelAppendParams'] }))]),
    deployIso !== undefined && isNetworkBoot && issue(isoNeedsVirtualMedia, ['deployIso']),
    checkDeployment(options),
    bootIso === undefined &&
      rootDevice.length === 0 &&
      !set &&
      noRootDevice(options, 'the agent takes the smallest disk of at least 4 GiB'),
    noteLines(host, options),
  );
}

/** That of the option, or else the one that the scheme of the BMC address selects. */
function bootInterfaceOf({ bmc }: DeployHost, { bootInterface }: DeployOptions): string | undefined {
  return bootInterface ?? (bmc && bmcKind(bmc.address).bootInterface);
}

/** The lines of ironic.conf that the conductor of the node needs, besides the defaults. */
function noteLines(host: DeployHost, options: DeployOptions): readonly Finding[] {
  const { bootIso = '', imageSource = '', inspectInterface } = options;
  const images = imagesOf(options).map(({ url }) => url);
  return [
    ...noteDisabled({
      driver: host.bmc && bmcKind(host.bmc.address).driver,
      deploy: interfaceFor(options),
      inspect: inspectInterface,
      boot: bootInterfaceOf(host, options),
    }),
    ...noteFolders([...images, imageSource, bootIso]),
  ];
}

function imagesOf(options: DeployOptions): readonly NamedBootFile[] {
  const uses = { deployIso: 'live ISO', deployKernel: 'kernel', deployRamdisk: 'initramfs' } as const;
  return (['deployIso', 'deployKernel', 'deployRamdisk'] as const).flatMap((option) => {
    const { [option]: url } = options;
    return url === undefined ? [] : [{ use: uses[option], url, path: [option] }];
  });
}

/** What is left out, the conductor decides. */
export function describeNode(host: DeployHost, options: DeployOptions): NodeDescription {
  const { inspectInterface } = options;
  const kind = host.bmc && bmcKind(host.bmc.address);
  const boot = bootInterfaceOf(host, options);
  const deploy = interfaceFor(options);
  const instance = instanceInfo(options);
  return {
    name: host.name,
    ...(kind !== undefined && { driver: kind.driver }),
    driver_info: {
      ...(host.bmc !== undefined && bmcDriverInfo(host.bmc.address)),
      ...(host.bmc?.insecure === true && kind?.driver !== 'ipmi' && { redfish_verify_ca: false }),
      ...withoutUndefined({
        deploy_iso: options.deployIso,
        deploy_kernel: options.deployKernel,
        deploy_ramdisk: options.deployRamdisk,
        kernel_append_params: options.kernelAppendParams,
      }),
    },
    ...(Object.keys(instance).length > 0 && { instance_info: instance }),
    properties: {
      ...(host.architecture !== undefined && { cpu_arch: host.architecture }),
      ...(Object.keys(host.rootDevice).length > 0 && { root_device: host.rootDevice }),
    },
    ...(boot !== undefined && { boot_interface: boot }),
    ...(deploy !== undefined && { deploy_interface: deploy }),
    ...(inspectInterface !== undefined && { inspect_interface: inspectInterface }),
    ...(host.bootMac !== undefined && { ports: [{ address: host.bootMac }] }),
  };
}

function bmcDriverInfo(address: BmcAddress): Mapping {
  const { decodedPath, host, port, path, transport, privilegeLevel } = address;
  if (bmcKind(address).driver === 'ipmi') {
    return {
      ipmi_address: withoutBrackets(host),
      ...(port !== undefined && { ipmi_port: port }),
      ...(privilegeLevel !== undefined && { ipmi_priv_level: privilegeLevel }),
    };
  }
  const namesSystem = !['', 'redfish/v1'].includes(path.replace(/^\/+|\/+$/g, ''));
  return {
    redfish_address: `${transport}://${host}${port === undefined ? '' : `:${port}`}`,
    ...(namesSystem && { redfish_system_id: decodedPath }), // Ironic escapes it itself
  };
}

/** Commands that create the node and its port. They fail without the BMC credentials in BMC_USERNAME and BMC_PASSWORD. */
export function formatCreateCommands(node: NodeDescription): string {
  const { driver = '', ports = [] } = node;
  const prefix = driver === 'idrac' ? 'redfish' : driver;
  const create = formatCommand([
    'baremetal node create',
    `--driver ${quoteShellWord(driver)}`,
    `--name ${quoteShellWord(node.name)}`,
    ...interfaceWords(node),
    ...attributeWords('--driver-info', node.driver_info),
    `--driver-info ${prefix}_username="\${BMC_USERNAME:?}"`,
    `--driver-info ${prefix}_password="\${BMC_PASSWORD:?}"`,
    ...attributeWords('--instance-info', node.instance_info ?? {}),
    ...attributeWords('--property', node.properties),
  ]);
  const uuid = `"$(baremetal node show ${quoteShellWord(node.name)} -f value -c uuid)"`;
  return [create, ...ports.map(({ address }) => `baremetal port create ${address} --node ${uuid}\n`)].join(
    '',
  );
}

/**
 * A command that changes an existing node, except its name, driver and ports. It removes an ISO if the node gets a kernel, because
 * Ironic would boot the ISO; and an image or a live ISO if the node gets the other one, because Ironic refuses both.
 * `baremetal node unset` fails for an attribute that the node does not have.
 */
export function formatSetCommand(node: NodeDescription): string {
  const { instance_info: instance = {} } = node;
  const removedIso = 'deploy_kernel' in node.driver_info ? { deploy_iso: null } : {};
  const removedImage =
    'boot_iso' in instance ? { image_source: null } : 'image_source' in instance ? { boot_iso: null } : {};
  return formatCommand([
    `baremetal node set ${quoteShellWord(node.name)}`,
    ...interfaceWords(node),
    ...attributeWords('--driver-info', { ...node.driver_info, ...removedIso }),
    ...attributeWords('--instance-info', { ...instance, ...removedImage }),
    ...attributeWords('--property', node.properties),
  ]);
}

function interfaceWords(node: NodeDescription): readonly string[] {
  return (['boot', 'deploy', 'inspect'] as const).flatMap((kind) => {
    const name = node[`${kind}_interface`];
    return name === undefined ? [] : [`--${kind}-interface ${name}`];
  });
}

/** Commands that set the attributes that deploy steps read from the node, and deploy it. */
export function formatDeployCommands(
  steps: readonly Mapping[],
  deployInterface: DeployInterface,
  options: DeployOptions,
): string {
  const { configDrive, node = '' } = options;
  const set = formatCommand([
    `baremetal node set ${quoteShellWord(node)}`,
    `--deploy-interface ${deployInterface}`,
    ...attributeWords('--instance-info', instanceInfo(options)),
  ]);
  const deploy = formatCommand([
    `baremetal node deploy ${quoteShellWord(node)}`,
    `--deploy-steps ${quoteShellWord(JSON.stringify(steps))}`,
    ...(configDrive === undefined ? [] : [`--config-drive ${quoteShellWord(configDrive)}`]),
  ]);
  return set + deploy;
}

function attributeWords(option: string, attributes: Mapping): readonly string[] {
  return Object.entries(attributes).map(
    ([name, value]) => `${option} ${quoteShellWord(formatAttribute(name, value))}`,
  );
}

/** The client parses every value as JSON first, so text that is also JSON must be quoted. */
export function formatAttribute(name: string, value: unknown): string {
  const isPlain = typeof value === 'string' && !isJson(value);
  return `${name}=${isPlain ? value : JSON.stringify(value)}`;
}

/** Like Python's parser, which accepts more numbers. */
function isJson(text: string): boolean {
  if (/^\s*(?:NaN|-?Infinity)\s*$/.test(text)) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const ramdiskArgumentMissing = warningRule(
  'ramdisk-argument-missing',
  'CoreOS requires more kernel arguments, unless they are in the settings of the conductor',
  'print them with ironic-coreos pxe kargs --rootfs-url URL --embedded',
);

const needed = [coreosArguments.rootfsUrl.name, ...firstBootNames];

const UNSUPPORTED_TEXT = 'it has characters other than printable ASCII, or quotes behind --';

/** Ironic replaces `%default%` with the arguments of the conductor; words after `--` are not for the kernel. */
export function checkRamdiskArguments(text: string): readonly Finding[] {
  const path = ['kernelAppendParams'];
  const all = splitArguments(text);
  const end = all.includes('--', 1) ? all.indexOf('--', 1) : all.length;
  const words = all.slice(0, end).map((word) => parseArgument(word, [parseArgument(word).name]));
  const given = words.filter((word) => word.text !== '%default%');
  const isUnsupported = /[^ -~]/.test(text.trim()) || all.slice(end).some((word) => word.includes('"'));
  const names = new Set(words.map(({ name }) => name));
  const missing = given.length < words.length ? [] : needed.filter((name) => !names.has(name));
  const valid = given.filter((word) => checkIronicArgument(word) === undefined);
  const findings = [
    ...valid.flatMap(checkArgument),
    ...findInstallation(valid),
    ...checkArgumentNetwork(valid),
  ];
  return found(
    isUnsupported && issueWith(ramdiskArgumentSyntax, path, UNSUPPORTED_TEXT),
    given.map((word) => checkIronicArgument({ ...word, path })),
    findings.map((finding) => ({
      ...finding,
      path,
      message: `${finding.path[0] ?? ''}: ${finding.message}`,
    })),
    missing.length > 0 && issueWith(ramdiskArgumentMissing, path, missing.join(', ')),
  );
}
