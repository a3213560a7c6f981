/**
 * The Ignition config of OpenShift's image-customization-controller (ICC), byte for byte. Unlike the default profile, it
 * never verifies Ironic's certificate, `/etc/authfile.json` has no mode, the start limit is in another section, and the
 * dispatcher script has no shebang. The parsers in this file refuse values for which the output of ICC would be broken.
 */

import { quoteText } from '../../core/foreignText.ts';
import { readAsset } from '../../core/assets.ts';
import { fillTemplate } from '../../formats/template.ts';
import type { Config, File } from '../../ignition/config.ts';
import { PUBLIC_MODE, SECRET_MODE } from '../../ignition/dataFile.ts';
import { madeOf } from '../../ignition/origins.ts';
import { ANCHOR_FOLDER, AUTH_FILE_PATH, CONF_PATH, KEYFILE_FOLDER, renderPlainPullSecret } from '../files.ts';
import type { AgentSettings } from '../settings.ts';
import { renderAgentUnit } from '../unit.ts';
import { renderPasswd } from '../login.ts';
import { FormatError, UsageError } from '../../core/errors.ts';
import { findBlankUrl, formatIronicUrl, parseIronicUrl, type UrlSource } from '../ironicUrl.ts';
import { machineNameProblem, parseHost } from '../../formats/hostName.ts';
import { isUriText } from '../../formats/url.ts';
import type { ParseContext } from '../parseContext.ts';

export const ICC_SPEC_VERSION = '3.2.0';

export function renderIccConfig(settings: AgentSettings): Config {
  const { agentImage, copyNetwork = false, hostname = '', installIpOptions = '' } = settings;
  const { pullSecret, sshKeys } = settings;
  // Like ICC, quotes and escapes nothing.
  const unit = renderAgentUnit('icc', {
    ...proxyHoles(settings),
    ipOptions: installIpOptions,
    copyNetwork: String(copyNetwork),
    hostname,
    authfile: pullSecret === undefined ? '' : ` --authfile=${AUTH_FILE_PATH}`,
    image: agentImage,
  });
  return {
    ignition: { version: ICC_SPEC_VERSION },
    ...renderPasswd(sshKeys),
    storage: { files: renderFiles(settings) },
    systemd: { units: [unit] },
  };
}

/** The conf of ICC, and of the part of it that assisted-service uses. */
export function formatIccConf({ apiUrls, callbackUrls, confOptions }: AgentSettings): string {
  return [
    '',
    '[DEFAULT]',
    `api_url = ${apiUrls.join(',')}`,
    `inspection_callback_url = ${callbackUrls.join(',')}`,
    'insecure = True',
    `enable_vlan_interfaces = ${confOptions['enable_vlan_interfaces'] ?? ''}`,
    '',
  ].join('\n');
}

/** A file in the format of ICC, which always contains `overwrite`; none without a text. */
export function renderIccFile(path: string, text: string | undefined, facts: Partial<File> = {}): File[] {
  if (text === undefined) return [];
  return [{ path, overwrite: false, contents: { source: textUrl(text) }, mode: PUBLIC_MODE, ...facts }];
}

function renderFiles(settings: AgentSettings): File[] {
  const { caCertificates, hostname, keyfiles, ntpServers, registriesConf } = settings;
  const servers = ntpServers.map((server) => `\nserver ${server} iburst`).join('');
  const dispatcher =
    hostname === undefined
      ? undefined
      : fillTemplate(readAsset('templates/agent/icc-hostname'), { hostname });
  return [
    ...renderIccFile(CONF_PATH, formatIccConf(settings)),
    ...keyfiles.flatMap((keyfile) => {
      const facts = { overwrite: true, mode: SECRET_MODE };
      const files = renderIccFile(`${KEYFILE_FOLDER}/${keyfile.name}`, keyfile.text, facts);
      return files.map((file) => madeOf(file, keyfile));
    }),
    ...renderPlainPullSecret(settings),
    ...renderIccFile(`${ANCHOR_FOLDER}ca.crt`, caCertificates),
    ...renderIccFile('/etc/NetworkManager/conf.d/clientid.conf', CLIENT_ID),
    ...(ntpServers.length === 0
      ? []
      : [{ path: '/etc/chrony.conf', append: [{ source: textUrl(`${servers}\n`) }], mode: PUBLIC_MODE }]),
    ...renderIccFile('/etc/NetworkManager/dispatcher.d/01-hostname', dispatcher, { mode: 0o744 }),
    ...renderIccFile('/etc/containers/registries.conf', registriesConf, { overwrite: true }),
    ...renderIccFile('/etc/issue.d/ipa.issue', readAsset('templates/agent/icc.issue')),
    ...renderIccFile('/etc/motd.d/ipa.motd', formatMotd(settings)),
  ];
}

