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

describe('targets of links', () => {
  it.each<[target: string, expected: string[]]>([
    ['/usr/share/zoneinfo/UTC', []],
    ['../usr/share/zoneinfo/UTC', []],
    ['\\usr\\share\\zoneinfo\\UTC', ['agent-link-backslash $.storage.links.0.target']],
    ['..\\usr\\share', ['agent-link-backslash $.storage.links.0.target']],
    ['C:\\zoneinfo', ['agent-link-backslash $.storage.links.0.target']],
  ])('%s', (target, expected) => {
    const config = withFiles();
    const links = [{ path: '/etc/x', target }];
    expect(summary({ ...config, storage: { ...config.storage, links } })).toEqual(expected);
  });
});
