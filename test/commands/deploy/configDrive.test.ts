import { readFile, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { deployFolder, files } from './support.ts';

const { path, run } = deployFolder();
const configDrive = (...args: string[]) => run(['configdrive', ...args]);

describe('deploy configdrive', () => {
  it('writes the JSON form', async () => {
    const args = ['--ignition', 'host.ign', '--append-karg', 'console=ttyS0,115200n8', '--copy-network'];
    const { code, stdout, stderr } = await configDrive(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(stdout).toMatchFileSnapshot('../../golden/deploy/configdrive.json');
    const pretty = await configDrive(...args, '--pretty');
    expect(JSON.parse(pretty.stdout)).toEqual(JSON.parse(stdout));
    expect(pretty.stdout).toContain('\n  "user_data": {');
  });

  it('writes a file for nobody else', async () => {
    expect(await configDrive('--ignition', 'host.ign', '-o', 'drive.json')).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect((await stat(path('drive.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(path('drive.json'), 'utf8'))).toEqual({
      user_data: JSON.parse(files['host.ign']) as unknown,
    });
  });

  it.each([
    ['a config that is not valid', ['--ignition', 'invalid.ign'], 1, /not absolute/],
    ['a broken argument', ['--append-karg', 'a b'], 1, /--append-karg/],
    ['nothing', [], 2, /the config drive is empty/],
  ])('refuses %s', async (_title, args, code, message) => {
    expect(await configDrive(...args)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});
