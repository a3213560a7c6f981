/**
 * A config that another one refers to in `ignition.config.merge` or `replace`, and the contents of files. Only what is
 * inlined as data URLs is read, in the same steps as in Ignition: decode, decompress, then compare with the hash. Source:
 * Ignition's `internal/exec/config_fetcher.go`, `internal/resource/url.go` and `internal/util/verification.go`.
 */

import { createHash } from 'node:crypto';
import { FormatError, ifWellFormed } from '../core/errors.ts';
import type { Path } from '../core/finding.ts';
import { LimitError } from '../formats/codec.ts';
import { findBundleProblem, parseCaCertificates } from '../formats/caCertificates.ts';
import { decodeDataUrl } from '../formats/dataUrl.ts';
import { parseGoUrl } from '../formats/goUrl.ts';
import { decodeGzip } from '../formats/gzip.ts';
import type { Config, Resource, Storage, Verification } from './config.ts';
import { errorRule, infoRule, type Issue, issue, warningRule } from '../core/rule.ts';

/** Configs that `ignition.config` refers to: problems that Ignition detects only when it fetches them on boot. */
export const referenceRules = {
  remote: infoRule(
    'config-remote',
    'the config at this URL is not checked: Ignition fetches it on boot',
    'validate that config separately',
  ),
  unreadable: errorRule(
    'config-undecodable',
    'the inlined config cannot be decoded',
    'compress the config with gzip and encode the result as data:;base64,DATA, or remove "compression"',
  ),
  hashMismatch: errorRule(
    'config-hash-mismatch',
    'the inlined config does not match verification.hash',
    'replace the hash, or remove "verification": a data URL cannot change in transit',
  ),
  replaced: warningRule(
    'config-replaced',
    'Ignition ignores everything else in this config',
    'remove "replace", or move the other settings to the config that it refers to',
  ),
};

/** Inlined contents of files, and certificates: problems that Ignition detects only when it uses them on boot. */
export const contentsRules = {
  authority: errorRule(
    'ca-unreadable',
    'Ignition cannot read the inlined certificates as PEM, so it stops and the boot fails',
    'use only certificates in PEM ("-----BEGIN CERTIFICATE-----"), with nothing behind the last one',
  ),
  unreadable: errorRule(
    'contents-undecodable',
    'the inlined contents cannot be decompressed',
    'compress the contents with gzip and encode the result as data:;base64,DATA, or remove "compression"',
  ),
  hashMismatch: errorRule(
    'contents-hash-mismatch',
    'the inlined contents do not match verification.hash',
    'replace the hash, or remove "verification": a data URL cannot change in transit',
  ),
};

export interface FetchedConfig {
  /** Undefined if the config is not inlined or cannot be decoded. */
  readonly document?: Buffer;
  /** Paths start at the config that contains the reference. */
  readonly issues: readonly Issue[];
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
  if ('problem' in url || !fetchedSchemes.has(url.scheme)) return { issues: [] };
  if (url.scheme !== 'data') return { issues: [issue(referenceRules.remote, [...path, 'source'])] };
  const data = ifWellFormed(() => decodeDataUrl(source).data);
  if (data === undefined || !['', 'gzip'].includes(compression)) return { issues: [] };
  const unpacked = unpack(data, compression, maxBytes);
  if (unpacked instanceof FormatError) {
    const message = `${referenceRules.unreadable.message}: ${unpacked.message}`;
    return { issues: [{ ...issue(referenceRules.unreadable, [...path, 'source']), message }] };
  }
  const document = Buffer.from(unpacked.buffer, unpacked.byteOffset, unpacked.byteLength);
  // Ignition compares these sums as text, so a sum in capital letters never matches.
  const expected = correctedHash(document, verification);
  if (expected === undefined) return { document, issues: [] };
  const hint = `use ${expected}, or remove "verification": a data URL cannot change in transit`;
  return { document, issues: [issue(referenceRules.hashMismatch, [...path, 'verification', 'hash'], hint)] };
}

const fetchedSchemes: ReadonlySet<string> = new Set(['arn', 'data', 'gs', 'http', 'https', 's3', 'tftp']);

/** The contents, or the error if they cannot be decompressed. */
function unpack(data: Uint8Array, compression: string, maxBytes: number): Uint8Array | FormatError {
  try {
    return compression === 'gzip' ? decodeGzip(data, { maxBytes }) : data;
  } catch (error) {
    if (error instanceof FormatError) return error;
    throw error;
  }
}

