import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { githubReporter } from '../../../src/io/report/annotations.ts';
import { codePoint } from '../../support/arbitraryText.ts';

function annotate(finding: Partial<Finding>, file = 'a.ign', text = ''): string {
  const full: Finding = { severity: 'error', rule: 'r', path: [], message: 'm', ...finding };
  return githubReporter.add({ file, report: { valid: false, findings: [full] }, bytes: Buffer.from(text) })
    .stdout;
}

describe('githubReporter', () => {
  it.each<[string, string, string]>([
    [
      'a place',
      annotate({ position: { line: 1, column: 4 }, path: ['a', 0] }, 'a.ign', '"é"x'),
      '::error file=a.ign,line=1,col=4,title=r::m [$.a.0]\n',
    ],
    ['no place', annotate({ severity: 'warning' }), '::warning file=a.ign,title=r::m\n'],
    ['a hint', annotate({ severity: 'info', hint: 'h' }), '::notice file=a.ign,title=r::m%0Ahint: h\n'],
    ['standard input', annotate({}, '-'), '::error title=r::m\n'],
    ['signs in names', annotate({}, 'a,b:c%.ign'), '::error file=a%2Cb%3Ac%25.ign,title=r::m\n'],
    [
      'line breaks',
      annotate({ message: '100%\r\n::error::x' }),
      '::error file=a.ign,title=r::100%25\\r\\n::error::x\n',
    ],
    [
      'what cannot be read',
      githubReporter.add({ file: 'a.ign', error: new CliError('gone', { code: 'ERR_SETTING', hint: 'h' }) })
        .stdout,
      '::error file=a.ign,title=file-unreadable::gone%0Ahint: h\n',
    ],
  ])('%s', (_title, text, expected) => {
    expect(text).toBe(expected);
  });

  it('makes one line of a finding, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (a, b) => {
        const text = annotate({ message: a, hint: b, path: [b], rule: a }, `x${b}`);
        expect(text).toMatch(/^::error file=[^,:\r\n]*,title=[^,:\r\n]*::[^\r\n]*\n$/u);
      }),
    );
  });
});
