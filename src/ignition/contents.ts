/** Inlined contents of files, and certificates: what Ignition detects only when it uses them on boot. */

import { createHash } from 'node:crypto';
import { FormatError, orFormatError } from '../core/errors.ts';
import type { Path, Finding } from '../core/finding.ts';
import { errorRules, issue, issueWith } from '../core/rule.ts';
import { findBundleProblem, parseCaCertificates } from '../formats/caCertificates.ts';
import { LimitError } from '../formats/codec.ts';
import { decodeDataUrl } from '../formats/dataUrl.ts';
import { decodeGzip } from '../formats/gzip.ts';
import type { Config, Resource, Verification } from './config.ts';

export interface Reference {
  readonly resource: Resource;
  /** In this config, e.g. `['ignition', 'config', 'merge', 0]`. */
  readonly path: Path;
}

export const contentsRules = errorRules({
  'ca-unreadable': [
    'Ignition cannot read the inlined certificates as PEM, so it stops and the boot fails',
    'use only certificates in PEM ("-----BEGIN CERTIFICATE-----"), with nothing behind the last one',
  ],
  'contents-undecodable': [
    'the inlined contents cannot be decompressed',
    'compress the contents with gzip and encode the result as data:;base64,DATA, or remove "compression"',
  ],
  'contents-hash-mismatch': [
    'the inlined contents do not match verification.hash',
    'replace the hash, or remove "verification": a data URL cannot change in transit',
  ],
});

/** The contents, or the error if they cannot be decompressed. */
export function unpack(data: Uint8Array, compression: string, maxBytes: number): Uint8Array | FormatError {
  return orFormatError(() => (compression === 'gzip' ? decodeGzip(data, maxBytes) : data));
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

/**
 * The issues of a valid config that Ignition detects only on boot. Source: `newFetchOp` in Ignition's
 * `internal/exec/util/file.go`, `getCABlob` and `parseCABundle` in `internal/resource/http.go`.
 */
export function bootIssues({ ignition, storage: { files = [] } = {} }: Config): readonly Finding[] {
  const issues: Finding[] = [];
  let bytesLeft = MAX_CONTENTS;
  const authorities = (ignition?.security?.tls?.certificateAuthorities ?? []).map((resource, index) => ({
    resource,
    path: ['ignition', 'security', 'tls', 'certificateAuthorities', index],
    isAuthority: true,
  }));
  const contents = files.flatMap(({ append = [], contents: resource = {} }, index) => {
    const path = ['storage', 'files', index];
    const appended = append.map((it, number) => ({ resource: it, path: [...path, 'append', number] }));
    return [{ resource, path: [...path, 'contents'] }, ...appended].map((it) => ({
      ...it,
      isAuthority: false,
    }));
  });
  for (const { isAuthority, path, resource } of [...authorities, ...contents]) {
    const { compression = '', source = '', verification: { hash = '' } = {} } = resource;
    if (!source.startsWith('data:') || (compression === '' && hash === '' && !isAuthority)) continue;
    const data = unpack(decodeDataUrl(source), compression, bytesLeft);
    if (data instanceof LimitError) break;
    if (data instanceof FormatError) {
      issues.push(issueWith(contentsRules['contents-undecodable'], [...path, 'source'], data.message));
      continue;
    }
    bytesLeft -= data.length;
    if (correctedHash(data, { hash: hash.toLowerCase() }) !== undefined)
      issues.push(issue(contentsRules['contents-hash-mismatch'], [...path, 'verification', 'hash']));
    const problem = isAuthority ? authorityProblem(data) : undefined;
    if (problem !== undefined)
      issues.push({
        ...issue(contentsRules['ca-unreadable'], [...path, 'source']),
        message: `the data ${problem}`,
      });
  }
  return issues;
}

/** No bytes are no certificate, and no problem. */
function authorityProblem(data: Uint8Array): string | undefined {
  if (data.length === 0) return undefined;
  const text = Buffer.from(data).toString('latin1');
  const parsed = orFormatError(() => parseCaCertificates(text, new Date()));
  return parsed instanceof FormatError
    ? `${parsed.message}, so Ignition stops and the boot fails`
    : findBundleProblem(text);
}
