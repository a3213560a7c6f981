/**
 * A config that another one refers to in `ignition.config.merge` or `replace`. Only what is inlined as data URLs is read, in the
 * same steps as in Ignition: decode, decompress, then compare with the hash. Source: Ignition's
 * `internal/exec/config_fetcher.go`, `internal/resource/url.go` and `internal/util/verification.go`.
 */

import type { Finding } from '../core/finding.ts';
import { FormatError, ifWellFormed } from '../core/errors.ts';
import { decodeDataUrl } from '../formats/dataUrl.ts';
import { parseGoUrl } from '../formats/goUrl.ts';
import type { Config } from './config.ts';
import { correctedHash, type Reference, unpack } from './contents.ts';
import { errorRules, infoRules, issue, issueWith, warningRules } from '../core/rule.ts';
import { schemes } from './rules/url.ts';

/** Configs that `ignition.config` refers to: problems that Ignition detects only when it fetches them on boot. */
export const referenceRules = {
  ...infoRules({
    'config-remote': [
      'the config at this URL is not checked: Ignition fetches it on boot',
      'validate that config separately',
    ],
  }),
  ...errorRules({
    'config-undecodable': [
      'the inlined config cannot be decoded',
      'compress the config with gzip and encode the result as data:;base64,DATA, or remove "compression"',
    ],
    'config-hash-mismatch': [
      'the inlined config does not match verification.hash',
      'replace the hash, or remove "verification": a data URL cannot change in transit',
    ],
  }),
  ...warningRules({
    'config-replaced': [
      'Ignition ignores everything else in this config',
      'remove "replace", or move the other settings to the config that it refers to',
    ],
  }),
};

interface FetchedConfig {
  /** Undefined if the config is not inlined or cannot be decoded. */
  readonly document?: Buffer;
  /** Paths start at the config that contains the reference. */
  readonly issues: readonly Finding[];
}

/**
 * Reads an inlined config. Problems that the rules of its source report are not reported again.
 * @param maxBytes limit of the decompressed size
 */
export function fetchInlined({ resource, path }: Reference, maxBytes: number): FetchedConfig {
  const { compression = '', source, verification = {} } = resource;
  if (source === undefined) return { issues: [] };
  if (source === '') return { document: Buffer.alloc(0), issues: [] };
  const url = parseGoUrl(source);
  if ('problem' in url || !schemes.has(url.scheme)) return { issues: [] };
  if (url.scheme !== 'data') return { issues: [issue(referenceRules['config-remote'], [...path, 'source'])] };
  const data = ifWellFormed(() => decodeDataUrl(source));
  if (data === undefined || !['', 'gzip'].includes(compression)) return { issues: [] };
  const unpacked = unpack(data, compression, maxBytes);
  if (unpacked instanceof FormatError) {
    return {
      issues: [issueWith(referenceRules['config-undecodable'], [...path, 'source'], unpacked.message)],
    };
  }
  const document = Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength);
  // Ignition compares these sums as text, so a sum in capital letters never matches.
  const expected = correctedHash(document, verification);
  if (expected === undefined) return { document, issues: [] };
  const hint = `use ${expected}, or remove "verification": a data URL cannot change in transit`;
  return {
    document,
    issues: [issue(referenceRules['config-hash-mismatch'], [...path, 'verification', 'hash'], hint)],
  };
}

/** The references that Ignition follows, in its order: a config that is replaced merges nothing. */
export function listReferences({ ignition }: Config): readonly Reference[] {
  const { merge = [], replace } = ignition?.config ?? {};
  if (replace?.source !== undefined) return [{ resource: replace, path: ['ignition', 'config', 'replace'] }];
  return merge.map((resource, index) => ({ resource, path: ['ignition', 'config', 'merge', index] }));
}
