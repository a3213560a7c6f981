import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.ts';
import { describeError } from '../../../src/io/report/report.ts';

const system = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
const quoting = new SyntaxError('Unexpected token, "sesame" is not valid JSON');

describe('describeError', () => {
  it.each([
    [
      'nothing besides the error',
      new CliError('a is invalid', { code: 'ERR_SETTING', hint: 'fix a', cause: system }),
      'usual',
      '',
    ],
    [
      'the system as the cause',
      new CliError('a is invalid', { code: 'ERR_SETTING', hint: 'fix a', cause: system }),
      'verbose',
      'code: ERR_SETTING\ncause: Error: ENOSPC: no space left on device, write\n',
    ],
    [
      'the cause of a cause',
      new CliError('a is invalid', {
        code: 'ERR_SETTING',
        hint: 'fix a',
        cause: new CliError('b failed', { code: 'ERR_SETTING', cause: system }),
      }),
      'verbose',
      'code: ERR_SETTING\ncause: CliError: b failed\ncause: Error: ENOSPC: no space left on device, write\n',
    ],
    [
      'no message that may quote data',
      new CliError('a is invalid', { code: 'ERR_SETTING', hint: 'fix a', cause: quoting }),
      'verbose',
      'code: ERR_SETTING\ncause: SyntaxError\n',
    ],
    [
      'what is no error',
      new CliError('a is invalid', { code: 'ERR_SETTING', hint: 'fix a', cause: 'sesame' }),
      'verbose',
      'code: ERR_SETTING\ncause: string\n',
    ],
  ] as const)('%s', (_title, error, detail, rest) => {
    expect(describeError(error, detail)).toBe(`error: a is invalid\nhint: fix a\n${rest}`);
  });

  it('says of a defect what to do, and shows its message and stack with --debug alone', () => {
    const hint = 'hint: run "ironic-coreos --debug COMMAND …" and report its output\n';
    expect(describeError(quoting, 'usual')).toBe(`error: internal error (SyntaxError)\n${hint}`);
    expect(describeError(quoting, 'verbose')).toBe(
      `error: internal error (SyntaxError)\n${hint}code: ERR_INTERNAL\n`,
    );
    expect(describeError(quoting, 'debug')).toMatch(/^SyntaxError: Unexpected token, "sesame".*\n +at /m);
  });

  it('has a stack for each cause with --debug, without messages that may quote data', () => {
    const text = describeError(new CliError('a is invalid', { code: 'ERR_SETTING', cause: system }), 'debug');
    expect(text).toMatch(/^error: a is invalid\ncode: ERR_SETTING\n +at [^]*\ncause: Error: ENOSPC.*\n +at /);
  });

  it('is harmless for terminals', () => {
    const cause = new CliError('a\u001b[2Jb', { code: 'ERR_SETTING' });
    expect(describeError(new CliError('c', { code: 'ERR_SETTING', cause }), 'verbose')).not.toContain(
      '\u001b',
    );
  });
});
