import { array, assert, constantFrom, oneof, option, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRemark } from '../../../src/io/report/remark.ts';
import { colorRemarks, onlyErrors } from '../../../src/io/report/remarkText.ts';

const red = (text: string): string => `\u001b[1m\u001b[31m${text}\u001b[39m\u001b[22m`;
const yellow = (text: string): string => `\u001b[1m\u001b[33m${text}\u001b[39m\u001b[22m`;
const green = (text: string): string => `\u001b[1m\u001b[32m${text}\u001b[39m\u001b[22m`;
const cyan = (text: string): string => `\u001b[1m\u001b[36m${text}\u001b[39m\u001b[22m`;

describe('colorRemarks', () => {
  it.each([
    ['an error', 'error: a\n', `${red('error')}: a\n`],
    ['a warning with its hint', 'warning: a\nhint: b\n', `${yellow('warning')}: a\n${green('hint')}: b\n`],
    ['what is only told', 'info: a\nnote: b\n', `${cyan('info')}: a\n${cyan('note')}: b\n`],
    [
      'marks, as their finding',
      'warning: a\n   |\n 5 | b: ^\n   |    ^^\nerror: c\n12 | d\n   | ^\n',
      `${yellow('warning')}: a\n   |\n 5 | b: ^\n   |    ${yellow('^^')}\n${red('error')}: c\n12 | d\n   | ${red('^')}\n`,
    ],
    ['no word within a line', 'an error: x\nerrors: y\nerror:z\n', 'an error: x\nerrors: y\nerror:z\n'],
    ['nothing', '', ''],
  ])('%s', (_title, text, colored) => {
    expect(colorRemarks(text)).toBe(colored);
  });

  it('changes nothing but colours', () => {
    const line = oneof(string(), constantFrom('error: a', 'hint: b', '   | ^^^', 'warning: error: x'));
    assert(
      property(array(line), (lines) => {
        const text = lines.join('\n').replaceAll('\u001b', '');
        // oxlint-disable-next-line no-control-regex -- that is what it adds
        expect(colorRemarks(text).replaceAll(/\u001b\[[\d;]*m/g, '')).toBe(text);
      }),
    );
  });
});

describe('onlyErrors', () => {
  it.each([
    ['an error with its lines', 'error: a\n  --> x:1:2\n\nhint: b\n', 'error: a\n  --> x:1:2\n\nhint: b\n'],
    ['not what is no remark', 'x written (5 bytes)\n', ''],
    [
      'errors among others',
      'warning: a\nhint: b\nerror: c\nhint: d\ninfo: e\nhint: f\n',
      'error: c\nhint: d\n',
    ],
    ['nothing', '', ''],
  ])('%s', (_title, text, errors) => {
    expect(onlyErrors(text)).toBe(errors);
  });

  it('keeps all errors, and no other', () => {
    const remark = record({
      severity: constantFrom('error', 'warning', 'info'),
      message: string(),
      hint: option(string(), { nil: undefined }),
    });
    assert(
      property(array(remark), (remarks) => {
        const format = (wanted: typeof remarks): string => wanted.map(formatRemark).join('');
        expect(onlyErrors(format(remarks))).toBe(
          format(remarks.filter(({ severity }) => severity === 'error')),
        );
      }),
    );
  });
});
