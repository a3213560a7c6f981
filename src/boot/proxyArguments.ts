/**
 * Proxies for the initramfs, as environment variables that systemd takes from the kernel command line
 * (`systemd.setenv=`, systemd(1)) and gives to every service. The service coreos-livepxe-rootfs fetches the root
 * filesystem with curl, which reads them. As systemd of the ramdisk itself reads the same command line, they reach the
 * agent, too: hence the hosts of Ironic have to be among the direct ones.
 *
 * Ignition cannot be given a proxy that way: its HTTP client does not look at the environment (internal/resource/http.go)
 * and knows no proxy before it has a config.
 */

import type { Issue, Rule } from '../ignition/rule.ts';
import { argumentName, argumentValue, type BootSettings, type KernelArgument } from './bootSettings.ts';
import { parseBootUrl, urlCredentials } from './urlArgument.ts';

const proxyScope: Rule = {
  id: 'proxy-scope',
  severity: 'info',
  message:
    'the proxy is for the fetch of the root filesystem, and every service of the ramdisk gets it as http_proxy, ' +
    'https_proxy and no_proxy',
  hint: 'the agent and podman get it by the Ignition config as well, if that is rendered with the same proxy',
};
const proxyIgnition: Rule = {
  id: 'proxy-ignition',
  severity: 'warning',
  message: 'Ignition fetches its config without a proxy, as it takes none from the kernel command line',
  hint: 'serve the config where the machine reaches it directly and name that host in --no-proxy, or embed the config',
};

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
