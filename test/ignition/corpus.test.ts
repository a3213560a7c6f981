/** Thousands of configs with what the real ignition-validate says about them: every message has to be the same. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateConfig } from '../../src/ignition/validate.ts';
import { formatPath, type Report } from '../../src/core/finding.ts';
import { sharedData, sharedDataNote } from '../support/sharedData.ts';

interface Expected {
  readonly file: string;
  readonly source: string;
  readonly exit: number;
  readonly messages: readonly {
    readonly severity: string;
    readonly path: string;
    readonly line: number | null;
    readonly col: number | null;
    readonly text: string;
  }[];
  /** The real program's messages vary from run to run. */
  readonly unstable?: boolean;
}

describe.skipIf(sharedData === undefined)(`corpus of ignition-validate${sharedDataNote}`, () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ignition-corpus-'));
    execFileSync('tar', ['-xzf', join(sharedData ?? '', 'ignition-corpus.tar.gz'), '-C', folder]);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same verdicts, paths, positions and texts', () => {
    const corpus = join(folder, 'ignition-corpus');
    const index = readFileSync(join(corpus, 'index.jsonl'), 'utf8').trim().split('\n');
    const different = index
      .map((line): Expected => JSON.parse(line))
      .filter((expected) => {
        const report = validateConfig(readFileSync(join(corpus, expected.file)));
        const sameVerdict = report.valid === (expected.exit === 0);
        return (
          !sameVerdict || (expected.unstable !== true && messagesOf(report) !== expectedMessages(expected))
        );
      })
      .map(({ file, source }) => `${file} ${source}`);
    expect(index.length).toBeGreaterThan(4000);
    expect(different).toEqual([]);
  });
});

function messagesOf({ findings }: Report): string {
  return findings
    .map(({ severity, path, position, message }) =>
      [severity, formatPath(path), position?.line ?? 0, position?.column ?? 0, message].join(' '),
    )
    .join('\n');
}

function expectedMessages({ messages }: Expected): string {
  return messages
    .map(({ severity, path, line, col, text }) => [severity, path, line ?? 0, col ?? 0, text].join(' '))
    .join('\n');
}