/** Keeps the DHCPv6 address of the ramdisk in the installed system. */
const CLIENT_ID = '[connection]\nipv6.dhcp-duid=ll\nipv6.dhcp-iaid=mac';

function textUrl(text: string): string {
  return `data:text/plain,${encodeURIComponent(text)}`;
}

function formatMotd(settings: AgentSettings): string {
  const { agentImage, apiUrls, callbackUrls, hostname, keyfiles } = settings;
  const { givenUrls = { api: apiUrls.join(','), inspector: callbackUrls.join(',') } } = settings;
  const lines = [
    `   Ironic API:       ${givenUrls.api}`,
    `   IPA Image:        ${agentImage}`,
    ...(givenUrls.inspector === '' ? [] : [`   Inspector API:    ${givenUrls.inspector}`]),
    ...(hostname === undefined ? [] : [`   Hostname:         ${hostname}`]),
    ...(keyfiles.length === 0 ? [] : ['   Network Config:   Custom NMState configuration applied']),
  ];
  const configuration = lines.map((line) => `${line}\n`).join('');
  return fillTemplate(readAsset('templates/agent/icc.motd'), { configuration });
}

export function proxyHoles({ proxy }: AgentSettings): Record<'httpProxy' | 'httpsProxy' | 'noProxy', string> {
  const { http = '', https = '', noProxy } = proxy;
  return { httpProxy: http, httpsProxy: https, noProxy: noProxy.join(',') };
}

/** Mounted into the container of ICC. Newer releases read the pull secret only from this path. */
export const ICC_PULL_SECRET_PATH = '/run/secrets/pull-secret';

export const DEFAULT_HINT = 'use the default profile, which escapes it';

/** URLs of Ironic, completed with a port. Throws UsageError for the first URL that ICC does not support. */
export function parseIccApiUrls(text: string, source: UrlSource): readonly string[] {
  return splitUrls(text, source).map((url) => completeUrl(url, source, (path) => path));
}

/** URLs of ironic-inspector, completed with a port and the path for inspection data. Throws UsageError as well. */
export function parseIccInspectorUrls(text: string, source: UrlSource): readonly string[] {
  return splitUrls(text, source).map((url) =>
    completeUrl(url, source, (path) => inspectorPath(path, source)),
  );
}

/** Empty items do not count, as in ICC. */
function splitUrls(text: string, { flag }: UrlSource): string[] {
  const urls = text.split(',').filter((url) => url !== '');
  const blank = findBlankUrl(text);
  if (blank !== undefined) {
    throw new UsageError(`${flag}: ${blank.message}; ICC would ignore the URL`, {
      hint: 'remove the whitespace',
    });
  }
  if (urls.length === 0)
    throw new UsageError(`${flag} contains no URL`, { hint: 'use a URL such as https://192.0.2.1' });
  return urls;
}

