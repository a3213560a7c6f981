/** `inspect`, as somebody calls it who finds an image and wonders. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleFiles } from '../../support/sampleIso.ts';
import { type Layout, layouts, liveIso, liveIsoWith } from '../../support/liveIso.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { runCli, type RunResult } from '../../support/runCli.ts';

const secret = '{"auths":{"quay.io":{"auth":"aHVudGVyMg=="}}}';
const dataUrl = (text: string): string => `data:;base64,${Buffer.from(text).toString('base64')}`;

/** A config that runs the agent; not a rendered one, so that what is rendered may change. */
function agentConfig(conf: string): string {
  const command =
    '/bin/podman run --privileged --network=host --rm --name=ironic-agent --authfile=/etc/authfile.json ' +
    '--mount=type=bind,src=/etc/ironic-python-agent.conf,dst=/etc/ironic-python-agent/ignition.conf ' +
    '--mount=type=bind,src=/dev,dst=/dev quay.io/metal3-io/ironic-agent';
  return JSON.stringify({
    ignition: { version: '3.4.0' },
    passwd: { users: [{ name: 'core', passwordHash: '$6$hunter2' }] },
    storage: {
      files: [
        { path: '/etc/authfile.json', mode: 384, contents: { source: dataUrl(secret) } },
        { path: '/etc/ironic-python-agent.conf', contents: { source: dataUrl(conf) } },
      ],
    },
    systemd: {
      units: [
        {
          name: 'ironic-agent.service',
          enabled: true,
          contents: `[Service]\nExecStart=${command}\n[Install]\nWantedBy=multi-user.target\n`,
        },
      ],
    },
  });
}

const conf = '[DEFAULT]\napi_url = https://192.0.2.1:6385\n';
const initrd =
  sampleFiles('fedora-coreos-99.20990101.dev.0').get('images/pxeboot/initrd.img') ?? new Uint8Array();

let cwd: string;
const run = (...args: string[]): Promise<RunResult> => runCli(args, { cwd });
const inspect = (...args: string[]): Promise<RunResult> => run('inspect', ...args);

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await inspect('--format', 'json', ...args);
  return JSON.parse(stdout);
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'inspect test '));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    'agent.ign': agentConfig(conf),
    'debug.ign': agentConfig(`${conf}debug = True\n`),
    'released.iso': liveIso('2023-07'),
    'ipa.iso': liveIso('2023-07'),
    's390x.iso': liveIso('s390x'),
    'grown.iso': liveIso('2023-07'),
    'minimal.iso': isoPair().minimal,
    'damaged.iso': damagedIso(),
    'other.iso': liveIsoWith((all) => {
      for (const path of ['coreos/igninfo.json', 'coreos/kargs.json', 'images/ignition.img'])
        all.delete(path);
    }),
    'initrd.img': initrd,
    'noise.bin': createHash('shake256', { outputLength: 400_000 }).update('noise').digest(),
    'eth0.nmconnection': '[connection]\nid=eth0\ntype=ethernet\n',
    'broken.nmconnection': 'psk=hunter2\n',
    'broken.ign': '{"ignition":{"version":"3.4.0"}, "hunter2"}',
    'old.ign': '{"ignition":{"version":"2.3.0"}}',
    'terminal.ign':
      '{"ignition":{"version":"3.4.0"},"storage":{"links":[{"path":"/\\u001b[31m","target":"x"}]}}',
    kernel: 'MZ',
    'kernel.gz': gzipSync(Buffer.from('ARM\x64'.padStart(60))),
    'text.gz': gzipSync('text'),
    text: 'a text\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
  await run('iso', 'ignition', 'embed', '-i', 'agent.ign', 'ipa.iso');
  const keyfiles = ['-k', 'eth0.nmconnection', '-k', 'broken.nmconnection'];
  const env = { IRONIC_COREOS_VALIDATE: '0' };
  await runCli(['iso', 'network', 'embed', ...keyfiles, 'ipa.iso'], { cwd, env });
  await run(
    'iso',
    'kargs',
    'modify',
    '-d',
    'mitigations=auto,nosmt',
    '-a',
    'ipa-agent-token=hunter2',
    'ipa.iso',
  );
  await run('iso', 'ignition', 'embed', '--grow', '--no-validate', '-i', 'noise.bin', 'grown.iso');
  await run('pxe', 'ignition', 'wrap', '-i', 'agent.ign', '-o', 'config.img');
  await writeFile(join(cwd, 'ipa.img'), Buffer.concat([initrd, await readFile(join(cwd, 'config.img'))]));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

