/**
 * By which address an emulated machine reaches this one. The network around it can have any, so it gets the one that its
 * config names for Ironic, if there is one that fits: then the very bytes are tried that are to be deployed.
 */

import type { Io } from '../../io/io.ts';
import { USUAL_HOST } from '../timeline/guestNetwork.ts';
import { guestHostFor } from '../timeline/ironicAddress.ts';
import type { EmulatedSource } from './emulatedSource.ts';
import { type ImageConfig, readFolderConfig, readImageConfig } from '../address/imageConfig.ts';
import type { IronicUrls } from '../address/ironicUrls.ts';
import { readFolderUrl } from '../serving/preparedFolderService.ts';
import type { TrialSetup } from '../setup.ts';

export interface GuestPlace {
  /** IPv4. */
  readonly host: string;
  /** Where its config looks for Ironic; none where that is not known. */
  readonly ironicUrls: readonly string[];
  /** What its image says; of a host of the inventory, whose config is made to call here, undefined. */
  readonly config: ImageConfig | undefined;
}

/** Throws CliError for a folder from which no emulated machine can boot, and for an image that cannot be read. */
export async function findGuestPlace(
  { host: { name }, medium }: EmulatedSource,
  { given, listed, setup }: GuestWishes,
  io: Io,
): Promise<GuestPlace> {
  const { ironicUrl, listen, scheme } = setup;
  const place = { scheme, port: listen.kind === 'tcp' ? listen.port : 0 };
  if (medium.kind === 'folder') {
    const { host } = readFolderUrl(medium);
    const config = await readFolderConfig(medium, name, io);
    return { host: given ?? host, ironicUrls: urlsOf(config), config };
  }
  const config = medium.kind === 'image' ? await readImageConfig(medium.source, io) : undefined;
  const ofHost = ironicUrl === undefined ? listed.get(name) : [ironicUrl];
  const ironicUrls = config === undefined ? (ofHost ?? []) : urlsOf(config);
  return { host: given ?? guestHostFor(ironicUrls, place) ?? USUAL_HOST, ironicUrls, config };
}

function urlsOf(config: ImageConfig): readonly string[] {
  return config.kind === 'urls' ? config.urls : [];
}

export interface GuestWishes {
  /** What `--guest-host` says. */
  readonly given: string | undefined;
  /** Of the inventory. */
  readonly listed: IronicUrls;
  readonly setup: Pick<TrialSetup, 'ironicUrl' | 'listen' | 'scheme'>;
}
