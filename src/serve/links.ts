/** The URLs under which things are served: with a token in the path, or without where everybody may fetch everything. */

import type { SignedGrant, Signer } from './answer/signedPath.ts';

export interface Links {
  /** A path below the public URL that is good for `grant`, as long as the key is. */
  path(grant: SignedGrant, file: string): string;
  /** The whole URL, for people and BMCs: it may expire. */
  url(grant: SignedGrant, file: string): string;
  /** Without a final slash. */
  readonly publicUrl: string;
}

export interface LinkRules {
  /** Undefined where there are no tokens. */
  readonly signer: Signer | undefined;
  readonly publicUrl: string;
  /** Milliseconds that a URL is good for; undefined for ever. */
  readonly lifetime: number | undefined;
}

export function createLinks({ signer, publicUrl, lifetime }: LinkRules, now = (): Date => new Date()): Links {
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
