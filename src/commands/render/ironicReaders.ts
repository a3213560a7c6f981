/** Where Ironic is and how far it is trusted. */

import {
  checkCallbackUrl,
  defaultInspectorPort,
  defaultIronicPort,
  ironicHostUrl,
} from '../../agent/ironicUrl.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { SettingName } from '../../agent/settingTable.ts';
import { FormatError, UsageError } from '../../errors.ts';
import { isSwitchedOn, parsed, type Reading, valueOf } from './reading.ts';

/** What is read here. */
export type IronicPart = Pick<AgentSettings, 'apiUrls' | 'callbackUrls' | 'givenUrls' | 'verifyIronicTls'>;

export function readIronic(reading: Reading): IronicPart {
  if (reading.profile === 'buildpy') return readBuildpyHost(reading);
  if (isSwitchedOn(reading, 'agent.standalone')) {
    refuseBoth(reading, 'agent.standalone', 'ironic.apiUrls');
    return { apiUrls: [], callbackUrls: [], verifyIronicTls: true };
  }
  const { profile, parse } = reading;
  const value = valueOf(reading, 'ironic.apiUrls') ?? missingAddress(reading);
  const source = { flag: value.place, defaultPort: readPort(reading, 'ironic.port', defaultIronicPort) };
  const inspector = valueOf(reading, 'ironic.inspectorUrls');
  return {
    apiUrls: parse.apiUrls(value.text, source),
    callbackUrls: readCallbackUrls(reading),
    givenUrls: { api: value.text, inspector: inspector?.text ?? '' },
    verifyIronicTls: profile === 'default' && !isSwitchedOn(reading, 'ironic.insecure'),
  };
}

function missingAddress({ options, profile }: Reading): never {
  const isForBuildpy =
    options.registry !== undefined || options.tls !== undefined || options.insecureRegistry === true;
  if (profile !== 'default') {
    throw new UsageError(`where is Ironic? The profile ${profile} needs IRONIC_BASE_URL or --api-url`, {
      hint: 'for example IRONIC_BASE_URL=https://192.0.2.1',
    });
  }
  throw new UsageError(
    isForBuildpy
      ? 'where is Ironic? --host is missing (or --api-url)'
      : 'where is Ironic? --api-url is missing',
    { hint: 'for example --api-url https://192.0.2.1:6385' },
  );
}

function readCallbackUrls(reading: Reading): readonly string[] {
  const { profile, parse } = reading;
  const callback = valueOf(reading, 'ironic.inspectionCallbackUrls');
  if (callback !== undefined) refuseBoth(reading, 'ironic.inspectionCallbackUrls', 'ironic.inspectorUrls');
  if (callback !== undefined) return checkCallbackUrl(callback.text, callback.place);
  const defaultPort = readPort(reading, 'ironic.inspectorPort', defaultInspectorPort);
  if (profile === 'configure-coreos-ipa') {
    const api = valueOf(reading, 'ironic.apiUrls') ?? missingAddress(reading);
    const urls = parse.apiUrls(api.text, { flag: api.place, defaultPort });
    return urls.map((url) => `${url}/v1/continue`);
  }
  const inspector = valueOf(reading, 'ironic.inspectorUrls');
  return inspector === undefined
    ? []
    : parse.inspectorUrls(inspector.text, { flag: inspector.place, defaultPort });
}

/** Of flags this is said before anything is read. */
function refuseBoth(reading: Reading, one: SettingName, other: SettingName): void {
  const [first, second] = [valueOf(reading, one), valueOf(reading, other)];
  if (first?.origin !== 'file' || second?.origin !== 'file') return;
  throw new UsageError(`${first.place} contradicts ${second.place}`, { hint: `set one of them to null` });
}

function readPort(reading: Reading, name: SettingName, fallback: number): number {
  const port = parsed(reading, name, (text) => {
    if (/^[1-9][0-9]{0,4}$/.test(text) && Number(text) <= 65535) return Number(text);
    throw new FormatError('is not a port', { hint: 'a number from 1 to 65535' });
  });
  return port ?? fallback;
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
