import { describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/core/errors.ts';
import { causeTable } from '../../src/try/timeline/causes.ts';
import { causeBook, errorBook, ruleBook } from '../../src/io/report/ruleBook.ts';
import { formatExplanation } from '../../src/validate/explain.ts';
import { runCli } from '../support/runCli.ts';

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
    const { stdout } = await runCli(['explain', 'agent-secret-undecodable']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Then it stops, and the machine does not boot.');
  });

  it('says how to run an example that needs options', async () => {
    const { stdout } = await runCli(['explain', 'conf-version']);
    expect(stdout).toContain('Invalid, with --ipa-version 9.0.0:\n  [DEFAULT]\n');
  });

  it('prints one rule or all as JSON', async () => {
    const one = await runCli(['explain', '--format', 'json', 'conf-version']);
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(JSON.parse(one.stdout)).toEqual([
      expect.objectContaining({
        id: 'conf-version',
        section: expect.stringMatching(/^docs\/rules\.md#.*conf-version/),
        invalid: expect.objectContaining({ options: '--ipa-version 9.0.0' }),
      }),
    ]);
    const all: readonly { id: string }[] = JSON.parse((await runCli(['explain', '--format', 'json'])).stdout);
    expect(all.map(({ id }) => id)).toEqual([...ruleBook().keys(), ...errorCodes, ...causeBook().keys()]);
    expect((await runCli(['explain', '--format', 'yaml'])).code).toBe(2);
  });

  it('lists all rules without one', async () => {
    const { code, stdout } = await runCli(['explain']);
    expect(code).toBe(0);
    for (const { id, group } of ruleBook().values()) {
      expect(stdout).toContain(`  ${id} `);
      expect(stdout).toContain(`${group}\n  `);
    }
  });

  it('fits into a terminal but for examples, whatever is explained', () => {
    const entries = [...ruleBook().values(), ...errorBook().values(), ...causeBook().values()];
    const wide = entries.flatMap((entry) => {
      const [prose = ''] = formatExplanation(entry).split('\nInvalid');
      return prose.split('\n').filter((line) => line.length > 80);
    });
    expect(wide).toEqual([]);
  });

  it('knows every cause that try and boot report, and no id twice', async () => {
    const causes = causeTable.flatMap(({ causes: rows }) => rows.map(({ id, text }) => [id, text]));
    expect([...causeBook().values()].map(({ id, message }) => [id, message])).toEqual(causes);
    const others = new Set([...ruleBook().keys(), ...errorBook().keys()]);
    expect(causes.filter(([id = '']) => others.has(id))).toEqual([]);
    const { code, stdout } = await runCli(['explain', 'pull-policy']);
    expect([code, stdout]).toEqual([
      0,
      'pull-policy (cause)\n' +
        '  The policy of the machine rejects the container image: it has no signature\n' +
        '  that the policy accepts.\n\n' +
        'Check: run `cat /etc/containers/policy.json` on the machine.\n\n' +
        'Fix: sign the image with the key of the policy; or change the rule of the\n' +
        'registry in `/etc/containers/policy.json` with a file in the config.\n',
    ]);
  });

  it('says what the code of an error means', async () => {
    const { code, stdout } = await runCli(['explain', 'err_disk_full']);
    expect([code, stdout]).toEqual([
      0,
      'ERR_DISK_FULL (error)\n  no space left on the disk\n\n' +
        'Free some space, or write to another disk. Incomplete files are removed.\n',
    ]);
    expect([...errorBook().keys()]).toEqual(errorCodes);
  });

  const usage = 'usage: ironic-coreos explain [options] [RULE] (see --help)\n';
  it.each([
    ['path-relativ', 'error: unknown rule: "path-relativ"\nhint: use path-relative or api-path\n' + usage],
    ['qqq', 'error: unknown rule: "qqq"\nhint: list all rules with "ironic-coreos explain"\n' + usage],
  ])('%s is wrong usage', async (rule, expected) => {
    const { code, stdout, stderr } = await runCli(['explain', rule]);
    expect([code, stdout, stderr]).toEqual([2, '', expected]);
  });
});
