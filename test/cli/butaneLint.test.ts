/** What only the lint rules find in a Butane config is reported at its place in the YAML, by every command that reads a config. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';
import { liveInitrd } from '../support/newIso.ts';
import { runCli } from '../support/runCli.ts';

/** The system that applies the config: `any` for rules that apply to both, and also without knowing it. */
type System = 'live' | 'any';

interface Row {
  readonly title: string;
  readonly lines: readonly string[];
  readonly finding: `${'error' | 'warning'} ${string} ${number}:${number}`;
  readonly system: System;
}

const rows: readonly Row[] = [
  {
    title: 'kernel arguments',
    lines: ['kernel_arguments:', '  should_exist: [quiet]'],
    finding: 'error agent-live-kernel-arguments 4:17',
    system: 'live',
  },
  {
    title: 'a mount point that the live system cannot create',
    lines: ['storage:', '  filesystems:', '    - device: /dev/sdb', '      format: xfs', '      path: /data'],
    finding: 'error agent-path-read-only 7:13',
    system: 'live',
  },
  {
    title: 'a file on the read-only filesystem',
    lines: ['storage:', '  files:', '    - path: /usr/bin/a', '      contents:', '        inline: x'],
    finding: 'error agent-path-read-only 5:13',
    system: 'any',
  },
  {
    title: 'a file of a tree on the read-only filesystem: the tree',
    lines: ['storage:', '  files:', '    - path: /etc/a', '  trees:', '    - local: tree'],
    finding: 'error agent-path-read-only 7:7',
    system: 'any',
  },
  {
    title: 'a key in a local file',
    lines: [
      'passwd:',
      '  users:',
      '    - name: core',
      '      ssh_authorized_keys_local:',
      '        - no.pub',
    ],
    finding: 'warning agent-ssh-key 7:11',
    system: 'any',
  },
];

/** `FILE` is the config. */
const commands: readonly (readonly [line: string, system: 'live' | 'installed' | 'unknown'])[] = [
  ['validate FILE', 'unknown'],
  ['iso ignition embed -i FILE -o out a.iso', 'live'],
  ['iso customize --live-ignition FILE -o out a.iso', 'live'],
  ['iso customize --dest-device /dev/sda --dest-ignition FILE -o out a.iso', 'installed'],
  ['pxe ignition wrap -i FILE -o out', 'live'],
  ['pxe customize --live-ignition FILE -o out a.img', 'live'],
  ['pxe customize --dest-device /dev/sda --dest-ignition FILE -o out a.img', 'installed'],
  ['deploy configdrive --ignition FILE -o out', 'installed'],
  [
    'render --api-url https://192.0.2.1 --agent-image registry.example.com/agent --no-ssh-key --merge FILE -o out',
    'live',
  ],
];

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'butane lint '));
  await mkdir(join(cwd, 'files', 'tree', 'usr', 'bin'), { recursive: true });
  const contents: Readonly<Record<string, string | Uint8Array>> = {
    'a.iso': liveIso('2023-07'),
    'a.img': liveInitrd,
    'files/tree/usr/bin/tool': 'x',
    'files/no.pub': 'not a key\n',
  };
  for (const [name, content] of Object.entries(contents)) await writeFile(join(cwd, name), content);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe.each(commands)('%s', (line, system) => {
  // What validate finds beyond Ignition's rules is a warning, because it does not know the machine.
  const known = rows
    .filter((row) => row.system === 'any' || row.system === system)
    .map((row) =>
      system === 'unknown' ? { ...row, finding: row.finding.replace('error', 'warning') } : row,
    );
  it.each(known)('$title: $finding', async ({ lines, finding }) => {
    await writeFile(join(cwd, 'a.bu'), ['variant: fcos', 'version: 1.6.0', ...lines, ''].join('\n'));
    await rm(join(cwd, 'out'), { force: true });
    const words = line.split(' ').map((word) => (word === 'FILE' ? 'a.bu' : word));
    const { code, stdout, stderr } = await runCli([...words, '--files-dir', 'files'], { cwd });
    const [severity = '', rule = '', place = ''] = finding.split(' ');
    const text = stdout + stderr;
    expect(text).toMatch(new RegExp(`^${severity}: .* \\(${rule}\\)\n +--> a\\.bu:${place}$`, 'm'));
    expect({ text, code }).toEqual({ text, code: severity === 'error' ? 1 : 0 });
  });
});
