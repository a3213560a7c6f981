/** The checks of a host: of the servers in its config, and of the files that it boots from. */

import {
  type ServerAccess,
  agentContact,
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

/** Fails: the folder of --base-url has no files of the host. */
export function unprepared(host: string): Probe {
  const run = async (): Promise<never> => {
    throw new TransferError(`the manifest of --base-url does not contain ${host}`, {
      hint: 'run prepare again, and publish all of its files',
    });
  };
  return { check: 'boot-file', key: host, subject: host, run };
}

/** @param architecture undefined if it is not known */
export function* listProbes(
  subject: LintSubject,
  files: readonly FetchedFile[],
  architecture: string | undefined,
): Generator<Probe> {
  const access = bootAccess(subject);
  for (const file of files) {
    const run = (limits: Limits) => checkFile(file, access, 'warning', limits);
    yield { check: 'boot-file', key: [file, access], subject: shownUrl(file.url), run };
  }
  const ignition = ignitionContact(subject);
  for (const url of ignition.urls.filter(({ protocol }) => protocol !== 'tftp:')) {
    const run = (limits: Limits) => checkFile({ use: 'file', url }, ignition.access, 'error', limits);
    yield { check: 'ignition', key: [url, ignition.access], subject: shownUrl(url), run };
  }
  for (const { host, port } of listTimeServers(subject)) {
    yield { check: 'time', key: [host, port], subject: host, run: (limits) => checkTime(host, port, limits) };
  }
  for (const contact of imageContacts(subject)) {
    const run = (limits: Limits) => checkImage(contact, architecture, limits);
    yield { check: 'registry', key: [architecture, contact], subject: contact.image, run };
  }
  for (const [check, option, ask] of [
    ['ironic', 'api_url', askIronic],
    ['inspection', 'inspection_callback_url', askInspection],
  ] as const) {
    const contact = agentContact(subject, option);
    if (contact.urls.length === 0) continue;
    const run = (limits: Limits) => askFirst(contact.urls, (url) => ask(url, contact.access, limits));
    yield { check, key: contact, subject: contact.urls.map(shownUrl).join(', '), run };
  }
}

/** The text also says what is special in the way to the server. */
function passed(text: string, url: URL, { isVerified, reader, variables }: ServerAccess): CheckOutcome {
  const proxy = proxyOf(url, variables, reader);
  const through = proxy === undefined ? '' : `, through the proxy ${shownUrl(proxy)}`;
  const unverified =
    url.protocol === 'https:' && !isVerified ? ', with a certificate that is not verified' : '';
  return { status: 'ok', text: `${text}${unverified}${through}` };
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
  const date = Date.parse(headers['date'] ?? '');
  const clock = Number.isNaN(date) ? [] : [checkClock('Ironic', date - Date.now())];
  return [passed(`${shownUrl(url)}: Ironic API ${version}`, url, access), ...clock];
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
async function askInspection(url: URL, access: ServerAccess, limits: Limits) {
  const { status } = await request(url, access, limits, {}, 0);
  if (status < 400 || status === 405) return [passed(`${shownUrl(url)} answers`, url, access)];
  throw new TransferError(`${shownUrl(url)}: the server returned HTTP status ${status}`, {
    hint: 'fix ironic.inspectionCallbackUrls: https://HOST:6385/v1/continue_inspection',
  });
}

async function checkImage(
  { image, sources }: ImageContact,
  architecture: string | undefined,
  limits: Limits,
): Promise<readonly CheckOutcome[]> {
  if (sources.length === 0) return [{ status: 'skipped', text: `${image} has no registry` }];
  return askFirst(sources, async (source) => {
    const found = await readArchitectures(source, limits);
    const text = `${source.reference}: the image is for ${found.slice(0, MAX_NAMES).join(', ')}`;
    if (architecture === undefined || found.includes(architecture)) return [{ status: 'ok', text }];
    throw new TransferError(`${text}, but the host is ${architecture}`, {
      hint: `push an image for ${architecture}, or fix architecture of the host in the inventory`,
    });
  });
}

const MAX_NAMES = 8;

/** Bytes. Kernels, initramfs, root filesystems and ISOs are larger: less is an error page, or another file. */
const LEAST_IMAGE = 1024 ** 2;

/**
 * Reads one byte and the size.
 * @param untrusted the status for a CA that the host does not trust: what fetches boot files has CAs of its own
 */
async function checkFile(
  { size, url, use }: FetchedFile,
  access: ServerAccess,
  untrusted: 'error' | 'warning',
  limits: Limits,
): Promise<readonly CheckOutcome[]> {
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
    if (problem === undefined) return [passed(`${use} ${shownUrl(url)}: ${shown}`, url, access)];
    throw new TransferError(`${shownUrl(url)}: ${problem}`, {
      hint: 'publish the file again, or fix its URL; the web server needs read access to it',
    });
  } catch (error) {
    const isTrust = error instanceof TransferError && error.code === 'ERR_TLS';
    const outcome = failed(error);
    return [{ ...outcome, text: `${use} ${outcome.text}`, status: isTrust ? untrusted : 'error' }];
  }
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
    return [{ status: 'ok', text: `${name} answers` }, checkClock(name, answer.offset)];
  const seconds = formatCount(Math.round(time / 1000), 'second');
  throw new TransferError(`${name}: ${answer?.problem ?? `no response within ${seconds}`}`, {
    hint: 'start the server, or fix host.ntpServers; allow UDP port 123 in firewalls',
  });
}
