/** The Secret with the network of a host: a description for nmstate under the key that the contract names. */

/** The content of a Secret as the API server gives it: values in base64. */
export interface SecretData {
  readonly data?: unknown;
}

const KEY = 'nmstate';

/** Names of what the Secret has instead: `"networkData"`, or nothing. */
export function listOtherKeys({ data }: SecretData): string {
  const names = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  const others = names.filter((name) => name !== KEY);
  const shown = others.slice(0, MAX_KEYS).map((name) => JSON.stringify(name.slice(0, MAX_KEY)));
  return [...shown, ...(others.length > shown.length ? ['…'] : [])].join(', ');
}

const MAX_KEYS = 5;
/** Characters. */
const MAX_KEY = 40;

/** The text; undefined where the Secret has none, or bytes that are no text in UTF-8. */
export function readNetworkState({ data }: SecretData): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const encoded: unknown = Object.getOwnPropertyDescriptor(data, KEY)?.value;
  if (typeof encoded !== 'string') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
