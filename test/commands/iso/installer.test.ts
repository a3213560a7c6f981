/** An ISO that has both the agent and the installer: the installer would run instead of the agent. */

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { liveIso } from '../../support/liveIso.ts';
import { isolinux, kernel, ldlinux, liveInitrd } from '../../support/newIso.ts';
import { runCli } from '../../support/runCli.ts';

let cwd: string;
const run = (line: string) => runCli(line.split(' '), { cwd });
const device = 'coreos.inst.install_dev=/dev/sda';

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'installer '));
  await run(
    'render --api-url https://192.0.2.1 --agent-image registry.example.com/ironic-agent --no-ssh-key -o agent.ign',
  );
  await writeFile(join(cwd, 'other.ign'), '{"ignition":{"version":"3.4.0"}}');
});
beforeEach(() => writeFile(join(cwd, 'a.iso'), liveIso('2023-07')));
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe('the installer beside the agent', () => {
  it.each([
    ['iso ignition embed -i agent.ign a.iso', `iso kargs modify -a ${device} a.iso`],
    [`iso kargs modify -a ${device} a.iso`, 'iso ignition embed -i agent.ign a.iso'],
    [undefined, `iso customize --live-ignition agent.ign --live-karg-append ${device} a.iso`],
    [undefined, 'iso customize --live-ignition agent.ign --dest-device /dev/sda a.iso'],
    [undefined, 'iso customize --live-ignition agent.ign --dest-ignition other.ign a.iso'],
    [undefined, 'iso customize --live-ignition agent.ign --dest-karg-append x=1 a.iso'],
  ])('after %s, is refused by %s, unless the rule is ignored', async (before, line) => {
    if (before !== undefined) await run(before);
    const image = await readFile(join(cwd, 'a.iso'));
    const refused = await run(line);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the installer runs instead of the agent and overwrites the disk');
    expect(await readFile(join(cwd, 'a.iso'))).toEqual(image);
    expect((await run(`--ignore agent-installer ${line}`)).code).toBe(0);
    const checked = await run('validate a.iso');
    expect([checked.code, checked.stdout.includes('(agent-installer)')]).toEqual([1, true]);
  });

  it('is refused by iso kargs reset if it is in the default arguments', async () => {
    const files = { kernel, 'live.img': liveInitrd, 'isolinux.bin': isolinux, 'ldlinux.c32': ldlinux };
    for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
    await run(`iso create -k kernel -i live.img --isolinux isolinux.bin --karg ${device} -o new.iso`);
    await run(`iso kargs modify -d ${device} new.iso`);
    expect((await run('iso ignition embed -i agent.ign new.iso')).code).toBe(0);
    const image = await readFile(join(cwd, 'new.iso'));
    const refused = await run('iso kargs reset new.iso');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('the installer runs instead of the agent and overwrites the disk');
    expect(await readFile(join(cwd, 'new.iso'))).toEqual(image);
    expect((await run('--ignore agent-installer iso kargs reset new.iso')).code).toBe(0);
  });

  it('is refused by iso create if the initramfs contains the config', async () => {
    await run('pxe ignition wrap -i agent.ign -o agent.img');
    const initramfs = Buffer.concat([liveInitrd, await readFile(join(cwd, 'agent.img'))]);
    const files = { kernel, 'agent-live.img': initramfs, 'isolinux.bin': isolinux, 'ldlinux.c32': ldlinux };
    for (const [name, data] of Object.entries(files)) await writeFile(join(cwd, name), data);
    const line = `iso create -k kernel -i agent-live.img --isolinux isolinux.bin --karg ${device} -o agent.iso`;
    const refused = await run(line);
    expect([refused.code, await readdir(cwd)]).toEqual([1, expect.not.arrayContaining(['agent.iso'])]);
    expect(refused.stderr).toContain('the installer runs instead of the agent and overwrites the disk');
    expect((await run(`--ignore agent-installer ${line}`)).code).toBe(0);
  });

  it('is refused in an initramfs', async () => {
    await run('iso extract pxe -o parts a.iso');
    const initrd = (await readdir(join(cwd, 'parts'))).find((name) => name.includes('initr'));
    const line = `pxe customize --live-ignition agent.ign --dest-device /dev/sda -o new parts/${initrd}`;
    const refused = await run(line);
    expect([refused.code, await readdir(cwd)]).toEqual([1, expect.not.arrayContaining(['new'])]);
    expect(refused.stderr).toContain('with a file in /etc/coreos/installer.d, the installer runs instead');
    expect((await run(`--ignore agent-installer ${line}`)).code).toBe(0);
  });

  it.each([
    'prepare --inventory inv.yaml --iso a.iso -o out --base-url http://192.0.2.1',
    'prepare --inventory all.yaml --iso a.iso -o out --base-url http://192.0.2.1',
    'serve --fail-fast --inventory inv.yaml --iso a.iso --listen 127.0.0.1:0',
  ])('in an inventory, is refused by %s', async (line) => {
    const settings = `agent: {ironic.apiUrls: https://192.0.2.1, boot.kernelArguments: ['${device}']}\n`;
    await writeFile(join(cwd, 'inv.yaml'), `${settings}hosts: [{name: a, mac: '52:54:00:00:00:01'}]\n`);
    await writeFile(join(cwd, 'all.yaml'), settings);
    const { code, stderr } = await run(line);
    expect(stderr).toContain('the installer runs instead of the agent and overwrites the disk');
    expect(code).toBe(1);
    await rm(join(cwd, 'out'), { recursive: true, force: true });
  });

  it.each([
    [`iso kargs modify -a ${device} a.iso`, 'iso ignition embed -i other.ign a.iso'],
    ['iso ignition embed -i agent.ign a.iso', 'iso kargs modify -a coreos.inst.install_dev= a.iso'],
    ['iso ignition embed -i agent.ign a.iso', 'iso kargs modify -a x=1 a.iso'],
  ])('after %s, is not seen by %s', async (before, line) => {
    expect((await run(before)).code).toBe(0);
    expect((await run(line)).code).toBe(0);
  });
});
