/** The checks of a host: of the servers in its config, and of the files that it boots from. */

import {
  type ServerAccess,
  agentContact,
  type Contact,
  type ImageContact,
  ignitionContact,
  imageContacts,
} from '../../agent/contacts.ts';
import { listTimeServers } from '../../agent/lint/addresses.ts';
import type { LintSubject } from '../../agent/lint/subject.ts';
import { parseIfJson, valueAt } from '../../formats/mapping.ts';
import { formatCount, formatSizeInWords } from '../../formats/messageText.ts';
import { failureOf, TransferError } from '../../http/client/httpErrors.ts';
import { shownUrl } from '../../http/client/httpUrl.ts';
import { limitTime } from '../../io/clock.ts';
import { askTimeServer } from '../../io/timeServer.ts';
import { proxyOf } from '../../network/noProxy.ts';
import { describeOffset } from '../../trial/bmc/checks.ts';
import { askFirst, failed, type CheckOutcome, type Probe } from './probe.ts';
import { readArchitectures } from './registry.ts';
import { type Limits, request } from './request.ts';

/** A file that a machine, its BMC or Ironic fetches. */
export interface FetchedFile {
  /** A noun: `kernel`. */
  readonly use: string;
  readonly url: URL;
  /** In bytes, if it is known. */
  readonly size?: number;
}

/** Boot loaders, BMCs and Ironic have CA certificates of their own: those of the host are the best guess. */
export function bootAccess(subject: LintSubject): ServerAccess {
  const { access } = ignitionContact(subject);
  const { cas } = agentContact(subject, 'api_url').access;
  return { ...access, cas: [...access.cas, ...cas], variables: new Map() };
}

/** @param architecture undefined if it is not known */
export function* listProbes(
  subject: LintSubject,
  files: readonly FetchedFile[],
  architecture: string | undefined,
): Generator<Probe> {
  const access = bootAccess(subject);
  for (const file of files) yield fileProbe('boot-file', file, access);
  const ignition = ignitionContact(subject);
  for (const url of ignition.urls) {
    if (url.protocol !== 'tftp:') yield fileProbe('ignition', { use: 'file', url }, ignition.access);
  }
  for (const { host, port } of listTimeServers(subject)) {
    yield { check: 'time', key: [host, port], subject: host, run: (limits) => checkTime(host, port, limits) };
  }
  for (const contact of imageContacts(subject)) {
    const run = (limits: Limits) => checkImage(contact, architecture, limits);
    yield { check: 'registry', key: [architecture, contact], subject: contact.image, run };
  }
  yield* agentProbe('ironic', agentContact(subject, 'api_url'), askIronic);
  yield* agentProbe('inspection', agentContact(subject, 'inspection_callback_url'), askInspection);
}

/** What is special in the way to a server. */
function describeWay(url: URL, { isVerified, reader, variables }: ServerAccess): string {
  const proxy = proxyOf(url, variables, reader);
  const through = proxy === undefined ? '' : `, through the proxy ${shownUrl(proxy)}`;
  return `${url.protocol === 'https:' && !isVerified ? ', with a certificate that is not verified' : ''}${through}`;
}

function* agentProbe(
  check: 'inspection' | 'ironic',
  contact: Contact,
  ask: (url: URL, access: ServerAccess, limits: Limits) => Promise<readonly CheckOutcome[]>,
): Generator<Probe> {
  const { access, urls } = contact;
  if (urls.length === 0) return;
  const run = (limits: Limits) => askFirst(check, urls, (url) => ask(url, access, limits));
  yield { check, key: contact, subject: urls.map(shownUrl).join(', '), run };
}

/** Bytes; more than any description of the API. */
const MAX_DESCRIPTION = 64 * 1024;

/** The first request of the agent (`_get_ironic_api_version_header` in ironic_api_client.py), which needs no login. */
async function askIronic(base: URL, access: ServerAccess, limits: Limits): Promise<readonly CheckOutcome[]> {
  const url = new URL(`${base.href.replace(/\/+$/, '')}/`);
  const { body, headers, status } = await request(url, access, limits, {}, MAX_DESCRIPTION);
  const version = valueAt(parseIfJson(body.toString('utf8')), ['default_version', 'version']);
  if (status !== 200 || typeof version !== 'string' || !/^[\d.]{1,16}$/.test(version)) {
    throw new TransferError(`${shownUrl(url)}: no API of Ironic; the server returned HTTP status ${status}`, {
      hint: 'fix ironic.apiUrls: the URL of the API without /v1',
    });
  }
  const text = `${shownUrl(url)}: Ironic API ${version}${describeWay(url, access)}`;
  const date = Date.parse(headers['date'] ?? '');
  const clock = Number.isNaN(date) ? [] : [checkClock('Ironic', date - Date.now())];
  return [{ check: 'ironic', status: 'ok', text }, ...clock];
}

