/** Contents that a config holds itself or names the place of. Contents that are the same need not be written the same. */

import type { Resource } from '../../ignition/config.ts';
import { readContents } from '../lint/subject.ts';
import { type Entry, say, sayBytes, sayHidden } from './entry.ts';

/** Reads contents until all together are too large: compressed, they may be a thousand times as large as the config. */
export type ReadContents = (resource: Resource) => Uint8Array | undefined;

const maxBytes = 256 * 1024 * 1024;

/** One for each config. What is not read is compared as it is written. */
export function createContentsReader(): ReadContents {
  let room = maxBytes;
  return (resource) => {
    const isKnown = ['', 'gzip'].includes(resource.compression ?? '');
    if (room <= 0 || !isKnown) return undefined;
    const bytes = readContents(resource);
    room -= bytes?.length ?? 0;
    return bytes;
  };
}

/** Everything about a resource; `start` says which one it is. */
export function readResourceEntries(
  { setting, start }: { readonly setting: string; readonly start: string },
  resource: Resource,
  read: ReadContents,
): Entry[] {
  const { source, compression = '' } = resource;
  const bytes = read(resource);
  const content = bytes === undefined ? unreadContents(source) : undefined;
  return [
    ...(bytes === undefined ? [] : [sayBytes(setting, start, bytes)]),
    ...(content === undefined ? [] : [sayUnread(setting, start, content)]),
    ...(bytes === undefined && compression !== ''
      ? [say(setting, `${start}compressed by ${compression}`)]
      : []),
    ...readTransferEntries({ setting, start }, resource),
  ];
}

/** What a resource says besides its contents. */
export function readTransferEntries(
  { setting, start }: { readonly setting: string; readonly start: string },
  { httpHeaders = [], verification }: Resource,
): Entry[] {
  return [
    ...httpHeaders.map(({ name = '', value = '' }) => sayHidden(setting, `${start}header ${name}: `, value)),
    ...(verification?.hash === undefined ? [] : [say(setting, `${start}verified by ${verification.hash}`)]),
  ];
}

function unreadContents(source: string | undefined): string | undefined {
  if (source === undefined) return undefined;
  return source === '' ? 'empty' : source;
}

function sayUnread(setting: string, start: string, source: string): Entry {
  return source.startsWith('data:')
    ? sayBytes(setting, `${start}not readable: `, Buffer.from(source))
    : say(setting, `${start}${source === 'empty' ? source : `from ${source}`}`, start + source);
}
