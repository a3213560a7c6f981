import { describe, expect, it } from 'vitest';
import { brokenRules } from '../../support/brokenRules.ts';

describe('files, directories and links', () => {
  it.each([
    ['File', { path: '/a', overwrite: true, contents: { source: '' } }, []],
    ['File', { path: '/a', overwrite: false }, []],
    ['File', { path: '/a', overwrite: true }, ['overwrite-without-source at overwrite']],
    ['File', { path: '/a', overwrite: true, contents: {} }, ['overwrite-without-source at overwrite']],
    [
      'File',
      { mode: -1, overwrite: true, append: [{ source: 'data:,' }] },
      [
        'path-missing at path',
        'mode-illegal at mode',
        'mode-special-bits at mode',
        'overwrite-without-source at overwrite',
      ],
    ],
    ['Directory', { path: '/a', overwrite: true, mode: 493 }, []],
    [
      'Directory',
      { path: 'a', mode: 99_999 },
      ['path-relative at path', 'mode-illegal at mode', 'mode-special-bits at mode'],
    ],
    ['Link', { path: '/a', target: '' }, []],
    ['Link', { path: '/a/' }, ['path-dirty at path']],
  ])('%s %j breaks %j', (type, value, rules) => {
    expect(brokenRules(type, value)).toEqual(rules);
  });
});