/** Garbage in the embed area, and in the kernel arguments of one of the boot loaders. */
function damagedIso(): Uint8Array {
  const image = Buffer.from(
    liveIsoWith((files) => files.set('images/ignition.img', Buffer.concat([Buffer.from('x')], 262_144))),
  );
  image.write('other', image.indexOf('mitigations='));
  return image;
}

describe('inspect', () => {
  it.each<[string, number]>([
    ['released.iso', 0],
    ['ipa.iso', 0],
    ['s390x.iso', 0],
    ['minimal.iso', 0],
    ['damaged.iso', 1],
    ['other.iso', 1],
    ['ipa.img', 0],
    ['agent.ign', 0],
    ['terminal.ign', 0],
  ])('%s: as in test/golden/inspect, ends with %i', async (file, code) => {
    const result = await inspect(file);
    expect(result).toMatchObject({ code, stderr: '' });
    await expect(result.stdout).toMatchFileSnapshot(`../../golden/inspect/${file}.txt`);
  });

  it.each<[string, string, boolean | null]>([
    ['released.iso', 'live-iso', true],
    ['ipa.iso', 'live-iso', false],
    ['grown.iso', 'live-iso', false],
    ['minimal.iso', 'minimal-iso', true],
    ['damaged.iso', 'live-iso', false],
    ['other.iso', 'iso', null],
    ['initrd.img', 'initramfs', true],
    ['ipa.img', 'initramfs', false],
    ['config.img', 'archive', null],
    ['agent.ign', 'ignition', null],
  ])('%s as JSON, by schemas/inspect.json', async (file, kind, pristine) => {
    const isReport = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
      JSON.parse(readFileSync('schemas/inspect.json', 'utf8')),
    );
    const report = await json(file);
    isReport(report);
    expect(isReport.errors).toBeNull();
    expect(report).toMatchObject({ file, kind, pristine });
  });

  it('has the same keys for everything, none of which the schema does not know', async () => {
    const schema: { readonly required: readonly string[] } = JSON.parse(
      readFileSync('schemas/inspect.json', 'utf8'),
    );
    for (const file of ['ipa.iso', 'initrd.img', 'agent.ign']) {
      expect(Object.keys(await json(file))).toEqual(schema.required);
    }
  });

  it.each<Layout>([...layouts])('counts the areas of layout %s', async (layout) => {
    await writeFile(join(cwd, `${layout}.iso`), liveIso(layout));
    const before = await json(`${layout}.iso`);
    expect(before['embedArea']).toMatchObject({ used: 0, free: 262_144 });
    await run('iso', 'ignition', 'embed', '-i', 'agent.ign', `${layout}.iso`);
    const { embedArea, files } = await json(`${layout}.iso`);
    const used = (await readFile(join(cwd, 'config.img'))).length;
    const areas = [used, used - 4].map((bytes) => ({ used: bytes, free: 262_144 - bytes }));
    expect(areas.map((area) => expect.objectContaining(area))).toContainEqual(embedArea);
    const sha256 = createHash('sha256')
      .update(await readFile(join(cwd, 'agent.ign')))
      .digest('hex');
    expect(files).toEqual([{ path: 'config.ign', size: expect.any(Number), sha256 }]);
  });

  it('says what was appended', async () => {
    const { appended, differences } = await json('grown.iso');
    expect(appended).toEqual({ originalSize: liveIso('2023-07').length, embedArea: true, files: [] });
    expect(differences).toEqual(['Ignition config', 'enlarged reserved area']);
  });

  it('lists the files of a config of any length', async () => {
    const files = Array.from({ length: 130_000 }, (_, index) => ({ path: `/etc/${index}` }));
    const stdin = JSON.stringify({ ignition: { version: '3.4.0' }, storage: { files } });
    const { code, stdout } = await runCli(['inspect', '-'], { stdin });
    expect([code, stdout.includes('/etc/129999')]).toEqual([0, true]);
  });

  it('shows the address of a network before the settings that come first in its keyfile', async () => {
    const keyfile = `[connection]
id=eth0
type=ethernet
autoconnect=true
autoconnect-retries=1
autoconnect-priority=1
[ipv4]
method=manual
address1=192.0.2.20/24
`;
    const path = '/etc/NetworkManager/system-connections/eth0.nmconnection';
    const files = [{ path, mode: 384, contents: { source: dataUrl(keyfile) } }];
    const stdin = JSON.stringify({ ignition: { version: '3.4.0' }, storage: { files } });
    const { stdout } = await runCli(['inspect', '-'], { stdin });
    const [, shown = ''] = stdout.split('eth0.nmconnection\n');
    expect(shown.split('\n').map((line) => line.trim())).toEqual([
      'mode = 0600',
      '[ipv4] address1=192.0.2.20/24',
      '[connection]',
      expect.stringMatching(/^\[connection\] /),
      expect.stringMatching(/^\[connection\] /),
      expect.stringMatching(/^and \d+ more \(--format full\)$/),
      '',
    ]);
  });

  it('refuses a file that is too large for a config', async () => {
    await writeFile(join(cwd, 'large'), 'x');
    await truncate(join(cwd, 'large'), 256 * 1024 * 1024 + 1);
    const { code, stderr } = await inspect('large');
    expect(code).toBe(1);
    expect(stderr).toContain('large is too large: more than 256 MiB\nhint: pass a file of at most 256 MiB\n');
  });

  it('reads standard input', async () => {
    const stdin = await readFile(join(cwd, 'released.iso'));
    const { code, stdout } = await runCli(['inspect', '-'], { cwd, stdin });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^standard input\n {2}kind +live ISO of CoreOS/);
  });

  it.each(['text', 'json'])('%s: shows no secret', async (format) => {
    for (const file of ['ipa.iso', 'ipa.img', 'agent.ign']) {
      const { stdout, stderr } = await inspect('--format', format, file);
      expect(stdout).not.toBe('');
      expect(stdout + stderr).not.toMatch(/hunter2|aHVudGVyMg/);
    }
  });

  it.each<[string, readonly string[], number, string]>([
    ['nothing there', ['nowhere.iso'], 1, 'Image not found: nowhere.iso'],
    [
      'a kernel',
      ['kernel'],
      1,
      'kernel is a kernel or another EFI program, not an image, an Ignition config or an archive',
    ],
    [
      'a compressed kernel',
      ['kernel.gz'],
      1,
      'kernel.gz is a kernel or another EFI program, not an image, an Ignition config or an archive',
    ],
    ['another compressed file', ['text.gz'], 1, 'text.gz: the file is compressed with gzip'],
    [
      'another file',
      ['text'],
      1,
      'text is neither a live ISO, an initramfs, an Ignition config nor an archive',
    ],
    ['a form that is none', ['--format', 'yaml', 'ipa.iso'], 2, 'use one of text, full, json'],
    ['two forms', ['--format', 'text', '--format', 'json', 'ipa.iso'], 2, 'cannot be used multiple times'],
    ['no image', [], 2, "missing required argument 'IMAGE'"],
    ['standard input twice', ['-', '-'], 2, 'standard input can be used for only one of the two images'],
    ['a comparison with nothing there', ['ipa.iso', 'nowhere.iso'], 2, 'Image not found: nowhere.iso'],
  ])('refuses %s', async (_title, args, code, message) => {
    const result = await inspect(...args);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
  });

  it.each(['broken.ign', 'old.ign'])('says what is wrong with %s', async (file) => {
    const { code, stdout } = await inspect(file);
    expect(code).toBe(1);
    expect(stdout).toContain('error: the embedded config is not a readable Ignition config');
  });

  it('keeps its help within 80 columns', async () => {
    const { stdout } = await inspect('--help');
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('inspect of two', () => {
  it.each<[string, string]>([
    ['ipa.iso', 'ipa.iso'],
    ['ipa.iso', 'agent.ign'],
    ['ipa.img', 'agent.ign'],
    ['config.img', 'agent.ign'],
  ])('finds %s and %s the same', async (first, second) => {
    expect(await inspect(first, second)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
      stdoutBytes: Buffer.alloc(0),
    });
    expect(await json(first, second)).toEqual([]);
  });

  it('tells what differs', async () => {
    const result = await inspect('released.iso', 'ipa.iso');
    expect(result).toMatchObject({ code: 1, stderr: '' });
    await expect(result.stdout).toMatchFileSnapshot('../../golden/inspect/released-ipa.txt');
  });

  it('compares configs by file, unit and user', async () => {
    const topic = 'file /etc/ironic-python-agent.conf';
    const line = '[DEFAULT] debug = True';
    expect((await inspect('ipa.iso', 'debug.ign')).stdout).toBe(
      `--- ipa.iso\n+++ debug.ign\n${topic}\n  + ${line}\n`,
    );
    expect(await json('debug.ign', 'ipa.iso')).toEqual([{ topic, first: [line], second: [] }]);
  });

  it('compares a config with one that is rendered into a pipe', async () => {
    const args = ['--agent-image', 'quay.io/a/b', '--no-ssh-key', '--api-url'];
    const render = (url: string): Promise<RunResult> => run('render', ...args, url);
    await writeFile(join(cwd, 'deployed.ign'), (await render('https://192.0.2.1')).stdout);
    const same = (await render('https://192.0.2.1')).stdout;
    expect(await runCli(['inspect', 'deployed.ign', '-'], { cwd, stdin: same })).toMatchObject({ code: 0 });
    const other = (await render('https://192.0.2.9')).stdout;
    const result = await runCli(['inspect', 'deployed.ign', '-'], { cwd, stdin: other });
    expect(result).toMatchObject({ code: 1, stderr: '' });
    expect(result.stdout).toContain(
      '  - [DEFAULT] api_url = https://192.0.2.1:6385\n  + [DEFAULT] api_url = https://192.0.2.9:6385\n',
    );
  });

  it('compares folders by the paths in them', async () => {
    for (const name of ['old/hosts', 'new/hosts', 'none']) await mkdir(join(cwd, name), { recursive: true });
    const files = {
      'old/same.ign': conf,
      'new/same.ign': conf,
      'old/hosts/a.ign': conf,
      'new/hosts/a.ign': `${conf}debug = True\n`,
      'old/gone.ign': conf,
      'none/notes.txt': conf,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), agentConfig(text));
    const size = `${agentConfig(conf).length} bytes`;
    expect(await inspect('old', 'new')).toMatchObject({
      code: 1,
      stderr: '',
      stdout:
        `--- old/gone.ign\n+++ (missing)\nkind\n  - Ignition config\nsize\n  - ${size}\n` +
        '--- old/hosts/a.ign\n+++ new/hosts/a.ign\nfile /etc/ironic-python-agent.conf\n  + [DEFAULT] debug = True\n',
    });
    expect(await json('new', 'old')).toMatchObject([
      { file: 'gone.ign', topic: 'kind', first: [], second: ['Ignition config'] },
      { file: 'gone.ign', topic: 'size' },
      { file: 'hosts/a.ign', topic: 'file /etc/ironic-python-agent.conf' },
    ]);
    expect(await inspect('old', 'old')).toMatchObject({ code: 0, stdout: '' });
    expect((await inspect('none', 'none')).stderr).toContain('neither none nor none contains an image');
    for (const args of [
      ['old', 'agent.ign'],
      ['-', 'new'],
    ]) {
      const { code, stderr } = await inspect(...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining('only with another folder')]);
    }
  });

  it('tells secrets apart that it does not show', async () => {
    await writeFile(join(cwd, 'token.iso'), await readFile(join(cwd, 'ipa.iso')));
    await run('iso', 'kargs', 'modify', '-r', 'ipa-agent-token=hunter2=hunter3', 'token.iso');
    expect(await inspect('ipa.iso', 'token.iso')).toMatchObject({
      code: 1,
      stdout:
        '--- ipa.iso\n+++ token.iso\nkernel arguments\n' +
        '  - ipa-agent-token=(secret)\n  + ipa-agent-token=(secret) (different value)\n',
    });
  });

  it('tells another order of kernel arguments, which may matter', async () => {
    await writeFile(join(cwd, 'order.iso'), liveIso('2023-07'));
    await run(
      'iso',
      'kargs',
      'modify',
      '-d',
      'mitigations=auto,nosmt',
      '-a',
      'mitigations=auto,nosmt',
      'order.iso',
    );
    const [first = '', second = '', topic, ...lines] = (
      await inspect('released.iso', 'order.iso')
    ).stdout.split('\n');
    expect([first, second, topic, lines.length]).toEqual([
      '--- released.iso',
      '+++ order.iso',
      'kernel arguments',
      3,
    ]);
  });

  it('ends with 2 where one is damaged, and says the rest', async () => {
    const result = await inspect('damaged.iso', 'released.iso');
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('error: damaged.iso: Unrecognized CoreOS ISO image');
    expect(result.stdout).toContain('reserved area\n');
  });
});
