/**
 * An incomplete download: `NAME.partial`, and `NAME.partial.json`, which identifies the download. A later run resumes it if
 * the server still has the same file, by ETag or date (RFC 9110, section 13.1.5). Nothing in it is trusted: the complete file
 * is verified. A download from the beginning creates a new file, so that two concurrent runs never mix different contents.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { CliError } from '../../core/errors.ts';
import { isMapping, parseIfJson } from '../../formats/mapping.ts';
import { fileError } from '../../io/files/fileErrors.ts';
import { writeAll } from '../../io/files/handles.ts';
import { makePrivate } from '../../io/files/newFile.ts';
import type { HttpAnswer, HttpClient } from '../../http/client/httpClient.ts';
import { TransferError } from '../../http/client/httpErrors.ts';
import { shownUrl } from '../../http/client/httpUrl.ts';
import { countRetries, type RetryPolicy } from '../../http/client/retries.ts';
import { stateOf, thisProcess } from '../../io/process.ts';

export interface OutputPath {
  /** Absolute, and without `.partial`. */
  readonly path: string;
  readonly shownPath: string;
}

interface PartialTransfer extends OutputPath {
  readonly url: URL;
  /** A download with another expected digest is not resumed. */
  readonly sha256: string | undefined;
}

export interface TransferContext {
  readonly client: HttpClient;
  readonly policy: RetryPolicy;
  /** Receives the number of downloaded bytes, and the size of the file if the server sends it. */
  readonly progress: (done: number, total: number | undefined) => void;
}

interface PartState {
  /** ETag or date; undefined if the server sends none, so that the download cannot be resumed. */
  readonly validator: string | undefined;
  readonly total: number | undefined;
}

/**
 * Fetches the file, or the rest of it: it is then complete according to the server, but not verified.
 * @returns its path, and whether a part of it is from an earlier run or attempt: then a new download may fix an invalid file
 * @throws CliError; the partial file remains for the next run
 */
export async function fetchPartial(transfer: PartialTransfer, context: TransferContext) {
  const part = await claimPart(transfer);
  const isOld = part.size > 0;
  try {
    const retry = countRetries(context.policy, () => part.size);
    await retry(() => fetchRest(part, transfer, context));
  } catch (error) {
    if (part.size === 0) await discardPartial(transfer.path);
    throw error;
  }
  return { path: part.path, isResumed: isOld || part.isJoined };
}

/** Removes both files after a failed verification. */
export async function discardPartial(path: string): Promise<void> {
  await unlink(`${path}.partial`).catch(() => undefined);
  await forgetPartial(path);
}

/** Removes the description of the partial file, after that file got its final name. */
export async function forgetPartial(path: string): Promise<void> {
  await unlink(`${path}.partial.json`).catch(() => undefined);
}

interface Part {
  readonly path: string;
  readonly id: string;
  state: PartState | undefined;
  size: number;
  /** Whether this run has added to an existing file. */
  isJoined: boolean;
}

async function claimPart({ path, url, sha256, shownPath }: PartialTransfer): Promise<Part> {
  const id = createHash('sha256')
    .update(`${url.href}\n${sha256 ?? ''}`)
    .digest('hex');
  const partialPath = `${path}.partial`;
  // The file may be missing or incomplete.
  const value = parseIfJson(await readFile(`${partialPath}.json`, 'utf8').catch(() => ''));
  const saved = isSavedState(value) ? value : undefined;
  if (saved !== undefined && stateOf(saved.owner) === 'running') {
    const [pid] = saved.owner.split('-');
    throw new CliError(`Another process is downloading ${shownPath}: process ${pid}`, {
      code: 'ERR_BUSY',
      hint: `wait until it ends, or remove ${shownPath}.partial.json if it is not running`,
    });
  }
  const stats = await stat(partialPath).catch(() => undefined);
  const isSame = saved?.id === id && stats?.isFile() === true;
  const part: Part = {
    path: partialPath,
    id,
    state: isSame ? saved : undefined,
    size: isSame ? stats.size : 0,
    isJoined: false,
  };
  try {
    await writeState(part);
  } catch (error) {
    const shown = `${shownPath}.partial.json`;
    throw fileError(error, { path: shown, what: 'Download', action: 'create', place: partialPath });
  }
  return part;
}

