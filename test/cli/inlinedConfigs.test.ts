/** Every command that reads a config sees what is inlined in it, as `iso customize --live-ignition` writes it. */

import { execFileSync } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config, Resource } from '../../src/ignition/config.ts';
import { readImageConfig } from '../../src/trial/emulation/guestAddress.ts';
import { createIo } from '../support/createIo.ts';
import { liveIso } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';

const inlined = (config: object | string, compression?: 'gzip'): Resource => {
  const bytes = Buffer.from(typeof config === 'string' ? config : JSON.stringify(config));
  const data = compression === undefined ? bytes : gzipSync(bytes);
  return {
    source: `data:;base64,${data.toString('base64')}`,
    ...(compression !== undefined && { compression }),
  };
};

const merging = (...merge: readonly Resource[]): Config => ({
  ignition: { version: '3.4.0', config: { merge } },
});

const relative = {
  ignition: { version: '3.4.0' },
  storage: { files: [{ path: 'etc/x' }] },
  passwd: { users: [{ nmae: 'core' }, { name: 'x', passwordHash: 'sesame', uidd: 1 }] },
};

let cwd: string;
let agent: Config;
const write = (name: string, content: object | string): Promise<void> =>
  writeFile(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content));
const run = (line: string) => runCli(line.split(' '), { cwd });

interface JsonMessage {
  readonly rule: string;
  readonly member?: string;
  readonly line: number | null;
  readonly column: number | null;
}

