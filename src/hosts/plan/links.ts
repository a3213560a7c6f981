/** The URLs of served files: with a token in the path, or without one if the server requires no credential. */

import type { SignedGrant, Signer } from '../../http/server/answer/signedPath.ts';

export interface Links {
  /** A path below the public URL with access to `grant`, valid as long as the key. */
  path(grant: SignedGrant, file: string): string;
  /** The complete URL, for users and BMCs; it may expire. */
  url(grant: SignedGrant, file: string): string;
  /** Without a final slash. */
  readonly publicUrl: string;
}

/** @param lifetime milliseconds that complete URLs are valid; undefined for URLs that do not expire */
export function createLinks(
  publicUrl: string,
  signer: Signer | undefined,
  lifetime?: number,
  now = (): Date => new Date(),
): Links {
  const path = (grant: SignedGrant, file: string, expires?: Date): string =>
    signer === undefined ? file : `${signer.sign(grant, expires)}/${file}`;
  return {
    publicUrl,
    path,
    url: (grant, file) => {
      const expires = lifetime === undefined ? undefined : new Date(now().getTime() + lifetime);
      return `${publicUrl}/${path(grant, file, expires)}`;
    },
  };
}
