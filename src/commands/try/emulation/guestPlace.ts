/**
 * By which address an emulated machine reaches this one. The network around it can have any, so it gets the one that its
 * config names for Ironic, if there is one that fits: then the very bytes are tried that are to be deployed.
 */

import { join } from 'node:path';
import type { Io } from '../../../io/io.ts';
import { hostPath } from '../../../prepare/servedPaths.ts';
import { USUAL_HOST } from '../../../trial/guestNetwork.ts';
import { guestHostFor } from '../../../trial/ironicAddress.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import { type IronicUrls, ironicUrlsOfConfig } from '../address/ironicUrls.ts';
import { readFolderUrl } from '../serving/preparedFolderService.ts';
import type { TrialSetup } from '../setup.ts';

export interface GuestPlace {
  /** IPv4. */
  readonly host: string;
  /** Where its config looks for Ironic; none where that is not known. */
  readonly ironicUrls: readonly string[];
  /** Why nothing can come of its image: a clause. */
  readonly problem: string | undefined;
}

/** Throws CliError for a folder from which no emulated machine can boot. */
export async function findGuestPlace(
  { host: { name }, medium }: EmulatedSource,
  { given, listed, setup }: GuestWishes,
  io: Io,
): Promise<GuestPlace> {
  const { listen, scheme } = setup;
  const place = { scheme, port: listen.kind === 'tcp' ? listen.port : 0 };
  if (medium.kind === 'folder') {
    const config = join(medium.path, hostPath(name, 'ign'));
    const { ironicUrls } = await ironicUrlsOfConfig(config, io); // which need not be there
    return { host: given ?? readFolderUrl(medium).host, ironicUrls, problem: undefined };
  }
  const found =
    medium.kind === 'host'
      ? { ironicUrls: listed.get(name) ?? [], problem: undefined }
      : await ironicUrlsOfConfig(medium.path, io);
  return { host: given ?? guestHostFor(found.ironicUrls, place) ?? USUAL_HOST, ...found };
}

export interface GuestWishes {
  /** What `--guest-host` says. */
  readonly given: string | undefined;
  /** Of the inventory. */
  readonly listed: IronicUrls;
  readonly setup: Pick<TrialSetup, 'listen' | 'scheme'>;
}
