import { describe, expect, it } from 'vitest';
import type { File } from '../../../src/ignition/config.ts';
import { dataUrl, summary, withFiles } from './support.ts';

const at = '$.storage.files.1';

describe('files of the host', () => {
  it.each([
    ['a mode in decimal digits', { path: '/x', mode: 644 }, [`agent-mode-decimal ${at}.mode`]],
    ['a mode', { path: '/x', mode: 420 }, []],
    ['a script', { path: '/x', mode: 0o755, contents: { source: dataUrl('#!/bin/sh\n') } }, []],
    [
      'a script without a first line',
      { path: '/x', mode: 0o755, contents: { source: dataUrl('\n[[ a ]]\n') } },
      [`agent-script-shebang ${at}.contents.source`],
    ],
    ['a program', { path: '/x', mode: 0o755, contents: { source: dataUrl('\u007fELF\u0000') } }, []],
    ['an empty file', { path: '/x', mode: 0o755 }, []],
    ['time servers', { path: '/etc/chrony.conf', append: [{ source: dataUrl('\nserver a iburst\n') }] }, []],
    [
      'one without a name',
      { path: '/etc/chrony.conf', append: [{ source: dataUrl('\nserver a\nserver  iburst\n') }] },
      [`agent-ntp-server ${at}.append.0.source`],
    ],
    [
      'one without anything',
      { path: '/etc/chrony.conf', contents: { source: dataUrl('pool') } },
      [`agent-ntp-server ${at}.contents.source`],
    ],
    ['such a line elsewhere', { path: '/x', contents: { source: dataUrl('server iburst') } }, []],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    expect(summary(withFiles(file))).toEqual(expected);
  });
});
