/**
 * Registry credentials as `podman --authfile` and Kubernetes secrets have them: JSON with a member `auths`. Messages
 * never quote the text, not even where JSON's own error would.
 */

import { FormatError } from '../errors.ts';
import { isMapping } from '../formats/mapping.ts';

const hint = 'a pull secret is JSON like {"auths": {"quay.io": {"auth": "…"}}}, as it is or in base64';

/**
 * The credentials as JSON text, from JSON or from its base64 (with or without line breaks, as Kubernetes and `base64`
 * write it). Throws a FormatError whose message starts with what is wrong, without a subject.
 */
export function parsePullSecret(text: string): string {
  const json = decodePullSecret(text.trim());
  const secret = parseJson(json);
  if (!isMapping(secret)) throw new FormatError('is not a JSON object', { hint });
  const { auths } = secret;
  if (!isMapping(auths)) throw new FormatError('has no member "auths"', { hint });
  const broken = Object.entries(auths).find(([, credentials]) => !isMapping(credentials));
  if (broken !== undefined) {
    throw new FormatError(`holds no object of credentials for the registry ${JSON.stringify(broken[0])}`, {
      hint,
    });
  }
  return json;
}

function decodePullSecret(text: string): string {
  if (text === '') throw new FormatError('is empty', { hint });
  if (text.startsWith('{')) return text;
  const base64 = text.replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(base64)) throw new FormatError('is neither JSON nor base64', { hint });
  return Buffer.from(base64, 'base64').toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FormatError('is not valid JSON', { hint }); // the cause would quote the secret
  }
}