/** The hash that the data should have; undefined if it has the hash of `verification`, or that has no hash. */
function correctedHash(data: Uint8Array, { hash = '' }: Verification): string | undefined {
  const [, algorithm, sum] = /^(sha256|sha512)-(.*)$/s.exec(hash) ?? [];
  if (algorithm === undefined) return undefined;
  const found = createHash(algorithm).update(data).digest('hex');
  return found === sum ? undefined : `${algorithm}-${found}`;
}

/** Decompressed bytes of all files together; later files are not checked. */
const MAX_CONTENTS = 256 * 1024 * 1024;

/** The issues of a valid config that Ignition detects only on boot. */
export function bootIssues(config: Config): readonly Issue[] {
  return [...authorityIssues(config), ...contentsIssues(config)];
}

/** Source: `parseCABundle` in Ignition's `internal/resource/http.go`. No bytes are no certificate, and no problem. */
function authorityIssues(config: Config): Issue[] {
  return listAuthorities(config).flatMap(({ resource: { compression = '', source = '' }, path }) => {
    const data = source.startsWith('data:') ? ifWellFormed(() => decodeDataUrl(source).data) : undefined;
    const unpacked = data && unpack(data, compression, MAX_CONTENTS);
    if (unpacked === undefined || unpacked instanceof FormatError || unpacked.length === 0) return [];
    const text = Buffer.from(unpacked).toString('latin1');
    const pemProblem = findPemProblem(text);
    const problem =
      pemProblem === undefined
        ? findBundleProblem(text)
        : `${pemProblem}, so Ignition stops and the boot fails`;
    if (problem === undefined) return [];
    return [{ ...issue(contentsRules.authority, [...path, 'source']), message: `the data ${problem}` }];
  });
}

function findPemProblem(text: string): string | undefined {
  try {
    parseCaCertificates(text, new Date());
    return undefined;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

function listAuthorities({ ignition }: Config): Reference[] {
  return (ignition?.security?.tls?.certificateAuthorities ?? []).map((resource, index) => ({
    resource,
    path: ['ignition', 'security', 'tls', 'certificateAuthorities', index],
  }));
}

/** The issues of inlined data. Source: `newFetchOp` in Ignition's `internal/exec/util/file.go`, `getCABlob` in `http.go`. */
function contentsIssues(config: Config): readonly Issue[] {
  const issues: Issue[] = [];
  let bytesLeft = MAX_CONTENTS;
  for (const { resource, path } of [...listAuthorities(config), ...listContents(config.storage ?? {})]) {
    const { compression = '', source = '', verification: { hash = '' } = {} } = resource;
    if (!source.startsWith('data:') || (compression === '' && hash === '')) continue;
    const data = unpack(decodeDataUrl(source).data, compression, bytesLeft);
    if (data instanceof LimitError) break;
    if (data instanceof FormatError) {
      const message = `${contentsRules.unreadable.message}: ${data.message}`;
      issues.push({ ...issue(contentsRules.unreadable, [...path, 'source']), message });
      continue;
    }
    bytesLeft -= data.length;
    if (correctedHash(data, { hash: hash.toLowerCase() }) === undefined) continue;
    issues.push(issue(contentsRules.hashMismatch, [...path, 'verification', 'hash']));
  }
  return issues;
}

function listContents({ files = [] }: Storage): Reference[] {
  return files.flatMap(({ append = [], contents = {} }, index) => {
    const path = ['storage', 'files', index];
    const appended = append.map((resource, number) => ({ resource, path: [...path, 'append', number] }));
    return [{ resource: contents, path: [...path, 'contents'] }, ...appended];
  });
}

/** A config that another one refers to. */
export interface Reference {
  readonly resource: Resource;
  /** In the config that refers to it, e.g. `['ignition', 'config', 'merge', 0]`. */
  readonly path: Path;
}

/** The references that Ignition follows, in its order: a config that is replaced merges nothing. */
export function listReferences({ ignition }: Config): readonly Reference[] {
  const { merge = [], replace } = ignition?.config ?? {};
  if (replace?.source !== undefined) return [{ resource: replace, path: ['ignition', 'config', 'replace'] }];
  return merge.map((resource, index) => ({ resource, path: ['ignition', 'config', 'merge', index] }));
}
