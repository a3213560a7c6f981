/** The connection to Ironic: its URLs, from several settings, and TLS verification. */

import {
  DEFAULT_INSPECTOR_PORT,
  DEFAULT_IRONIC_PORT,
  formatIronicUrl,
  ironicHostUrl,
  parseIronicUrl,
  type UrlSource,
  validUrls,
} from '../../agent/ironicUrl.ts';
import type { InputValue } from '../../agent/settingInputs.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { UsageError } from '../../core/errors.ts';
import { deriveIronicUrl, isExternalUrl, isIronicAddress } from './ironicImage.ts';
import { inputOf, read, type Reading } from './reading.ts';

/** The settings that {@link readIronic} reads. */
export type IronicPart = Pick<AgentSettings, 'apiUrls' | 'callbackUrls' | 'givenUrls' | 'verifyIronicTls'>;

export function readIronic(reading: Reading): IronicPart {
  if (reading.profile === 'buildpy') return readBuildpyHost(reading);
  if (read(reading, 'agent.standalone')) {
    // The agent downloads OS images with TLS, too.
    return { apiUrls: [], callbackUrls: [], verifyIronicTls: !read(reading, 'ironic.insecure') };
  }
  const { profile } = reading;
  const value = inputOf(reading, 'ironic.apiUrls') ?? missingAddress(reading);
  const inspector = inputOf(reading, 'ironic.inspectorUrls');
  return {
    apiUrls: readApiUrls(value, reading),
    callbackUrls:
      profile === 'configure-coreos-ipa' ? scriptCallback(value, reading) : readCallbackUrls(reading),
    givenUrls: { api: value.text, inspector: inspector?.text ?? '' },
    verifyIronicTls: profile === 'default' && !read(reading, 'ironic.insecure'),
  };
}

function readApiUrls(value: InputValue, reading: Reading): readonly string[] {
  const port = readPort(reading, 'ironic.port', DEFAULT_IRONIC_PORT);
  if (isIronicAddress(value)) {
    return [deriveIronicUrl(value, port.defaultPort, reading.io.env)];
  }
  return read(reading, 'ironic.apiUrls', isExternalUrl(value) ? {} : port) ?? [];
}

/**
 * The script used ironic-inspector on the host of the URL, whose port it added. ironic-image of today has no inspector and
 * sets a URL with the port, or only an address; then Ironic itself gets the inspection data.
 */
function scriptCallback(api: InputValue, reading: Reading): readonly string[] {
  const port = readPort(reading, 'ironic.inspectorPort', DEFAULT_INSPECTOR_PORT);
  const hasPort = validUrls([api.text]).some((url) => url.port !== undefined);
  const isOfToday = isIronicAddress(api) || isExternalUrl(api) || hasPort;
  const urls = readApiUrls(api, reading);
  if (isOfToday && !port.isPortChosen) return urls.map((url) => `${url}/v1/continue_inspection`);
  return urls.map((text) => {
    const url = parseIronicUrl(text);
    const base = 'message' in url ? text : formatIronicUrl({ ...url, port: port.defaultPort });
    return `${base}/v1/continue`;
  });
}

function missingAddress({ options, profile, settingsPlace }: Reading): never {
  const missing =
    profile === 'default'
      ? 'the URL of Ironic is missing'
      : `profile ${profile} requires IRONIC_BASE_URL${profile === 'configure-coreos-ipa' ? ' or IRONIC_IP' : ''}`;
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
  const given = read(reading, 'ironic.inspectionCallbackUrls');
  if (given !== undefined) return given;
  const port = readPort(reading, 'ironic.inspectorPort', DEFAULT_INSPECTOR_PORT);
  return read(reading, 'ironic.inspectorUrls', port) ?? [];
}

function readPort(
  reading: Reading,
  name: 'ironic.port' | 'ironic.inspectorPort',
  fallback: number,
): Required<Pick<UrlSource, 'defaultPort' | 'isPortChosen'>> {
  const isPortChosen = (reading.inputs.get(name) ?? []).length > 0;
  return { defaultPort: read(reading, name) ?? fallback, isPortChosen };
}

function readBuildpyHost({ options }: Reading): IronicPart {
  const { host = '', tls = 'off' } = options;
  const scheme = tls === 'off' ? 'http' : 'https';
  const inspector = ironicHostUrl(host, { scheme, port: DEFAULT_INSPECTOR_PORT, flag: '--host' });
  return {
    apiUrls: [ironicHostUrl(host, { scheme, port: DEFAULT_IRONIC_PORT, flag: '--host' })],
    callbackUrls: [`${inspector}/v1/continue`],
    verifyIronicTls: tls !== 'insecure',
  };
}
