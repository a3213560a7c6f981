/** The URLs of served files: with a token in the path, or without one if the server requires no credential. */

import type { SignedGrant } from '../../http/server/answer/signedPath.ts';
import type { Setup } from './setup.ts';

export interface Links {
  /** A path below the public URL with access to `grant`, valid as long as the key. */
  path(grant: SignedGrant, file: string): string;
  /** The complete URL, for users and BMCs; it may expire. */
  url(grant: SignedGrant, file: string): string;
  /** Without a final slash. */
  readonly publicUrl: string;
}

export function createLinks(
  { signer, publicUrl, lifetime }: Pick<Setup, 'signer' | 'lifetime'> & Pick<Links, 'publicUrl'>,
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