/** Keeps user name, query and fragment, which the default profile refuses. */
function completeUrl(
  text: string,
  { flag, defaultPort }: UrlSource,
  complete: (path: string) => string,
): string {
  const [, head = '', user = '', place = '', rest = ''] =
    /^([^:/?#]*:\/\/)?([^/?#]*@)?([^?#]*)(.*)$/su.exec(text) ?? [];
  if (text === 'mdns') {
    throw new UsageError(`${flag}: ICC does not support mDNS, and would treat "mdns" as a host`, {
      hint: 'use the default profile, or a URL',
    });
  }
  const url = parseIronicUrl(`${head}${place}`);
  if ('message' in url) {
    throw new UsageError(`${flag}: ${url.message}; ICC would generate a URL that the agent cannot use`, {
      hint: url.hint,
    });
  }
  if (!isUriText(text)) {
    throw new UsageError(`${flag}: a URL contains a character that must be written as %XX`, {
      hint: 'write the character as %XX; otherwise ICC would ignore or change the URL',
    });
  }
  const { port = defaultPort } = url;
  const plain = formatIronicUrl({ ...url, port, path: complete(url.path) });
  return `${plain.replace('//', `//${user}`)}${rest.replace(/#$/, '')}`;
}

const INSPECTION_PATH = '/v1/continue';

function inspectorPath(path: string, { flag }: UrlSource): string {
  if (path.endsWith(INSPECTION_PATH)) return path;
  if (path.endsWith('/')) {
    throw new UsageError(`${flag}: ICC would append another slash to the trailing slash`, {
      hint: 'remove the trailing slash',
    });
  }
  if (path.endsWith('/v1/continue_inspection')) {
    throw new UsageError(
      `${flag}: ICC would append ${INSPECTION_PATH} to the path of Ironic's own inspection`,
      {
        hint: 'remove the URL: the agent derives it from the URL of Ironic',
      },
    );
  }
  return `${path}${INSPECTION_PATH}`;
}

/** A value in double quotes of a unit, which ICC neither quotes nor escapes. Throws FormatError without a subject. */
export function checkIccValue(text: string): string {
  const end = 'which ICC writes to the unit without escaping';
  return refuseCharacter(text, /["%$\\\p{Cc}]/u, end, DEFAULT_HINT);
}

/** Refuses a text that contains a special character; `end` is the end of the sentence. */
export function refuseCharacter(text: string, special: RegExp, end: string, hint: string): string {
  const found = special.exec(text)?.[0];
  if (found === undefined) return text;
  throw new FormatError(`contains ${quoteText(found)}, ${end}`, { hint });
}

/** An image, which ICC writes without quotes. */
export function checkIccImage(text: string): string {
  const hint = 'use an image such as registry.example.com/ironic-agent:latest';
  if (text === '') throw new FormatError('is empty', { hint });
  const end = 'so podman would parse it as several arguments';
  return checkIccValue(refuseCharacter(text, /[\s';]/u, end, hint));
}

/** A host name, which ICC also writes to a shell script. */
export function checkIccHostname(text: string, { warn }: Pick<ParseContext, 'warn'>): string {
  const hint = 'use a name such as worker-0.example.com';
  if (text === '') throw new FormatError('is empty', { hint });
  const end = 'which ICC writes to a unit and a script without escaping';
  refuseCharacter(text, /[^\p{L}\p{M}\p{N}._-]/u, end, hint);
  const problem = machineNameProblem(text);
  if (problem !== undefined)
    warn({ severity: 'warning', message: `is not a valid host name: ${problem}`, hint });
  return text;
}

/** Time servers, which ICC does not trim, so blanks and empty items are refused. */
export function parseIccNtpServers(text: string): string[] {
  const hint = 'separate servers with commas without spaces: ICC writes them to chrony.conf unchanged';
  return checkTimeServerNames(text.split(','), hint);
}

/** The servers unchanged. Throws FormatError without a subject if one is neither a name nor an address. */
export function checkTimeServerNames(servers: string[], hint: string): string[] {
  for (const server of servers) {
    const host = parseHost(server);
    if (host.kind !== 'invalid') continue;
    const problem = /^[^:]+:\d+$/.test(server) ? 'it contains a port' : host.problem;
    throw new FormatError(`contains ${quoteText(server)}, which is not a server: ${problem}`, { hint });
  }
  return servers;
}

/** The value of the agent's option for VLANs; ICC treats any other word as `auto`. */
export function iccVlanInterfaces(mode: string, { hasNetwork }: Pick<ParseContext, 'hasNetwork'>): string {
  const word = mode.toLowerCase();
  if (word === 'always') return 'all';
  return word === 'never' || hasNetwork ? '' : 'all';
}
