import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { createSarifReporter } from '../../../src/io/report/annotations.ts';
import { sarifSchema } from '../../support/sarifSchema.ts';

const isSarif = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(sarifSchema);

const error: Finding = {
  severity: 'error',
  rule: 'path-relative',
  path: ['storage', 'files', 0, 'path'],
  message: 'path not absolute',
  hint: 'write "/a"',
  position: { line: 2, column: 4 },
};

interface Results {
  readonly runs: readonly [{ readonly results: readonly Record<string, unknown>[]; readonly tool: unknown }];
}

function report(...files: readonly (readonly [file: string, findings: readonly Finding[]])[]): Results {
  const reporter = createSarifReporter();
  const added = files.map(
    ([file, findings]) =>
      reporter.add({ file, report: { valid: false, findings }, bytes: Buffer.from('\né, x') }).stdout,
  );
  return JSON.parse([reporter.start, ...added, reporter.end?.()].join(''));
}

describe('createSarifReporter', () => {
  it('is SARIF without files, with one, and with several', () => {
    for (const files of [
      [],
      [['a.ign', []]],
      [
        ['a.ign', [error, { ...error, path: [] }]],
        ['b.ign', []],
        ['-', [error]],
      ],
    ] as const) {
      const document = report(...files);
      isSarif(document);
      expect(isSarif.errors).toBeNull();
    }
  });

  it('places a finding by line, column in UTF-16, and path', () => {
    const [{ results }] = report(['a.ign', [error]]).runs;
    expect(results).toEqual([
      {
        ruleId: 'path-relative',
        ruleIndex: 0,
        level: 'error',
        message: { text: 'path not absolute\nhint: write "/a"' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'a.ign' },
              region: { startLine: 2, startColumn: 3 },
            },
            logicalLocations: [{ fullyQualifiedName: '$.storage.files.0.path' }],
          },
        ],
      },
    ]);
  });

  it('describes each rule once', () => {
    const [run] = report(
      ['a.ign', [error, { ...error, rule: 'unused-key', severity: 'warning' }]],
      ['b.ign', [error]],
    ).runs;
    expect(run.results.map(({ ruleIndex, level }) => [ruleIndex, level])).toEqual([
      [0, 'error'],
      [1, 'warning'],
      [0, 'error'],
    ]);
    expect(run.tool).toMatchObject({
      driver: {
        name: 'ironic-coreos',
        rules: [
          { id: 'path-relative', help: { markdown: expect.stringContaining('Invalid:\n\n```json\n') } },
          { id: 'unused-key', defaultConfiguration: { level: 'warning' } },
        ],
      },
    });
  });

  it.each([
    ['a b/c%#?.ign', { uri: 'a%20b/c%25%23%3F.ign' }],
    ['../ä:1.ign', { uri: '../%C3%A4%3A1.ign' }],
    ['/a b', { uri: 'file:///a%20b' }],
    ['-', { description: { text: 'standard input' } }],
    ['\ud800', { uri: '%EF%BF%BD' }],
  ])('names the file %j', (file, artifactLocation) => {
    const [{ results }] = report([file, [error]]).runs;
    expect(results).toMatchObject([{ locations: [{ physicalLocation: { artifactLocation } }] }]);
  });

  it('makes no link of what a document holds', () => {
    const [{ results }] = report([
      'a',
      [{ ...error, message: 'unused key [x](https://192.0.2.1)', hint: 'h' }],
    ]).runs;
    expect(results).toMatchObject([{ message: { text: 'unused key \\[x\\](https://192.0.2.1)\nhint: h' } }]);
  });

  it('has a result for what cannot be read', () => {
    const reporter = createSarifReporter();
    const { stdout } = reporter.add({ file: 'a', error: new CliError('gone', { code: 'ERR_SETTING' }) });
    expect(JSON.parse(stdout)).toMatchObject({
      ruleId: 'file-unreadable',
      level: 'error',
      message: { text: 'gone' },
    });
  });
});
