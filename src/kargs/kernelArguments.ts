/**
 * The kernel arguments that boot CoreOS with Ignition and the agent, or another ramdisk with the agent. The order is constant,
 * so that outputs can be compared: root filesystem, Ignition, network, proxies, consoles, parameters of the agent, and
 * arguments of the operator.
 *
 * Not included: defaults of Ironic that CoreOS does not need, such as `nofb nomodeset vga=normal`, and `sshkey=`, which CoreOS
 * does not support. The operator can add them.
 */

import type { Finding } from '../core/finding.ts';
import { maskSetting } from '../core/masking.ts';
import { parseUrl } from '../formats/url.ts';
import { type Rule, warningRule } from '../core/rule.ts';
import { findIgnoredExceptions, isExceptForGo } from '../network/noProxy.ts';
import { type KernelArgument, parseArgument } from './argument.ts';
import type { BootProxy, BootSettings } from './bootSettings.ts';
import { coreosArguments, formatCoreosArgument, liveArguments } from './coreosArguments.ts';
import { ipaArgument } from './ipaParameter.ts';
import { parseBootUrl, urlArgumentRules } from './urlArgument.ts';

/** The arguments as strings, in the constant order. They are not checked; see `checkBoot`. */
export function kernelArguments(settings: BootSettings): readonly string[] {
  return bootArguments(settings).map(({ text }) => text);
}

/** Secrets in the arguments, as nouns for a message. */
export function argumentSecrets(settings: BootSettings): readonly string[] {
  const isSecret = kernelArguments(settings).some((text) => maskSetting(text) !== text);
  return isSecret ? ['a password in the kernel arguments'] : [];
}

/** The arguments with the settings that they come from. An extra argument that is already present is omitted. */
export function bootArguments(settings: BootSettings): readonly KernelArgument[] {
  const { proxy } = settings;
  const own: readonly KernelArgument[] = [
    ...(settings.system === 'other' ? [] : liveArguments(settings)),
    ...each(settings.ip, 'ip', (value) => `ip=${value}`),
    ...(settings.ip.length === 0
      ? []
      : [parseArgument(formatCoreosArgument(coreosArguments.network), ['ip'])]),
    ...(proxy === undefined ? [] : proxyArguments(proxy)),
    ...each(settings.consoles, 'consoles', (value) => `console=${value}`),
    ...each(settings.ipaParameters, 'ipaParameters', ipaArgument),
  ];
  const extra = each(settings.extraArguments, 'extraArguments', (text) => text);
  const present = new Set(own.map((argument) => argument.text));
  return [...own, ...extra.filter(({ name, text }) => !present.has(text) || name === 'console')];
}

function each(
  values: readonly string[],
  setting: string,
  format: (value: string) => string,
): readonly KernelArgument[] {
  return values.map((value, index) => parseArgument(format(value), [setting, index]));
}

const proxyIgnition = warningRule(
  'proxy-ignition',
  'Ignition fetches its config without a proxy, because it ignores proxies in the kernel arguments',
  'serve the config from a host that needs no proxy and add that host to --no-proxy, or embed the config',
);

/**
 * Proxies for the initramfs, as environment variables that systemd reads from the kernel command line (`systemd.setenv=`,
 * systemd(1)) and passes to every service. coreos-livepxe-rootfs uses them to fetch the root filesystem with curl. systemd of
 * the ramdisk reads the same command line, so the agent gets them, too: therefore `noProxy` must contain the hosts of Ironic.
 *
 * Ignition ignores them: its HTTP client does not read the environment (internal/resource/http.go).
 *
 * The names are in lower case, because curl ignores HTTP_PROXY, and all other programs read these names, too. Single quotes
 * in a URL are encoded, because systemd removes them.
 */
export function proxyArguments({ http, https, noProxy }: BootProxy): readonly KernelArgument[] {
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
  return parseArgument(`systemd.setenv=${variable}=${value}`, ['proxy', setting]);
}

export function checkProxyArguments({ proxy, ignitionUrl = '', system }: BootSettings): readonly Finding[] {
  if (proxy === undefined) return [];
  const ignored = findIgnoredExceptions(proxy.noProxy).map((problem) => {
    return { ...problem, path: ['proxy', 'noProxy'] };
  });
  if (system === 'other') return ignored;
  const url = parseUrl(ignitionUrl);
  // A name may be that of a host in a network: names cannot be resolved here.
  const isDirect =
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    proxy.noProxy.some((entry) => entry.includes('/')) ||
    isExceptForGo(url, proxy.noProxy);
  return isDirect ? ignored : [...ignored, { ...proxyIgnition, path: ['ignitionUrl'] }];
}

/** Checks `systemd.setenv=VARIABLE=VALUE` for proxy credentials. */
export function checkSetenv(text: string): readonly Rule[] {
  const { name, value = '' } = parseArgument(text);
  const isProxy = /^(?:https?|ftp|all)_proxy$/i.test(name);
  const hasCredentials = isProxy && parseBootUrl(value)?.credentials === true;
  if (!hasCredentials) return [];
  return [
    {
      ...urlArgumentRules['boot-url-credentials'],
      message:
        'the proxy URL contains credentials, and every program on the machine can read the kernel command line',
      hint: 'use a proxy without a password, or serve the root filesystem from a host that needs no proxy',
    },
  ];
}

/** Adds parameters of the agent, such as `ipa-debug=1`, unless `settings` already set them. */
export function withParameters(settings: BootSettings, parameters: readonly string[]): BootSettings {
  const given = new Set(bootArguments(settings).map(({ name }) => name));
  const added = parameters.filter((text) => !given.has(parseArgument(text).name));
  return { ...settings, ipaParameters: [...settings.ipaParameters, ...added] };
}
