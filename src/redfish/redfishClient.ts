/**
 * A Redfish client for one BMC: sessions or basic authentication, retries, entity tags and tasks. Bodies and times are limited,
 * and credentials are sent to the origin of the BMC only.
 */

import { connect } from '../http/client/connect.ts';
import type { HttpConnection, RawResponse } from '../http/client/connection.ts';
import { readAll } from '../io/files/files.ts';
import { type Clock, limitTime, pause, systemClock } from '../io/clock.ts';
import { secondsOf, TransferError } from '../http/client/httpErrors.ts';
import { repeat } from '../http/client/retries.ts';
import { shorten } from '../core/foreignText.ts';
import { createMasker, type Masker, secretsInUrls } from '../core/knownSecrets.ts';
import { isMapping, type Mapping, parseIfJson } from '../formats/mapping.ts';
import { explainRefusal, isPassing, readMessages } from './messages.ts';
import { readServiceRoot, readTaskState, type RedfishResource } from './resources.ts';
import { canceledError, connectionError, invalidAnswer, RedfishError, timeoutError } from './redfishError.ts';

export interface RedfishCredentials {
  readonly username: string;
  readonly password: string;
}

export interface RedfishSettings {
  /** `https://192.0.2.10` */
  readonly origin: string;
  /** CA certificates in PEM; undefined for those of Node.js. */
  readonly ca: string | undefined;
  readonly isInsecure: boolean;
  readonly credentials: RedfishCredentials;
  readonly timing?: RedfishTiming;
  readonly clock?: Clock;
  /** Aborts all requests except for the logout. */
  readonly signal?: AbortSignal | undefined;
  /** The time of the clock at which all requests end except for the logout. */
  readonly deadline?: number | undefined;
  /** Receives a line for each request. */
  readonly note?: ((text: string) => void) | undefined;
}

type RedfishTiming = Readonly<typeof defaultTiming>;

/** Milliseconds. */
export const defaultTiming = {
  connect: 10_000,
  /**
   * For a whole response, as in OpenStack sushy (connector.py, default_request_timeout). iLO needs up to 30 seconds while
   * it inventories the machine.
   */
  answer: 60_000,
  task: 300_000,
  logout: 10_000,
  /** Between two attempts, and two reads of a task. */
  interval: 2000,
};

export type RedfishClient = Awaited<ReturnType<typeof openRedfish>>;

const ROOT = '/redfish/v1/';
/** A collection with all members expanded has some hundred KiB. */
const MAX_BODY = 4 * 1024 * 1024;
const MAX_ATTEMPTS = 4;
/** Milliseconds; for a longer `Retry-After` the request fails instead. */
const LONGEST_WAIT = 60_000;
const MAX_REDIRECTS = 2;
/** Characters. Names and lists of a BMC are shorter. */
const LONGEST_TEXT = 1000;

const commonHeaders = {
  accept: 'application/json',
  // With another encoding some BMCs send only weak entity tags (OpenStack sushy, connector.py).
  'accept-encoding': 'identity',
  'odata-version': '4.0',
  'user-agent': 'ironic-coreos',
};

/**
 * Reads the service root and logs in. All methods throw CliError; `action` is a gerund for its message: `reading the power state`;
 * `longest` is the milliseconds for the response, and again for the task, in place of those of the timing.
 */
