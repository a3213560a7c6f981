import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../../src/core/errors.ts';
import { causeBook } from '../../../src/trial/timeline/causeBook.ts';
import { explanations, explanationsIn } from '../../../src/io/report/explanations.ts';
import { formatExplanation } from '../../../src/commands/explain/explain.ts';
import { corpusLogs } from '../../support/consoleCorpus.ts';
import { runCli } from '../../support/runCli.ts';

const idsIn = (page: string): readonly string[] => explanationsIn(page).map(({ id }) => id);

describe('explain', () => {
  it('says what a rule means, with a wrong and a right example', async () => {
    const { code, stdout, stderr } = await runCli(['explain', 'mode-special-bits']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n\n')).toEqual([
      'mode-special-bits (warning, 3.0.0 to 3.5.0)\n  setuid/setgid/sticky bits are not supported or functional in spec versions\n  older than 3.6.0',
      expect.stringContaining('decimal 644 is octal 01204'),
      'Invalid:\n  {"storage": {"files": [{"path": "/etc/motd", "mode": 644}]}}',
      'Valid:\n  {"storage": {"files": [{"path": "/etc/motd", "mode": 420}]}}\n',
    ]);
  });

  it('says that Ignition stops at a pull secret that it cannot decode', async () => {
    const { stdout } = await runCli(['explain', 'agent-secret-content']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Then it stops, and the machine does not boot.');
  });

  it('prints one rule or all as JSON', async () => {
    const one = await runCli(['explain', '--format', 'json', 'conf-unknown']);
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(JSON.parse(one.stdout)).toEqual([
      expect.objectContaining({
        id: 'conf-unknown',
        section: expect.stringMatching(/^docs\/rules\.md#.*conf-unknown/),
        invalid: expect.objectContaining({ language: 'ini' }),
      }),
    ]);
    const all: readonly { id: string }[] = JSON.parse((await runCli(['explain', '--format', 'json'])).stdout);
    expect(all.map(({ id }) => id)).toEqual([
      ...idsIn('rules'),
      ...errorCodes,
      ...idsIn('troubleshooting'),
      ...idsIn('reasons'),
    ]);
    expect((await runCli(['explain', '--format', 'yaml'])).code).toBe(2);
  });

  it('lists all ids without one, by group, each in one line; in a pipe with the whole message', async () => {
    const { code, stdout } = await runCli(['explain']);
    expect(code).toBe(0);
    for (const { id, group, message, severity } of explanations()) {
      const kind = severity === 'info' ? 'note' : severity;
      expect(stdout).toContain(`  ${id.padEnd(30)} ${kind.padEnd(9)} ${message}\n`);
      expect(stdout).toContain(`${group}\n  `);
    }
  });

  it('lists them in the width of a terminal', async () => {
    let text = '';
    const write = (chunk: unknown, _encoding: unknown, done: () => void): void => {
      text += String(chunk);
      done();
    };
    await runCli(['explain'], { stdout: Object.assign(new Writable({ write }), { isTTY: true }) });
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).toContain('…\n');
  });

  const denied =
    'Error: initializing source docker://r.example/x:1: reading manifest 1 in r.example/x: unauthorized';
  it.each([
    ['a whole line of a console', `[    4.557656] podman[1432]: ${denied}`, 'pull-secret', 'cause'],
    ['a line without its time and program', denied, 'pull-secret', 'cause'],
    [
      'a line of the kernel in a journal',
      `Jun 30 21:12:48 localhost kernel: SQUASHFS error: xz`,
      'rootfs-damaged',
      'cause',
    ],
    [
      'the end of a kernel panic',
      'VFS: Unable to mount root fs on unknown-block(0,0)',
      'no-initramfs',
      'cause',
    ],
    ['a line of the rootfs service', 'No rootfs image found.  Modify your PXE', 'rootfs-missing', 'cause'],
    ['a line that shows no problem', '[    0.000000] Linux version 6.18', 'kernel-started', 'line'],
  ])('explains %s', async (_title, line, id, severity) => {
    const { stdout } = await runCli(['explain', '--format', 'json', line]);
    expect(JSON.parse(stdout)).toMatchObject([{ id, severity }]);
  });

  it('explains the log of a console, with the line that shows the cause', async () => {
    const log = corpusLogs().find(({ log: name }) => name === 'agent-ca');
    const { code, stdout } = await runCli(['explain'], { stdin: log?.text ?? '' });
    expect([code, stdout.replaceAll('\n', ' ')]).toEqual([
      0,
      expect.stringMatching(
        /^tls-unknown-ca \(cause\).*Shown by the line: .* certificate verify failed.*Check: .*Fix: /,
      ),
    ]);
  });

  it('says that a log shows no known problem', async () => {
    expect(await runCli(['explain'], { stdin: 'login:\n' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: no line on standard input .*\nhint: pass the whole log/),
    });
  });

  it('fits into a terminal but for examples, whatever is explained', () => {
    const wide = explanations().flatMap((entry) => {
      const [prose = ''] = formatExplanation(entry).split('\nInvalid');
      return prose.split('\n').filter((line) => line.length > 80);
    });
    expect(wide).toEqual([]);
  });

  it('knows every cause that try and boot report, and no id twice', async () => {
    const causes = Array.from(causeBook().values(), ({ id, text }) => [id, text]);
    const explained = explanationsIn('troubleshooting');
    expect(explained.map(({ id, message }) => [id, message.replaceAll('`', '')])).toEqual(causes);
    const cells = explained.flatMap(({ meaning, message }) => [message, ...meaning]);
    expect(cells.filter((cell) => cell.split('`').length % 2 === 0)).toEqual([]);
    const others = new Set([...idsIn('rules'), ...idsIn('errors')]);
    expect(causes.filter(([id = '']) => others.has(id))).toEqual([]);
    const { code, stdout } = await runCli(['explain', 'pull-policy']);
    expect([code, stdout]).toEqual([
      0,
      'pull-policy (cause)\n' +
        '  The policy of the machine rejects the container image: it has no signature\n' +
        '  that the policy accepts.\n\n' +
        'Check: run `cat /etc/containers/policy.json` on the machine.\n\n' +
        'Fix: sign the image with the key of the policy; or change the rule of the\n' +
        'registry in `/etc/containers/policy.json` with a file in the config.\n\n' +
        'pull-policy (line)\n' +
        '  A line of `podman` (containers/image 5, copy/single.go,\n' +
        '  signature/policy_eval.go, signature/policy_config.go): it shows the stage live\n' +
        '  system, and proves the cause `pull-policy`\n\n' +
        'Action: see the cause of the same name.\n',
    ]);
  });

  it('says what the code of an error means', async () => {
    const { code, stdout } = await runCli(['explain', 'err_disk_full']);
    expect([code, stdout]).toEqual([
      0,
      'ERR_DISK_FULL (error)\n  no space left on the disk\n\n' +
        'The message contains the folder, its free space and the size of the file, where\n' +
        'they are known. One such error ends a run over many hosts. Free some space, or\n' +
        'write to another disk. Incomplete files are removed; after `prepare`, machines\n' +
        'boot the previous build.\n',
    ]);
    expect(idsIn('errors')).toEqual(errorCodes);
  });

  it('explains every kind of id, and an id of two kinds twice', async () => {
    const { stdout } = await runCli(['explain', 'missingnetworkdata']);
    expect(stdout).toBe(
      'MissingNetworkData (condition)\n' +
        '  The Secret with the network data does not exist, or `networkDataName` is not a\n  valid name\n\n' +
        'Action: create the Secret, or fix the name.\n',
    );
    const clock = await runCli(['explain', 'clock', '--format', 'json']);
    const kinds: readonly { severity: string }[] = JSON.parse(clock.stdout);
    expect(kinds.map(({ severity }) => severity)).toEqual(['cause', 'check']);
    expect((await runCli(['explain', 'clock'])).stdout).toMatch(/^clock \(cause\)[^]*\n\nclock \(check\)\n/);
    const near = await runCli(['explain', 'MissingNetworkDat']);
    expect(near).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: use MissingNetworkData'),
    });
  });

  const usage = 'usage: ironic-coreos explain [options] [ID] (see --help)\n';
  it.each([
    ['path-relativ', 'error: unknown ID: "path-relativ"\nhint: use path-relative\n' + usage],
    [
      'abc def',
      'error: unknown line: "abc def"\nhint: pass the whole log of the console: ironic-coreos explain < console.log\n' +
        usage,
    ],
    ['qqq', 'error: unknown ID: "qqq"\nhint: list all IDs with "ironic-coreos explain"\n' + usage],
  ])('%s is wrong usage', async (rule, expected) => {
    const { code, stdout, stderr } = await runCli(['explain', rule]);
    expect([code, stdout, stderr]).toEqual([2, '', expected]);
  });
});
