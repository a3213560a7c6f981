/** Whom a service lets in, as the command line says it. */

import { type AccessCheck, createAccessCheck } from './http/accessCheck.ts';
import type { Setup } from './setup.ts';

/** Asked for at each request. */
export function accessOf({ signer, tokens }: Setup): () => AccessCheck {
  const check = createAccessCheck({ signer, tokens, isOpen: signer === undefined });
  return () => check;
}