export async function openRedfish(settings: RedfishSettings) {
  const { origin } = settings;
  const requests = new RedfishRequests(settings);
  try {
    const reading = 'reading the service root';
    const answer = await requests.send({ method: 'GET', path: ROOT, action: reading });
    const root = { ...readServiceRoot(answer), path: ROOT };
    if (root.systems === undefined)
      throw invalidAnswer(`${origin}: ${reading}`, 'it is not a Redfish service');
    await requests.login(root.sessions);
    return {
      origin,
      root,
      /** Milliseconds that the clock of the BMC is ahead; undefined if it sends no date. */
      clockOffset: answer.clockOffset,
      get: async (path: string, action: string): Promise<RedfishResource> =>
        requests.send({ method: 'GET', path, action }),
      change: async (change: BmcChange, action: string, longest?: number): Promise<void> =>
        requests.change({ ...change, action, longest }),
      /** A text of the BMC as it may be shown: without the secrets that the client has sent or received, and not too long. */
      show: (text: string): string => requests.show(text),
      /** Deletes the session. Takes no longer than `logout` of the timing, and never rejects. */
      close: async (): Promise<void> => requests.close(),
    };
  } catch (error) {
    await requests.close();
    throw error;
  }
}

export interface BmcChange {
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body: Mapping;
}

interface RedfishRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly action: string;
  readonly body?: Mapping;
  readonly headers?: Readonly<Record<string, string>>;
  readonly longest?: number | undefined;
}

/** What ends a request. */
interface Bounds {
  readonly signal: AbortSignal;
  /** A time of the clock. */
  readonly deadline: number;
}

const unbounded: Bounds = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

interface Answer extends RedfishResource {
  readonly status: number;
  readonly headers: RawResponse['headers'];
  /** Undefined if the BMC sends none. */
  readonly entityTag: string | undefined;
  readonly clockOffset: number | undefined;
}

class RedfishRequests {
  readonly #settings: RedfishSettings;
  readonly #clock: Clock;
  readonly #timing: RedfishTiming;
  readonly #bounds: Bounds;
  readonly #connection: HttpConnection;
  #authorization: Readonly<Record<string, string>> = {};
  /** The path for new sessions; undefined for basic authentication. */
  #sessions: string | undefined;
  #session: string | undefined;
  /** Texts that no message may contain. */
  readonly #secrets: Set<string>;
  #mask: Masker;

  constructor(settings: RedfishSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    this.#timing = settings.timing ?? defaultTiming;
    const { ca, isInsecure } = settings;
    const tls = { rejectUnauthorized: !isInsecure, ...(ca !== undefined && { ca }) };
    this.#connection = connect({ connectTime: this.#timing.connect, tls });
    const { deadline = unbounded.deadline, signal = unbounded.signal } = settings;
    this.#bounds = { signal, deadline };
    const { password, username } = settings.credentials;
    this.#secrets = new Set([password, `${username}:${password}`]);
    this.#mask = createMasker(this.#secrets);
  }