/** @param offset milliseconds that the server is ahead */
function checkClock(server: string, offset: number): CheckOutcome {
  const { direction, isLarge, shown } = describeOffset(offset);
  const check = 'clock';
  if (!isLarge) return { check, status: 'ok', text: `${server} and this machine differ by ${shown}` };
  const text = `the clock of ${server} is ${shown} ${direction}, compared with this machine: certificates may be invalid`;
  return { check, status: 'warning', text, hint: 'set the clocks of both machines by NTP' };
}

/** Ironic accepts only POST there, which would change it: GET has the status 405. */
async function askInspection(
  url: URL,
  access: ServerAccess,
  limits: Limits,
): Promise<readonly CheckOutcome[]> {
  const { status } = await request(url, access, limits, {}, 0);
  if (status < 400 || status === 405)
    return [
      { check: 'inspection', status: 'ok', text: `${shownUrl(url)} answers${describeWay(url, access)}` },
    ];
  throw new TransferError(`${shownUrl(url)}: the server returned HTTP status ${status}`, {
    hint: 'fix ironic.inspectionCallbackUrls: https://HOST:6385/v1/continue_inspection',
  });
}

async function checkImage(
  { image, sources }: ImageContact,
  architecture: string | undefined,
  limits: Limits,
): Promise<readonly CheckOutcome[]> {
  const check = 'registry';
  if (sources.length === 0) return [{ check, status: 'skipped', text: `${image} has no registry` }];
  return askFirst(check, sources, async (source) => {
    const found = await readArchitectures(source, limits);
    const text = `${source.reference}: the image is for ${found.slice(0, MAX_NAMES).join(', ')}`;
    if (architecture === undefined || found.includes(architecture)) return [{ check, status: 'ok', text }];
    throw new TransferError(`${text}, but the host is ${architecture}`, {
      hint: `push an image for ${architecture}, or fix architecture of the host in the inventory`,
    });
  });
}

const MAX_NAMES = 8;

/** Bytes. Kernels, initramfs, root filesystems and ISOs are larger: less is an error page, or another file. */
const LEAST_IMAGE = 1024 ** 2;

/** Reads one byte and the size. What boot files are fetched by may trust other CAs than this machine. */
function fileProbe(check: 'boot-file' | 'ignition', file: FetchedFile, access: ServerAccess): Probe {
  const { size, url, use } = file;
  const name = shownUrl(url);
  const run = async (limits: Limits): Promise<readonly CheckOutcome[]> => {
    try {
      const { headers, status } = await request(url, access, limits, { range: 'bytes=0-0' }, 0);
      const ranged = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
      const actual = Number(ranged ?? (status === 200 ? headers['content-length'] : undefined));
      const shown = Number.isNaN(actual) ? 'size unknown' : formatSizeInWords(actual);
      const problems = [
        status >= 400 && status !== 416 && `the server returned HTTP status ${status}`,
        /^text\/html\b/.test(headers['content-type'] ?? '') && 'it is a web page',
        size === undefined && actual < (/config|file/.test(use) ? 1 : LEAST_IMAGE) && `${shown} is too small`,
        size !== undefined && actual !== size && `${actual} bytes, but ${size} in the manifest`,
      ];
      const problem = problems.find((one) => one !== false);
      if (problem === undefined)
        return [{ check, status: 'ok', text: `${use} ${name}: ${shown}${describeWay(url, access)}` }];
      const hint = 'publish the file again, or fix its URL; the web server needs read access to it';
      throw new TransferError(`${name}: ${problem}`, { hint });
    } catch (error) {
      const isTrust = error instanceof TransferError && error.code === 'ERR_TLS' && check === 'boot-file';
      const outcome = failed(check, error);
      return [{ ...outcome, text: `${use} ${outcome.text}`, ...(isTrust && { status: 'warning' }) }];
    }
  };
  return { check, key: [file, access], subject: name, run };
}

async function checkTime(
  host: string,
  port: number,
  { signal, time }: Limits,
): Promise<readonly CheckOutcome[]> {
  const name = `NTP server ${host}`;
  const limit = limitTime(time, { signal });
  const answer = await askTimeServer({ host, port }, limit.signal)
    .catch((error: unknown) => ({ problem: failureOf(error)?.problem ?? 'the request failed' }))
    .finally(limit.release);
  if (answer !== undefined && 'offset' in answer)
    return [{ check: 'time', status: 'ok', text: `${name} answers` }, checkClock(name, answer.offset)];
  const seconds = formatCount(Math.round(time / 1000), 'second');
  throw new TransferError(`${name}: ${answer?.problem ?? `no response within ${seconds}`}`, {
    hint: 'start the server, or fix host.ntpServers; allow UDP port 123 in firewalls',
  });
}