interface SavedState extends PartState {
  /** Identifies the download without storing the URL. */
  readonly id: string;
  /** The process that downloads the file, as {@link thisProcess} returns it. */
  readonly owner: string;
}

/** With an owner it is complete, and this program has written it. */
function isSavedState(value: unknown): value is SavedState {
  return isMapping(value) && typeof value['owner'] === 'string';
}

async function writeState({ id, path, state }: Part): Promise<void> {
  const saved: SavedState = {
    id,
    validator: undefined,
    total: undefined,
    ...state,
    owner: thisProcess(),
  };
  await rm(`${path}.json`, { force: true });
  await writeFile(`${path}.json`, `${JSON.stringify(saved)}\n`, { flag: 'wx', mode: 0o600 });
}

async function fetchRest(part: Part, transfer: PartialTransfer, context: TransferContext): Promise<void> {
  const { state } = part;
  if (state?.total !== undefined && state.total === part.size) return;
  const validator = part.size > 0 ? state?.validator : undefined;
  const answer = await context.client.get(transfer.url, {
    signal: context.policy.signal,
    headers: validator === undefined ? {} : { range: `bytes=${part.size}-`, 'if-range': validator },
  });
  try {
    const handle = await openPart(part, answer, transfer);
    try {
      const size = part.state?.total;
      context.progress(part.size, size);
      for await (const bytes of answer.parts) {
        await writeAll(handle, bytes, part.size);
        part.size += bytes.length;
        context.progress(part.size, size);
      }
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileError(error, {
      path: `${transfer.shownPath}.partial`,
      what: 'Download',
      action: 'write',
      place: part.path,
      size: part.state?.total === undefined ? undefined : part.state.total - part.size,
    });
  }
  const total = part.state?.total;
  if (total !== undefined && part.size !== total) {
    throw new TransferError(
      `${shownUrl(transfer.url)} cannot be fetched: received only ${part.size} of ${total} bytes`,
      { isPassing: part.size < total, hint: 'run the command again to resume the download' },
    );
  }
}

/** Resumes the partial file if the response continues it, and otherwise starts from the beginning. */
async function openPart(part: Part, answer: HttpAnswer, { url }: PartialTransfer): Promise<FileHandle> {
  if (answer.status === 200) return startPart(part, answer);
  if (answer.status === 206 && part.size > 0 && fits(part, answer)) {
    part.isJoined = true;
    return open(part.path, constants.O_RDWR | constants.O_NOFOLLOW);
  }
  await unlink(part.path).catch(() => undefined);
  part.state = undefined;
  part.size = 0;
  throw new TransferError(`${shownUrl(url)} cannot be resumed: the file on the server has changed`, {
    isPassing: true,
    hint: 'run the command again to start from the beginning',
  });
}

function fits({ size, state }: Part, { headers }: HttpAnswer): boolean {
  const [, start, end, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  const isRest = Number(start) === size && Number(end) === Number(total) - 1;
  const isSameSize = state?.total === undefined || state.total === Number(total);
  return isRest && isSameSize && (validatorOf(headers) ?? state?.validator) === state?.validator;
}

async function startPart(part: Part, { headers }: HttpAnswer): Promise<FileHandle> {
  const length = /^\d{1,15}$/.exec(headers.get('content-length') ?? '')?.[0];
  part.state = {
    validator: validatorOf(headers),
    total: length === undefined ? undefined : Number(length),
  };
  part.size = 0;
  part.isJoined = false;
  await unlink(part.path).catch(() => undefined);
  await writeState(part);
  return makePrivate(part.path);
}

/** The strong validator of the content; a weak ETag does not suffice (RFC 9110, section 8.8.1). */
function validatorOf(headers: ReadonlyMap<string, string>): string | undefined {
  const etag = headers.get('etag');
  return etag !== undefined && etag.startsWith('"') ? etag : headers.get('last-modified');
}
