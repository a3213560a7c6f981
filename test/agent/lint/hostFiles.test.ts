import { describe, expect, it } from 'vitest';
import type { File } from '../../../src/ignition/config.ts';
import { summary, withFiles } from './support.ts';

const at = '$.storage.files.1';

describe('files of the host', () => {
  it.each([
    ['a mode in decimal digits', { path: '/etc/x', mode: 644 }, [`agent-mode-decimal ${at}.mode`]],
    ['a mode', { path: '/etc/x', mode: 420 }, []],
    ['a file below /usr', { path: '/usr/bin/x' }, [`agent-path-read-only ${at}.path`]],
    ['a file below a link to /usr', { path: '/lib64/x' }, [`agent-path-read-only ${at}.path`]],
    ['a file below /usr/local', { path: '/usr/local/x' }, []],
  ] satisfies [string, File, string[]][])('%s', (_title, file, expected) => {
    expect(summary(withFiles(file))).toEqual(expected);
  });
});
