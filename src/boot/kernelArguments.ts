/**
 * The kernel arguments that boot CoreOS into Ignition and the agent. Always in this order, so that two runs compare:
 * root filesystem, Ignition, network, proxies, consoles, the agent's parameters, and what the operator adds.
 *
 * Left out: `nofb nomodeset vga=normal` and the like, Ironic's habits that CoreOS does not need, and `sshkey=`, which
 * CoreOS does not read. Both may be added.
 */

import { maskText } from '../core/masking.ts';
import { type Issue, type Rule, warningRule } from '../ignition/rule.ts';
import { argumentName, argumentValue, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { ipaArgument } from './ipaParameter.ts';
import { parseBootUrl, urlCredentials } from './urlArgument.ts';

/** The arguments as texts, in the order described above. They are not checked; see `checkBoot`. */
export function kernelArguments(settings: BootSettings): readonly string[] {
  return placedArguments(settings).map((argument) => argument.text);
}

/** What of the arguments others must not see, as nouns for a sentence. */
export function argumentSecrets(settings: BootSettings): readonly string[] {
  const isSecret = kernelArguments(settings).some((text) => maskText(text) !== text);
  return isSecret ? ['a password in the kernel arguments'] : [];
}

/** The same arguments, each with the setting that it comes from. An added argument that is already there is left out. */
export function placedArguments(settings: BootSettings): readonly KernelArgument[] {
  const own: readonly KernelArgument[] = [
    ...named('coreos.live.rootfs_url', settings.rootfsUrl, 'rootfsUrl'),
    ...named('ignition.config.url', settings.ignitionUrl, 'ignitionUrl'),
    { text: 'ignition.firstboot', path: [] },
    { text: 'ignition.platform.id=metal', path: [] },
    ...each(settings.ip, 'ip', (value) => `ip=${value}`),
    ...networkDemand(settings),
    ...proxyArguments(settings),
    ...each(settings.consoles, 'consoles', (value) => `console=${value}`),
    ...each(settings.ipaParameters, 'ipaParameters', ipaArgument),
  ];
  const extra = each(settings.extraArguments, 'extraArguments', (text) => text);
  const present = new Set(own.map((argument) => argument.text));
  return [...own, ...extra.filter(({ text }) => !present.has(text) || argumentName(text) === 'console')];
}

function named(name: string, value: string | undefined, setting: string): readonly KernelArgument[] {
  return value === undefined ? [] : [{ text: `${name}=${value}`, path: [setting] }];
}

function each(
  values: readonly string[],
  setting: string,
  format: (value: string) => string,
): readonly KernelArgument[] {
  return values.map((value, index) => ({ text: format(value), path: [setting, index] }));
}

/** CoreOS asks for the network itself when it needs it; an explicit `ip=` has to work also when it does not. */
function networkDemand(settings: BootSettings): readonly KernelArgument[] {
  return settings.ip.length === 0 ? [] : [{ text: 'rd.neednet=1', path: ['ip'] }];
}

// Proxies for the initramfs, as environment variables that systemd takes from the kernel command line
// (`systemd.setenv=`, systemd(1)) and gives to every service. The service coreos-livepxe-rootfs fetches the root
// filesystem with curl, which reads them. As systemd of the ramdisk itself reads the same command line, they reach the
// agent, too: hence the hosts of Ironic have to be among the direct ones.
//
// Ignition cannot be given a proxy that way: its HTTP client does not look at the environment (internal/resource/http.go)
// and knows no proxy before it has a config.

const proxyScope: Rule = {
  id: 'proxy-scope',
  severity: 'info',
  message:
    'the proxy is for the fetch of the root filesystem, and every service of the ramdisk gets it as http_proxy, ' +
    'https_proxy and no_proxy',
  hint: 'the agent and podman get it by the Ignition config as well, if that is rendered with the same proxy',
};
const proxyIgnition = warningRule(
  'proxy-ignition',
  'Ignition fetches its config without a proxy, as it takes none from the kernel command line',
  'serve the config where the machine reaches it directly and name that host in --no-proxy, or embed the config',
);

/**
 * Only in lower case: curl does not know HTTP_PROXY, and everything else reads these as well. systemd removes single
 * quotes, which a URL may have.
 */
export function proxyArguments({ proxy }: BootSettings): readonly KernelArgument[] {
  if (proxy === undefined) return [];
  const { http, https, noProxy } = proxy;
  return [
    ...(http === undefined ? [] : [assignment('http_proxy', withoutQuotes(http), 'http')]),
    ...(https === undefined ? [] : [assignment('https_proxy', withoutQuotes(https), 'https')]),
    ...(noProxy.length === 0 ? [] : [assignment('no_proxy', noProxy.join(','), 'noProxy')]),
  ];
}

function withoutQuotes(url: string): string {
  return url.replaceAll("'", '%27');
}

function assignment(variable: string, value: string, setting: string): KernelArgument {
  return { text: `systemd.setenv=${variable}=${value}`, path: ['proxy', setting] };
}

/** What has to be said about the proxies as a whole. */
export function checkProxyArguments({ proxy, ignitionUrl = '' }: BootSettings): readonly Issue[] {
  if (proxy === undefined) return [];
  const url = parseBootUrl(ignitionUrl);
  const isDirect =
    url === undefined ||
    !['http', 'https'].includes(url.scheme) ||
    proxy.noProxy.some((entry) => covers(entry, url.host));
  return [
    { rule: proxyScope, path: ['proxy'] },
    ...(isDirect ? [] : [{ rule: proxyIgnition, path: ['ignitionUrl'] }]),
  ];
}

/** Of a network it is not known whether it has the host, so nothing is said then. */
function covers(entry: string, host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return entry === '*' || entry.includes('/') || bare === entry || bare.endsWith(entry.replace(/^\.?/, '.'));
}

/** `systemd.setenv=VARIABLE=VALUE`, whoever wrote it. */
export function checkSetenv(value: string): readonly Issue[] {
  const isProxy = /^(?:https?|ftp|all)_proxy$/i.test(argumentName(value));
  const hasCredentials = isProxy && parseBootUrl(argumentValue(value) ?? '')?.credentials === true;
  if (!hasCredentials) return [];
  return [
    {
      rule: urlCredentials,
      path: [],
      message: 'the proxy has credentials, and every program on the machine can read the kernel command line',
      hint: 'let the ramdisks through without a password, or serve the root filesystem where no proxy is needed',
    },
  ];
}

// The boot of a machine that nobody knows yet: the agent inspects it and tells Ironic. What the agent has to know for
// that goes on the kernel command line, as in the inspection script of Metal3. There these are defaults only: the
// configuration file in an Ignition config counts more, except for `ipa-debug`.

export interface DiscoverySettings {
  /** Where the agent sends what it has found. */
  readonly callbackUrl: string;
  /** Where it looks for Ironic afterwards. */
  readonly apiUrl?: string;
  /** Empty for the agent's own choice. */
  readonly collectors: readonly string[];
  /** `all`, or interfaces and VLANs as the agent takes them; empty for none. */
  readonly vlanInterfaces: readonly string[];
  readonly dhcpAllInterfaces: boolean;
  readonly collectLldp: boolean;
  readonly insecure: boolean;
  readonly debug: boolean;
}

/** The settings with the parameters of an inspection, except those that `settings` say something else about. */
export function withDiscoveryParameters(settings: BootSettings, discovery: DiscoverySettings): BootSettings {
  const given = new Set(kernelArguments(settings).map(argumentName));
  const added = discoveryParameters(discovery).filter((text) => !given.has(argumentName(text)));
  return { ...settings, ipaParameters: [...settings.ipaParameters, ...added] };
}

function discoveryParameters(discovery: DiscoverySettings): readonly string[] {
  const { callbackUrl, apiUrl, collectors, vlanInterfaces } = discovery;
  return [
    `ipa-inspection-callback-url=${callbackUrl}`,
    ...(apiUrl === undefined ? [] : [`ipa-api-url=${apiUrl}`]),
    ...(collectors.length === 0 ? [] : [`ipa-inspection-collectors=${collectors.join(',')}`]),
    ...(vlanInterfaces.length === 0 ? [] : [`ipa-enable-vlan-interfaces=${vlanInterfaces.join(',')}`]),
    ...(discovery.dhcpAllInterfaces ? ['ipa-inspection-dhcp-all-interfaces=1'] : []),
    ...(discovery.collectLldp ? ['ipa-collect-lldp=1'] : []),
    ...(discovery.insecure ? ['ipa-insecure=1'] : []),
    ...(discovery.debug ? ['ipa-debug=1'] : []),
  ];
}
