/** Which Ironic the configs name that are served: the one of the inventory, or the one that is played here. */

import { formatCount } from '../../formats/wordList.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic } from '../../core/diagnostic.ts';
import { type ApiPlace, hasPortOf, mayLeadHere } from '../timeline/ironicAddress.ts';
import type { ServeSource } from '../../serve/source.ts';
import type { Ends } from '../ends.ts';
import type { IronicUrls } from './ironicUrls.ts';
import { redirectIronic } from './redirectIronic.ts';

export interface IronicChoice {
  /** URL that the configs are to have in place of their own; undefined where they are as the inventory says. */
  readonly url: string | undefined;
  /** PEM of the authority that it needs. */
  readonly ca: string | undefined;
}

/** What changes the inventory before it is rendered. A file that it needs is gone at the end. */
export async function ironicChange(
  { ca, url }: IronicChoice,
  ends: Ends,
): Promise<(read: ServeSource) => ServeSource> {
  if (url === undefined) return (read) => read;
  const caFile = ca === undefined ? undefined : await writeAuthority(ca, ends);
  return (read) => redirectIronic(read, { url, caFile });
}

async function writeAuthority(ca: string, ends: Ends): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'ironic-coreos-try-'));
  ends.add(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'ca.pem');
  await writeFile(path, ca);
  return path;
}

/** What is said of a URL that configs are given. */
export function tellChange(url: string, place: ApiPlace): Diagnostic[] {
  const { port, scheme } = place;
  const change: Diagnostic = {
    severity: 'info',
    message: `configs name ${url} as Ironic, in place of what the inventory says`,
  };
  if (hasPortOf(url, place)) return [change];
  const other: Diagnostic = {
    severity: 'warning',
    message: `this Ironic speaks ${scheme} on port ${port}: who calls ${url} gets here only through something in between`,
    hint: 'give the same port and scheme to --ironic-url and --listen, --tls',
  };
  return [change, other];
}

/** Hosts that will call somebody else, if nothing is done about it; undefined where all may call here. */
export function tellElsewhere(urls: IronicUrls, place: ApiPlace): Diagnostic | undefined {
  const elsewhere = [...urls].filter(([, own]) => own.length > 0 && !mayLeadHere(own, place));
  const [first, ...others] = elsewhere;
  if (first === undefined) return undefined;
  const [name, [url = '']] = first;
  const who =
    others.length === 0 ? `${name} calls` : `${name} and ${formatCount(others.length, 'other')} call`;
  return {
    severity: 'warning',
    message: `${who} ${url}, which is not here`,
    hint: `to have this address in their configs instead: --ironic-url ${place.scheme}://ADDRESS:${place.port}`,
  };
}
