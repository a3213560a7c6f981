/** Inlined contents of files, and certificates: what Ignition detects only when it uses them on boot. */

import { createHash } from 'node:crypto';
import { FormatError, ifWellFormed, orFormatError } from '../core/errors.ts';
import type { Path, Finding } from '../core/finding.ts';
import { errorRule, issue } from '../core/rule.ts';
import { findBundleProblem, parseCaCertificates } from '../formats/caCertificates.ts';
import { LimitError } from '../formats/codec.ts';
import { decodeDataUrl } from '../formats/dataUrl.ts';
import { decodeGzip } from '../formats/gzip.ts';
import type { Config, Resource, Storage, Verification } from './config.ts';

export interface Reference {
  readonly resource: Resource;
  /** In this config, e.g. `['ignition', 'config', 'merge', 0]`. */
  readonly path: Path;
}

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

/** The contents, or the error if they cannot be decompressed. */
export function unpack(data: Uint8Array, compression: string, maxBytes: number): Uint8Array | FormatError {
  return orFormatError(() => (compression === 'gzip' ? decodeGzip(data, { maxBytes }) : data));
}

/** The hash that the data should have; undefined if it has the hash of `verification`, or that has no hash. */
export function correctedHash(data: Uint8Array, { hash = '' }: Verification): string | undefined {
  const [, algorithm, sum] = /^(sha256|sha512)-(.*)$/s.exec(hash) ?? [];
  if (algorithm === undefined) return undefined;
  const found = createHash(algorithm).update(data).digest('hex');
  return found === sum ? undefined : `${algorithm}-${found}`;
}

/** Decompressed bytes of all files together; later files are not checked. */
const MAX_CONTENTS = 256 * 1024 * 1024;

/** The issues of a valid config that Ignition detects only on boot. */
export function bootIssues(config: Config): readonly Finding[] {
  return [...authorityIssues(config), ...contentsIssues(config)];
}

/** Source: `parseCABundle` in Ignition's `internal/resource/http.go`. No bytes are no certificate, and no problem. */
function authorityIssues(config: Config): Finding[] {
  return listAuthorities(config).flatMap(({ resource: { compression = '', source = '' }, path }) => {
    const data = source.startsWith('data:') ? ifWellFormed(() => decodeDataUrl(source)) : undefined;
    const unpacked = data && unpack(data, compression, MAX_CONTENTS);
    if (unpacked === undefined || unpacked instanceof FormatError || unpacked.length === 0) return [];
    const text = Buffer.from(unpacked).toString('latin1');
    const parsed = orFormatError(() => parseCaCertificates(text, new Date()));
    const problem =
      parsed instanceof FormatError
        ? `${parsed.message}, so Ignition stops and the boot fails`
        : findBundleProblem(text);
    if (problem === undefined) return [];
    return [{ ...issue(contentsRules.authority, [...path, 'source']), message: `the data ${problem}` }];
  });
}

function listAuthorities({ ignition }: Config): Reference[] {
  return (ignition?.security?.tls?.certificateAuthorities ?? []).map((resource, index) => ({
    resource,
    path: ['ignition', 'security', 'tls', 'certificateAuthorities', index],
  }));
}

/** The issues of inlined data. Source: `newFetchOp` in Ignition's `internal/exec/util/file.go`, `getCABlob` in `http.go`. */
function contentsIssues(config: Config): readonly Finding[] {
  const issues: Finding[] = [];
  let bytesLeft = MAX_CONTENTS;
  for (const { resource, path } of [...listAuthorities(config), ...listContents(config.storage ?? {})]) {
    const { compression = '', source = '', verification: { hash = '' } = {} } = resource;
    if (!source.startsWith('data:') || (compression === '' && hash === '')) continue;
    const data = unpack(decodeDataUrl(source), compression, bytesLeft);
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
