/** Reads the settings of the connection to Ironic: URLs and TLS verification. */

import {
  checkCallbackUrl,
  defaultInspectorPort,
  defaultIronicPort,
  findPortlessUrl,
  formatIronicUrl,
  ironicHostUrl,
  type UrlSource,
} from '../../agent/ironicUrl.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { FormatError, formatSource, type InputSource, UsageError } from '../../core/errors.ts';
import { atSource, isSwitchedOn, parsed, type Reading, valueOf } from './reading.ts';

/** The settings that {@link readIronic} reads. */
export type IronicPart = Pick<AgentSettings, 'apiUrls' | 'callbackUrls' | 'givenUrls' | 'verifyIronicTls'>;

export function readIronic(reading: Reading): IronicPart {
  if (reading.profile === 'buildpy') return readBuildpyHost(reading);
  if (isSwitchedOn(reading, 'agent.standalone')) {
    rejectBoth(reading, 'agent.standalone', 'ironic.apiUrls');
    return { apiUrls: [], callbackUrls: [], verifyIronicTls: true };
  }
  const { profile, parse } = reading;
  const value = valueOf(reading, 'ironic.apiUrls') ?? missingAddress(reading);
  const inspector = valueOf(reading, 'ironic.inspectorUrls');
  const port = readPort(reading, 'ironic.port', defaultIronicPort);
  const apiUrls = atSource(value, () => parse.apiUrls(value.text, { flag: value.name, ...port }));
  warnOfPort(apiUrls, value, defaultIronicPort, reading);
  return {
    apiUrls,
    callbackUrls: readCallbackUrls(reading),
    givenUrls: { api: value.text, inspector: inspector?.text ?? '' },
    verifyIronicTls: profile === 'default' && !isSwitchedOn(reading, 'ironic.insecure'),
  };
}

/** A URL with a path and no port is the URL of a proxy or cloud, on the port of its scheme, or its port is missing by mistake. */
function warnOfPort(
  urls: readonly string[],
  { at, name }: InputSource,
  defaultPort: number,
  { warn }: Reading,
): void {
  const url = findPortlessUrl(urls);
  if (url === undefined) return;
  const { path, scheme } = url;
  const usual = scheme === 'https' ? 443 : 80;
  const shown = formatIronicUrl(url);
  const withPort = (port: number): string => formatIronicUrl({ ...url, port });
  warn({
    at,
    message: `${name}: ${shown} has the path ${path} but no port; the agent uses port ${usual}`,
    hint: `write ${withPort(usual)} to confirm port ${usual}, or ${withPort(defaultPort)} for the default port of Ironic`,
  });
}

function missingAddress({ options, profile, settingsPlace }: Reading): never {
  const missing =
    profile === 'default' ? 'the URL of Ironic is missing' : `profile ${profile} requires IRONIC_BASE_URL`;
  const isForBuildpy =
    options.registry !== undefined || options.tls !== undefined || options.insecureRegistry === true;
  const flag = isForBuildpy
    ? '--host 192.0.2.1 or --api-url https://192.0.2.1:6385'
    : '--api-url https://192.0.2.1:6385';
  throw new UsageError(missing, {
    hint:
      settingsPlace === undefined
        ? `pass ${flag}, or set IRONIC_BASE_URL or ironic.apiUrls in an inventory`
        : `set ironic.apiUrls ${settingsPlace}, or set IRONIC_BASE_URL`,
  });
}

function readCallbackUrls(reading: Reading): readonly string[] {
  const { profile, parse } = reading;
  const callback = valueOf(reading, 'ironic.inspectionCallbackUrls');
  if (callback !== undefined) {
    rejectBoth(reading, 'ironic.inspectionCallbackUrls', 'ironic.inspectorUrls');
    return atSource(callback, () => checkCallbackUrl(callback.text, callback.name));
  }
  const port = readPort(reading, 'ironic.inspectorPort', defaultInspectorPort);
  if (profile === 'configure-coreos-ipa') {
    const api = valueOf(reading, 'ironic.apiUrls') ?? missingAddress(reading);
    const urls = atSource(api, () => parse.apiUrls(api.text, { flag: api.name, ...port }));
    return urls.map((url) => `${url}/v1/continue`);
  }
  const inspector = valueOf(reading, 'ironic.inspectorUrls');
  if (inspector === undefined) return [];
  const { name: flag, text } = inspector;
  const urls = atSource(inspector, () => parse.inspectorUrls(text, { flag, ...port }));
  warnOfPort(urls, inspector, defaultInspectorPort, reading);
  return urls;
}

/** Only for values from the inventory: `checkCombination` checks flags. */
function rejectBoth(reading: Reading, one: SettingName, other: SettingName): void {
  const [first, second] = [valueOf(reading, one), valueOf(reading, other)];
  if (first?.origin !== 'file' || second?.origin !== 'file') return;
  throw new UsageError(`${first.name} cannot be combined with ${formatSource(second)}`, {
    hint: `set one of them to null`,
    at: first.at,
  });
}

function readPort(
  reading: Reading,
  name: SettingName,
  fallback: number,
): Required<Pick<UrlSource, 'defaultPort' | 'isPortChosen'>> {
  const port = parsed(reading, name, (text) => {
    if (/^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65535) return Number(text);
    throw new FormatError('is not a valid port', { hint: 'use a number from 1 to 65535' });
  });
  return { defaultPort: port ?? fallback, isPortChosen: port !== undefined };
}

function readBuildpyHost({ options }: Reading): IronicPart {
  const { host = '', tls = 'off' } = options;
  const scheme = tls === 'off' ? 'http' : 'https';
  const inspector = ironicHostUrl(host, { scheme, port: defaultInspectorPort, flag: '--host' });
  return {
    apiUrls: [ironicHostUrl(host, { scheme, port: defaultIronicPort, flag: '--host' })],
    callbackUrls: [`${inspector}/v1/continue`],
    verifyIronicTls: tls !== 'insecure',
  };
}