async function messagesOf(file: string, options = ''): Promise<string[]> {
  const { stdout } = await run(`validate --format json${options} ${file}`);
  const report: { readonly messages: readonly JsonMessage[] } = JSON.parse(stdout);
  const schema: object = JSON.parse(
    await readFile(join(import.meta.dirname, '../../schemas/report.json'), 'utf8'),
  );
  expect(new Ajv({ allowUnionTypes: true }).validate(schema, report)).toBe(true);
  return report.messages.map(
    ({ rule, member = '', line, column }) => `${rule} ${member}:${line ?? '-'}:${column ?? '-'}`,
  );
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'inlined configs '));
  await run(
    'render --api-url https://192.0.2.7:6385 --agent-image registry.example.com/ironic-agent --no-ssh-key -o agent.ign',
  );
  agent = JSON.parse(await readFile(join(cwd, 'agent.ign'), 'utf8'));
  await write('agentInside.ign', merging(inlined(agent, 'gzip')));
  await write('relative.ign', merging(inlined(agent), inlined(merging(inlined(relative, 'gzip')))));
  await write('broken.ign', merging(inlined('{')));
  await write('remote.ign', merging({ source: 'https://192.0.2.1/a' }, inlined(agent)));
  await write('x.iso', '');
  await writeFile(join(cwd, 'x.iso'), liveIso('2023-07'));
  await copyFile(join(cwd, 'x.iso'), join(cwd, 'y.iso'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('validate', () => {
  it('says where in which config something is wrong, and shows it without its secrets', async () => {
    const { code, stdout, stderr } = await run('validate relative.ign');
    expect([code, stderr]).toEqual([1, 'relative.ign: invalid (1 error, 2 warnings)\n']);
    const place = 'relative.ign > ignition.config.merge.1 > ignition.config.merge.0:1';
    expect(stdout).toContain(
      `error: path not absolute [$.storage.files.0.path] (path-relative)\n  --> ${place}:61\n`,
    );
    expect(stdout).toContain(
      ' 1 | …n":"3.4.0"},"storage":{"files":[{"path":"etc/x"}]},"passwd":{"users":[{"nmae":"core"},{"name":"x","p…\n' +
        '   |                                          ^^^^^^^\n',
    );
    expect(stdout).toContain('"nmae":"core"');
    expect(stdout).toContain('"passwordHash":"******"');
    expect(stdout).not.toContain('sesame');
  });

  it('names the config in JSON and annotations', async () => {
    const member = 'ignition.config.merge.1 > ignition.config.merge.0';
    expect(await messagesOf('relative.ign')).toEqual([
      `path-relative ${member}:1:61`,
      `unused-key ${member}:1:92`,
      `unused-key ${member}:1:143`,
    ]);
    const github = await run('validate --format github relative.ign');
    expect(github.stdout).toContain(
      `::error file=relative.ign,title=path-relative::path not absolute [$.storage.files.0.path]%0Ain ${member}:1:61%0A`,
    );
  });

  it('has those of images, of YAML and of what cannot be read', async () => {
    await run('iso ignition embed --no-validate -i relative.ign x.iso');
    expect((await messagesOf('x.iso'))[0]).toBe(
      'path-relative config.ign > ignition.config.merge.1 > ignition.config.merge.0:1:61',
    );
    expect((await run('validate x.iso')).stdout).toContain(
      '--> x.iso: config.ign > ignition.config.merge.1 > ignition.config.merge.0:1:61\n',
    );
    const { source = '' } = inlined(relative);
    await write('a.yaml', `ignition:\n  version: 3.4.0\n  config:\n    merge:\n      - source: ${source}\n`);
    expect((await messagesOf('a.yaml'))[0]).toBe('path-relative ignition.config.merge.0:1:61');
    expect(await messagesOf('broken.ign')).toEqual(['json-syntax ignition.config.merge.0:-:-']);
  });

  it('names what is not looked into, and stays valid', async () => {
    const { code, stdout } = await run('validate --strict remote.ign');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'info: the config at this URL is not checked: Ignition fetches it on boot [$.ignition.config.merge.0.source] (config-remote)\n  --> remote.ign:1:61\n',
    );
  });

  it('checks whether all together run the agent, each finding where it comes from', async () => {
    const [unit] = agent.systemd?.units ?? [];
    const without = { ...agent, systemd: { units: [{ ...unit, enabled: false }] } };
    await write('split.ign', {
      ...merging(inlined({ ignition: { version: '3.4.0' }, storage: agent.storage })),
      systemd: without.systemd,
    });
    expect(await messagesOf('split.ign')).toEqual([expect.stringMatching(/^agent-unit-not-enabled :1:\d+$/)]);
    await write('inside.ign', merging(inlined(without)));
    expect(await messagesOf('inside.ign')).toEqual([
      expect.stringMatching(/^agent-unit-not-enabled ignition\.config\.merge\.0:1:\d+$/),
    ]);
    await write(
      'enabled.ign',
      merging(
        inlined(without),
        inlined({
          ignition: { version: '3.4.0' },
          systemd: { units: [{ name: unit?.name, enabled: true }] },
        }),
      ),
    );
    expect(await messagesOf('enabled.ign')).toEqual([]);
  });

  it('refuses what is valid in each config and not in all together', async () => {
    const link = { ignition: { version: '3.4.0' }, storage: { links: [{ path: '/a', target: '/b' }] } };
    await write('merged.ign', { ...merging(inlined(link)), storage: { files: [{ path: '/a/x' }] } });
    const { code, stdout } = await run('validate merged.ign');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^error: file path includes link in config, once all configs are merged \[\$\.storage\.files\.0\] \([a-z-]+\)\n {2}--> merged\.ign:1:\d+\n/,
    );
  });
});

