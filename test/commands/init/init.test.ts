import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { jobs } from '../../../src/commands/init/options.ts';
import { init } from '../../../src/commands/init/init.ts';
import { createIo } from '../../support/createIo.ts';
import { inputsNameImage } from '../../support/agentImage.ts';
import { runCli } from '../../support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'init '));
afterAll(() => rmSync(cwd, { recursive: true }));
const run = (...args: readonly string[]) => runCli([...args], { cwd, env: inputsNameImage });

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK9zIsVJMfhacIuKONUMGEmrH10rGh7UkLGfneQkUQH0 core@desk';

describe('init', () => {
  it.each(Object.keys(jobs))('%s writes an inventory that is valid without a change', async (job) => {
    const file = `${job}.yaml`;
    expect(await run('init', job, '-o', file, '--ssh-key', KEY)).toMatchObject({ code: 0, stdout: '' });
    const { code, stdout, stderr } = await run('validate', '--strict', file);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`${file}: valid\n`);
  });

  it('of deploy has hosts that deploy accepts', async () => {
    for (const form of ['baremetalhost', 'node']) {
      expect(await run('deploy', form, '--inventory', 'deploy.yaml')).toMatchObject({ code: 0 });
    }
  });

  it('writes the values of its options', async () => {
    const { stdout } = await run(
      'init',
      'deploy',
      '-o',
      '-',
      '--api-url',
      'http://[2001:db8::1]',
      '--agent-image',
      'a.example/ipa:1',
    );
    expect(stdout).toContain('  ironic.apiUrls: http://[2001:db8::1]\n');
    expect(stdout).toContain('  agent.image: a.example/ipa:1 ');
  });

  it.each([
    ['no job', ['init', '-o', 'new.yaml'], 2, 'the job of the hosts is missing'],
    ['an unknown job', ['init', 'pxe', '-o', 'new.yaml'], 2, 'invalid value "pxe" for JOB'],
    ['a file that exists', ['init', 'deploy', '-o', 'deploy.yaml'], 1, 'File exists: deploy.yaml'],
    ['no key', ['init', 'deploy', '-o', 'new.yaml', '--ssh-key', 'deploy.yaml'], 2, 'no public SSH key'],
  ])('refuses %s', async (_title, args, code, message) => {
    const result = await run(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  it.each([
    ['by number', ['2\n', '\n', 'quay.example/ipa\n', '\n'], 'quay.example/ipa'],
    ['by name', ['network-boot\n', 'http://192.0.2.9\n', '\n', `${KEY}\n`], 'http://192.0.2.9'],
  ])('asks on a terminal: a job %s', async (title, answers, expected) => {
    const output = `${title}.yaml`;
    const stdin = Object.assign(Readable.from(answers.map((text) => Buffer.from(text))), { isTTY: true });
    expect(await init({ output }, createIo({ cwd, stdin }))).toBe(0);
    const text = readFileSync(join(cwd, output), 'utf8');
    expect(text).toContain('Many hosts that boot the agent from the network');
    expect(text).toContain(expected);
  });

  it('refuses an unknown job before it asks for more', async () => {
    const stdin = Object.assign(Readable.from([Buffer.from('pxe\n')]), { isTTY: true });
    await expect(init({ output: 'new.yaml' }, createIo({ cwd, stdin }))).rejects.toThrow('"pxe" for JOB');
  });
});