  /** Opens a session. BMCs without sessions, or with too many of them, get the credentials with each request. */
  async login(sessions: string | undefined): Promise<void> {
    const { username: UserName, password: Password } = this.#settings.credentials;
    this.#authorization = {
      authorization: `Basic ${Buffer.from(`${UserName}:${Password}`).toString('base64')}`,
    };
    this.#sessions = sessions;
    if (sessions === undefined) return;
    const action = 'logging in';
    try {
      const body = { UserName, Password };
      const { headers, path } = await this.#request({ method: 'POST', path: sessions, body, action });
      const token = headers['x-auth-token'];
      if (typeof token !== 'string') return;
      this.#authorization = { 'x-auth-token': token };
      this.#keepSecrets([token]);
      const session = this.#urlOf(headers['location'], path);
      this.#session = session && pathOf(session);
    } catch (error) {
      const { status, messages = [] } = error instanceof RedfishError ? error : { status: undefined };
      const isFull = messages.some(({ id }) => id === 'SessionLimitExceeded');
      if (!isFull && status !== 404 && status !== 405 && status !== 501) throw error;
      this.#sessions = undefined;
    }
  }

  async send(request: RedfishRequest): Promise<Answer> {
    const { deadline, signal } = this.#bounds;
    const pauseAfter = (error: unknown, failures: number): number | undefined => {
      if (!(error instanceof TransferError) || failures === MAX_ATTEMPTS) return undefined;
      const wait = Math.max(error.wait, this.#timing.interval * failures);
      const isLate = wait > LONGEST_WAIT || this.#clock.now() + wait >= deadline;
      return isLate || !mayRepeat(request, error) ? undefined : wait;
    };
    return repeat({ clock: this.#clock, pauseAfter, signal }, async () => this.#authorize(request));
  }

  async #authorize(request: RedfishRequest): Promise<Answer> {
    const send = async (): Promise<Answer> =>
      this.#request({ ...request, headers: { ...this.#authorization, ...request.headers } });
    try {
      return await send();
    } catch (error) {
      const isExpired = error instanceof TransferError && error.status === 401;
      if (!isExpired || this.#session === undefined) throw error;
      this.#session = undefined;
      await this.login(this.#sessions);
      return send();
    }
  }

  async #act(request: RedfishRequest): Promise<void> {
    const answer = await this.send(request);
    if (answer.status !== 202) return;
    const location = this.#urlOf(answer.headers['location'], '');
    const monitor = location === undefined ? taskPath(answer) : pathOf(location);
    if (monitor === undefined) return;
    const { action, longest = this.#timing.task } = request;
    const end = this.#clock.now() + longest;
    while (this.#clock.now() < end) {
      await pause(this.#clock, this.#timing.interval, this.#bounds.signal);
      const task = await this.send({ method: 'GET', path: monitor, action });
      const state = readTaskState(task);
      if (state === 'failed') throw this.#refused(200, task, action);
      if (task.status !== 202 && state !== 'running') return;
    }
    throw invalidAnswer(this.#nameOf(action), 'its task does not end');
  }

  /**
   * Sends the entity tag that the resource has now. BMCs differ in the tags that they accept (OpenStack sushy, connector.py): after
   * status 412, a weak tag is sent as a strong one, and then none.
   */
  async change(request: RedfishRequest): Promise<void> {
    if (request.method === 'POST') return this.#act(request);
    const { action, path } = request;
    const { entityTag: tag = '' } = await this.send({ method: 'GET', path, action });
    const tags = new Set([tag, tag.replace(/^W\//, ''), '']);
    for (const one of tags) {
      try {
        return await this.#act({ ...request, headers: one === '' ? {} : { 'if-match': one } });
      } catch (error) {
        if (!(error instanceof RedfishError) || error.status !== 412 || one === '') throw error;
      }
    }
  }

  async close(): Promise<void> {
    if (this.#session !== undefined) {
      const [path, headers, longest] = [this.#session, this.#authorization, this.#timing.logout];
      const request = { method: 'DELETE', path, headers, action: 'logging out', longest } as const;
      await this.#request(request, unbounded).catch(() => undefined);
    }
    await this.#connection.close();
  }

  async #request(request: RedfishRequest, bounds = this.#bounds, redirects = 0): Promise<Answer> {
    const { action, body: sent, headers: own, longest = this.#timing.answer, method, path } = request;
    const { deadline, signal } = bounds;
    const { origin } = this.#settings;
    const name = this.#nameOf(action);
    const started = this.#clock.now();
    const time = Math.min(longest, deadline - started);
    if (time <= 0) throw timeoutError(name, 0);
    const limit = limitTime(time, { signal });
    this.#keepSecrets(secretsInUrls(sent));
    try {
      const response = await this.#connection.request(new URL(`${origin}${path}`), {
        method,
        headers: { ...commonHeaders, ...(sent && { 'content-type': 'application/json' }), ...own },
        body: sent && JSON.stringify(sent),
        signal: limit.signal,
      });
      const { headers, statusCode: status } = response;
      this.#settings.note?.(`${method} ${origin}${this.#mask(path)}: ${status}`);
      if (status >= 300 && status < 400) {
        response.body.dismiss();
        const next = this.#urlOf(headers['location'], path);
        const isLocal = next?.origin === new URL(origin).origin;
        // iLO 5 before 1.40 redirects to the same path with a final slash.
        if (!isLocal || method !== 'GET' || redirects === MAX_REDIRECTS) {
          throw new RedfishError(`${name} failed: the BMC redirects to another address`, {
            hint: 'use the address that the BMC redirects to, with its scheme: https or http',
          });
        }
        return await this.#request({ ...request, path: pathOf(next) }, bounds, redirects + 1);
      }
      const body = await this.#readBody(response, name);
      const entityTag = [headers['etag'], body['@odata.etag']].find((one) => typeof one === 'string');
      const offset = clockOffset(headers['date'], this.#clock);
      const answer = { path, status, headers, body, entityTag, clockOffset: offset };
      if (status < 300) return answer;
      throw this.#refused(status, answer, action);
    } catch (error) {
      if (signal.aborted) throw canceledError(name, this.#clock.now() - started);
      if (limit.signal.aborted) throw timeoutError(name, time);
      throw connectionError(error, name);
    } finally {
      limit.release();
    }
  }

  /** Only successful reads must contain JSON: BMCs answer actions with anything. */
  async #readBody({ body, statusCode }: RawResponse, name: string): Promise<Mapping> {
    const bytes = await readAll(body, MAX_BODY, () =>
      invalidAnswer(name, 'the response is larger than 4 MiB'),
    );
    const value = parseIfJson(Buffer.from(bytes).toString('utf8'));
    if (isMapping(value)) return value;
    if (statusCode !== 200 || bytes.length === 0) return {};
    throw invalidAnswer(name, 'the response is not JSON');
  }

  #refused(status: number, { body, headers }: Answer, action: string): RedfishError {
    const messages = readMessages(body, (text) => this.#mask(text).replaceAll(FOREIGN_URL, 'http(s)://$2/…'));
    const wait = secondsOf(headers['retry-after']) * 1000;
    const { hint, problem } = explainRefusal(status, messages);
    const details = { hint, isPassing: isPassing(status, messages), status, wait, messages };
    return new RedfishError(`${this.#nameOf(action)} failed: ${problem}`, details);
  }

  /** The subject of a sentence. Paths in an action are those of the BMC. */
  #nameOf(action: string): string {
    return `${this.#settings.origin}: ${this.#mask(action)}`;
  }

  #keepSecrets(secrets: readonly string[]): void {
    if (secrets.length === 0) return;
    for (const secret of secrets) this.#secrets.add(secret);
    this.#mask = createMasker(this.#secrets);
  }

  show(text: string): string {
    return shorten(this.#mask(text), LONGEST_TEXT);
  }

  /** Behind port forwarding, BMCs send URLs with their own address. Their paths are requested from this origin. */
  #urlOf(location: unknown, base: string): URL | undefined {
    const start = `${this.#settings.origin}${base}`;
    return typeof location === 'string' && URL.canParse(location, start)
      ? new URL(location, start)
      : undefined;
  }
}

function pathOf({ pathname, search }: URL): string {
  return `${pathname}${search}`;
}

/** With user and password, host, and the rest: BMCs quote the URL of an image, whose path contains its token. */
const FOREIGN_URL = /\bhttps?:\/\/([^\s/'"]{0,500}@)?([^\s/'"@]{1,255})[^\s'"]*/g;

/** Only reading is repeated after the BMC may have processed the request. */
function mayRepeat({ method }: RedfishRequest, error: TransferError): boolean {
  const { status } = error;
  if (method !== 'GET') return error.isPassing && status !== undefined;
  return error.isPassing || status === 500 || status === 502 || status === 504;
}

function taskPath({ body }: Answer): string | undefined {
  const path = body['@odata.id'];
  return typeof path === 'string' && readTaskState({ path, body }) !== undefined ? path : undefined;
}

function clockOffset(date: unknown, clock: Clock): number | undefined {
  const time = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? undefined : time - clock.date().getTime();
}