describe('other commands', () => {
  const render =
    'render --api-url https://192.0.2.7 --agent-image registry.example.com/ironic-agent --no-ssh-key';

  it('inspect lists the parts of all together', async () => {
    const { stdout } = await run('inspect --format json agentInside.ign');
    expect(JSON.parse(stdout)).toMatchObject({
      ignition: {
        version: '3.4.0',
        runsAgent: true,
        inlinedConfigs: 1,
        parts: expect.arrayContaining([
          {
            owner: 'file /etc/ironic-python-agent.conf',
            lines: expect.arrayContaining(['[DEFAULT] api_url = https://192.0.2.7:6385']) as unknown,
          },
        ]) as unknown,
      },
      memory: { recommended: 6 * 1024 ** 3 },
    });
    expect((await run('inspect agentInside.ign')).stdout).toContain(
      'config of spec 3.4.0 with 1 inlined config, runs the agent\n',
    );
    const broken = await run('inspect broken.ign');
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('unexpected end of JSON input in ignition.config.merge.0 (');
    expect((await run('inspect remote.ign')).stdout).toContain(
      'info: ignition.config.merge.0.source: the config at this URL is not checked: Ignition fetches it on boot (config-remote)\n',
    );
  });

  it('inspect and try know which Ironic it names', async () => {
    const { stdout } = await run('inspect agentInside.ign');
    expect(stdout).toContain('[DEFAULT] api_url = https://192.0.2.7:6385');
    const io = createIo({ cwd });
    expect((await run('iso ignition embed -i agentInside.ign -o named.iso y.iso')).code).toBe(0);
    expect(await readImageConfig(join(cwd, 'named.iso'), io)).toEqual({
      issues: [],
      urls: ['https://192.0.2.7:6385'],
    });
  });

  it('embed, merge and render refuse what Ignition would refuse', async () => {
    for (const line of [
      'iso ignition embed -i relative.ign y.iso',
      'pxe ignition wrap -i relative.ign -o a.img',
      'ignition merge relative.ign agent.ign',
      'iso customize --live-ignition relative.ign -o z.iso y.iso',
      `${render} --merge relative.ign`,
    ]) {
      const { code, stderr } = await run(line);
      expect([line, code]).toEqual([line, 1]);
      expect(stderr).toContain('relative.ign > ignition.config.merge.1 > ignition.config.merge.0:1:61\n');
    }
  });

  it('render refuses what is valid in each config and not in all together', async () => {
    const link = { ignition: { version: '3.4.0' }, storage: { links: [{ path: '/srv/a', target: '/b' }] } };
    await write('link.ign', merging(inlined(link)));
    expect((await run(`${render} --merge link.ign`)).code).toBe(0);
    expect(await run(`${render} --merge link.ign --file /srv/a/x=link.ign`)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(
        'error: file path includes link in config, once all configs are merged',
      ),
    });
  });

  it('render reports a warning of an inlined config once', async () => {
    await write('unused.ign', merging(inlined({ ignition: { version: '3.4.0' }, unused: 1 })));
    const { code, stderr } = await run(`${render} --merge unused.ign`);
    expect([code, stderr.match(/unused key/g)]).toEqual([0, ['unused key']]);
  });

  it('deploy knows the config of a ramdisk', async () => {
    const { code, stderr } = await run('deploy configdrive --ignition agentInside.ign');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('the config runs ironic-python-agent: it seems to be for the ramdisk'),
    ]);
    expect(stderr).toContain(
      '[$.ignition.config.merge.0] (install-config-of-ramdisk)\n  --> agentInside.ign:1:',
    );
  });

  it('a rendered config that inlines a file for root only is not for everybody', async () => {
    const file = { path: '/etc/x', mode: 0o600, contents: { source: 'data:,x' } };
    await write(
      'private.ign',
      merging(inlined({ ignition: { version: '3.4.0' }, storage: { files: [file] } })),
    );
    const { stderr } = await run(`${render} --merge private.ign -o private.out`);
    expect(stderr).toContain('a file that only some users can read');
  });
});

const peer = 'coreos-installer';

describe.skipIf(!have(peer))(`configs of coreos-installer${oracleNote(peer)}`, () => {
  it('and ours are read the same', async () => {
    await writeFile(join(cwd, 'ours.iso'), liveIso('2023-07'));
    await writeFile(join(cwd, 'theirs.iso'), liveIso('2023-07'));
    await run('iso customize --live-ignition agent.ign ours.iso');
    execFileSync(peer, ['iso', 'customize', '--live-ignition', 'agent.ign', 'theirs.iso'], { cwd });
    for (const image of ['ours.iso', 'theirs.iso']) {
      const { code, stdout } = await run(`inspect --format json ${image}`);
      expect([code, await messagesOf(image)]).toEqual([0, []]);
      expect(JSON.parse(stdout)).toMatchObject({ ignition: { runsAgent: true, inlinedConfigs: 1 } });
    }
    const { stdout } = await run('inspect --format json ours.iso theirs.iso');
    expect(stdout).not.toContain('ironic');
  });
});
