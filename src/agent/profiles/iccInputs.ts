/**
 * Inputs as ICC reads them. It checks next to nothing, so whatever it would make something broken of is refused here,
 * with what would become of it; all else comes out as there, odd or not.
 */

import { FormatError, UsageError } from '../../core/errors.ts';
import { parseHost } from '../../formats/hostName.ts';
import { splitAuthorizedKeys } from '../../formats/sshKey.ts';
import { findBlankUrl, formatIronicUrl, parseIronicUrl, type UrlSource } from '../ironicUrl.ts';
import { parsePullSecret } from '../pullSecret.ts';

/** Mounted into the container of ICC. Newer releases read the pull secret from nowhere else. */
export const iccPullSecretPath = '/run/secrets/pull-secret';

const defaultHint = 'use the default profile, which writes it correctly';

/** URLs of Ironic, completed with a port. Throws UsageError for the first that ICC does not understand. */
export function parseIccApiUrls(text: string, source: UrlSource): readonly string[] {
  return splitUrls(text, source).map((url) => completeUrl(url, source, (path) => path));
}

/** URLs of ironic-inspector, completed with a port and the path for inspection data. Throws UsageError as well. */
export function parseIccInspectorUrls(text: string, source: UrlSource): readonly string[] {
  return splitUrls(text, source).map((url) =>
    completeUrl(url, source, (path) => inspectorPath(path, source)),
  );
}

/** Empty items do not count, as there. */
function splitUrls(text: string, { flag }: UrlSource): string[] {
  const urls = text.split(',').filter((url) => url !== '');
  const blank = findBlankUrl(urls);
  if (blank !== undefined) {
    throw new UsageError(`${flag}: ${blank.message}; ICC would leave the URL out`, {
      hint: 'remove the blank',
    });
  }
  if (urls.length === 0)
    throw new UsageError(`${flag} names no URL`, { hint: 'for example https://192.0.2.1' });
  return urls;
}

const uri = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** User name, query and fragment are kept, which our own profile refuses. */
function completeUrl(
  text: string,
  { flag, defaultPort }: UrlSource,
  complete: (path: string) => string,
): string {
  const [, head = '', user = '', place = '', rest = ''] =
    /^([^:/?#]*:\/\/)?([^/?#]*@)?([^?#]*)(.*)$/su.exec(text) ?? [];
  if (text === 'mdns') {
    throw new UsageError(`${flag}: ICC does not know mDNS, and would make an address of "mdns"`, {
      hint: 'use the default profile, or give a URL',
    });
  }
  const url = parseIronicUrl(`${head}${place}`);
  if ('message' in url) {
    throw new UsageError(
      `${flag}: ${url.message}; ICC would make an address of it that the agent cannot use`,
      {
        hint: url.hint,
      },
    );
  }
  if (!uri.test(text)) {
    throw new UsageError(`${flag}: a URL has a character that has to be written as %XX`, {
      hint: 'ICC would leave the URL out, or write another one',
    });
  }
  const { port = defaultPort } = url;
  const plain = formatIronicUrl({
    ...url,
    ...(port === undefined ? {} : { port }),
    path: complete(url.path),
  });
  return `${plain.replace('//', `//${user}`)}${rest.replace(/#$/, '')}`;
}

const inspectionPath = '/v1/continue';

function inspectorPath(path: string, { flag }: UrlSource): string {
  if (path.endsWith(inspectionPath)) return path;
  if (path.endsWith('/')) {
    throw new UsageError(`${flag}: after the final slash ICC would write another one`, { hint: 'remove it' });
  }
  if (path.endsWith('/v1/continue_inspection')) {
    throw new UsageError(
      `${flag}: ICC would append ${inspectionPath} to the path of Ironic's own inspection`,
      {
        hint: 'leave the address out: the agent derives it from that of Ironic',
      },
    );
  }
  return `${path}${inspectionPath}`;
}

/** A value in double quotes of a unit, which ICC neither quotes nor escapes. Throws FormatError without a subject. */
export function checkIccValue(text: string): string {
  const special = /["%$\\\p{Cc}]/u.exec(text)?.[0];
  if (special === undefined) return text;
  throw new FormatError(`has a ${JSON.stringify(special)} in it, which ICC writes into the unit as it is`, {
    hint: `systemd would read another value; ${defaultHint}`,
  });
}

/** An image, which ICC writes without quotes. */
export function checkIccImage(text: string): string {
  const blank = /[\s';]/u.exec(text)?.[0];
  if (text !== '' && blank === undefined) return checkIccValue(text);
  throw new FormatError(
    blank === undefined
      ? 'is empty'
      : `has a ${JSON.stringify(blank)} in it, so podman would get more than one argument`,
    { hint: 'an image is written like quay.io/metal3-io/ironic-agent:latest' },
  );
}

/** A host name, which ICC also writes into a shell script. */
export function checkIccHostname(text: string): string {
  const special = /[^\p{L}\p{M}\p{N}._-]/u.exec(text)?.[0];
  if (text !== '' && special === undefined) return text;
  throw new FormatError(
    special === undefined
      ? 'is empty'
      : `has a ${JSON.stringify(special)} in it, which ICC writes into a unit and a script as it is`,
    { hint: 'a name is written like worker-0.example.com' },
  );
}

/** Direct hosts, not trimmed. */
export function parseIccNoProxy(text: string): string[] {
  return checkIccValue(text).split(',');
}

/** Time servers, not trimmed by ICC, which is why blanks and empty items are refused. */
export function parseIccNtpServers(text: string): string[] {
  const servers = text.split(',');
  for (const server of servers) {
    const host = parseHost(server);
    if (host.kind !== 'invalid') continue;
    throw new FormatError(
      `holds ${JSON.stringify(server.slice(0, 300))}, which is no server: ${host.problem}`,
      {
        hint: 'ICC writes it into chrony.conf as it is; separate servers by commas without blanks',
      },
    );
  }
  return servers;
}

/** Credentials as JSON text, from the one form that can be copied into a data URL: base64 on one line. */
export function parseEncodedPullSecret(text: string): string {
  const base64 = text.trim();
  const json = parsePullSecret(base64);
  if (Buffer.from(json).toString('base64') === base64) return json;
  throw new FormatError('is not in base64 on one line; Ignition could not decode what becomes of it', {
    hint: 'encode it with: base64 -w 0',
  });
}

/** One key, where several lines would become one entry. */
export function parseSingleSshKey(text: string): string[] {
  const keys = splitAuthorizedKeys(text);
  if (keys.length === 0 || text.trim() === keys[0]) return keys;
  throw new FormatError('holds more than one SSH key, and all of it would become one entry', {
    hint: 'give one, or use the default profile, which takes several',
  });
}

/** What the agent's option for VLANs is set to; any other word is `auto` to ICC. */
export function iccVlanInterfaces(mode: string, hasNetwork: boolean): string {
  const word = mode.toLowerCase();
  if (word === 'always') return 'all';
  return word === 'never' || hasNetwork ? '' : 'all';
}
