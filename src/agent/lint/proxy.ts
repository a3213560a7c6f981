/** A proxy between the agent and Ironic: podman hands the variables of its unit to the container, and the agent obeys. */

import { FormatError } from '../../core/errors.ts';
import { parseHost } from '../../formats/hostName.ts';
import { splitEnvironmentLine } from '../../formats/systemdQuoting.ts';
import type { Issue } from '../../ignition/rule.ts';
import { confValues } from './conf.ts';
import { broken, warning } from './lintRule.ts';
import { optionValues } from './podmanCommand.ts';
import { effectiveSettings, type LintSubject, type UnitCommand, type UnitSetting } from './subject.ts';

export const unitProxyRules = {
  ironic: warning(
    'agent-proxy-ironic',
    'the agent goes through the proxy to reach Ironic',
    'add the host of Ironic to NO_PROXY',
  ),
};

/** More URLs than any agent has. */
const maxUrls = 32;

export function checkUnitProxy(subject: LintSubject): Issue[] {
  const urls = ['api_url', 'inspection_callback_url']
    .flatMap((option) => confValues(subject, option))
    .flatMap((value) => value.split(',', maxUrls))
    .flatMap((url) => (/^https?:\/\//.test(url) && URL.canParse(url) ? [new URL(url)] : []));
  return subject.runs.flatMap((run) => checkRun(run, subject, urls));
}

function checkRun(run: UnitCommand, { units }: LintSubject, urls: readonly URL[]): Issue[] {
  if (optionValues(run.podman, 'http-proxy').some(({ text }) => text === 'false')) return [];
  const settings = units.find(({ name }) => name === run.unitName)?.settings ?? [];
  const environment = readEnvironment(effectiveSettings(settings, 'Environment'));
  const direct = (environment.get('no_proxy') ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  const detoured = urls.filter((url) => {
    const proxy = environment.get(`${url.protocol.slice(0, -1)}_proxy`);
    return proxy !== undefined && proxy !== '' && !isDirect(hostOf(url), direct);
  });
  const hosts = [...new Set(detoured.map(hostOf))];
  if (hosts.length === 0) return [];
  const message = `${run.unitName}: ${unitProxyRules.ironic.message} at ${hosts.slice(0, 5).join(', ')}`;
  return [broken(unitProxyRules.ironic, run.setting.path, { message })];
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** By names in lower case, as programs take either. */
export function readEnvironment(settings: readonly UnitSetting[]): ReadonlyMap<string, string> {
  const words = settings.flatMap(({ value }) => splitAssignments(value));
  return new Map(
    words.map(({ text }) => {
      const equals = text.indexOf('=');
      return [text.slice(0, Math.max(0, equals)).toLowerCase(), text.slice(equals + 1)] as const;
    }),
  );
}

function splitAssignments(value: string): ReturnType<typeof splitEnvironmentLine> {
  try {
    return splitEnvironmentLine(value);
  } catch (error) {
    if (error instanceof FormatError) return [];
    throw error;
  }
}

/** As the Python library requests has it: networks for IPv4 addresses, and else what the host ends with. */
function isDirect(host: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    if (entry === '') return false;
    if (entry === '*' || entry === host || entry === `[${host}]`) return true;
    if (entry.includes('/')) return isInNetwork(host, entry);
    return !isIPv4(host) && !host.includes(':') && host.endsWith(`.${entry.replace(/^\*?\./, '')}`);
  });
}

function isInNetwork(host: string, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  // Other forms are not compared: nothing is said about them.
  if (!isIPv4(host) || !isIPv4(base)) return host.includes(':') && base.includes(':');
  const size = 2 ** (32 - Math.min(32, Number(bits)));
  return Math.floor(toNumber(host) / size) === Math.floor(toNumber(base) / size);
}

function isIPv4(text: string): boolean {
  return parseHost(text).kind === 'ipv4';
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
}
