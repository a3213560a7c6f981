import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Writable } from 'node:stream';
import { validate as validateFiles } from '../../../src/commands/validate/validate.ts';
import { ReadFiles } from '../../../src/io/files/readFiles.ts';
import { createIo } from '../../support/createIo.ts';
import { runCli, UNCHECKED } from '../../support/runCli.ts';

const valid = '{"ignition":{"version":"3.4.0"}}';
const warned = '{"ignition":{"version":"3.4.0"},"x":1}';
const invalid = '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}';
const fetched = invalid.replace('"a"', '"/etc/a","contents":{"source":"http://192.0.2.1/a"}');

const goldenFiles = [
  'valid.ign',
  'odd.ign',
  'agent.ign',
  'missing.ign',
  'broken.ign',
  'tree/b/ironic-python-agent.d',
];

/** A config that runs the agent, with nothing to complain about but what `conf` brings. */
function agentConfig(conf: string, mode = 384): string {
  const source = `data:;base64,${Buffer.from(conf).toString('base64')}`;
  const mounts = ['/dev', '/sys', '/:/mnt/coreos', '/run/udev', '/run/dbus/system_bus_socket'];
  const volumes = mounts.map((mount) => `-v ${mount.includes(':') ? mount : `${mount}:${mount}`}`);
  const confMount = '-v /etc/ironic-python-agent.conf:/etc/ironic-python-agent/ignition.conf';
  const flags = '--privileged --network host --ipc=host --uts=host --rm --replace --name ironic-agent';
  const command = `/bin/podman run ${flags} ${volumes.join(' ')} ${confMount} registry.example.com/ironic-agent`;
  const contents = `[Service]\nExecStart=${command}\nRestart=on-failure\n[Install]\nWantedBy=multi-user.target\n`;
  return JSON.stringify({
    ignition: { version: '3.4.0' },
    storage: { files: [{ path: '/etc/ironic-python-agent.conf', mode, contents: { source } }] },
    systemd: { units: [{ name: 'ironic-agent.service', enabled: true, contents }] },
  });
}

const documents: Readonly<Record<string, string>> = {
  'valid.ign': valid,
  'warned.ign': warned,
  'invalid.ign': invalid,
  'fetched.ign': fetched,
  'mistyped.ign': invalid.replace('"a"', '1,"mode":"x"'),
  'odd.ign': `{\n\t"ignition": {"version": "3.4.0"},\n\t"é😀\\u001b[31m]": {}, "b": 100,\n\t"storage": {"files": [{"path": "etc/motd"}]}\n}\n`,
  'broken.ign': '{"ignition": {"version": "3.4.0",}}\n',
  'agent.ign': agentConfig('[DEFAULT]\napi_url = https://192.0.2.1:6385\ndebug = maybe\ninsecure = False\n'),
  'agentNew.ign': agentConfig('[DEFAULT]\nimage_download_max_duration = 1\n'),
  'new.conf': '[DEFAULT]\nimage_download_max_duration = 1\n',
  'secret.ign': agentConfig(
    '[DEFAULT]\nagent_token = s3cret\nimage_server_password = s3crets3cret\ndebug = maybe\n',
    420,
  ).replace('"storage"', '"passwd":{"users":[{"name":"core","passwordHash":"s3cret","x":1}]},"storage"'),
  'secret.conf':
    '[DEFAULT]\nagent-token = s3cret\nagent_token = $s3cret\napi_url = http://s3cret@192.0.2.1\n',
  'ironic.conf':
    '[database]\nconnection = mysql+pymysql://ironic:s3cret@192.0.2.1/ironic\n[pxe]\nkernel_append_params = rootpwd=s3cret initrd=main ip=a:dhcp4\n[keystone_authtoken]\npassword\npassword = s3cret\n',
  'hosts.yaml': 'apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n---\napiVersion: v1\nkind: Secret\n',
  'dnsmasq.conf': 'port=0\ndhcp-range=192.0.2.10,192.0.2.99\n',
  'secretBroken.ign':
    '{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/a", "contents": {"source": "data:;base64,czNjcmV0czNjcmV0"} x}]}}',
  'tree/a.ign': valid,
  'tree/x.json': valid,
  'tree/other.conf': 'not ours',
  'tree/b/ironic-python-agent.conf': '[DEFAULT]\napi_url = https://192.0.2.1:6385\ninsecure = False\n',
  'tree/b/ironic-python-agent.d/10.conf': '[DEFAULT]\ndebug = perhaps\n',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate test '));
  for (const [name, text] of Object.entries(documents)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await mkdir(join(folder, 'folder.ign'));
  await symlink('.', join(folder, 'tree/loop'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const validate = (...args: string[]) => runCli(['validate', ...args], { cwd: folder });

describe('validate', () => {
  it.each([
    [['valid.ign'], 0, '', 'valid.ign: valid\n'],
    [['warned.ign'], 0, 'warning: unused key x', 'warned.ign: valid (1 warning)\n'],
    [['invalid.ign'], 1, 'error: path not absolute', 'invalid.ign: invalid (1 error)\n'],
    [['valid.ign', 'invalid.ign'], 1, 'error: path', 'valid.ign: valid\ninvalid.ign: invalid (1 error)\n'],
    [
      ['missing.ign'],
      1,
      '',
      'error: Ignition config not found: missing.ign\nhint: create the file, or use a path that exists',
    ],
    [
      ['missing.conf'],
      1,
      '',
      'error: Conf of the agent not found: missing.conf\nhint: create the file, or use a path that exists',
    ],
    [['https://192.0.2.1/x.ign'], 1, '', 'error: validate does not read URLs\nhint: download the file first'],
    [['folder.ign'], 1, '', 'error: No file to check in folder.ign\n'],
    [['missing.ign', 'valid.ign'], 1, '', 'valid.ign: valid\n'],
  ])('%j: %i', async (files, code, stdout, stderr) => {
    const result = await validate(...files);
    expect(result.code).toBe(code);
    expect(result.stdout).toContain(stdout);
    expect(stdout === '' ? result.stdout : '').toBe('');
    expect(result.stderr).toContain(stderr);
  });

  it('reads standard input', async () => {
    const result = await runCli(['validate', '-'], { stdin: invalid });
    expect(result.code).toBe(1);
    expect(result.stdout).toContain('  --> standard input:1:61');
    expect(result.stderr).toBe('standard input: invalid (1 error)\n');
  });

  it('writes JSON: one object a file, also for those that cannot be read', async () => {
    const result = await validate('--format', 'json', 'valid.ign', 'missing.ign', 'invalid.ign');
    expect(result.code).toBe(1);
    expect(result.stderr).toBe('');
    const reports = result.stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(reports).toMatchObject([
      { file: 'valid.ign', valid: true, messages: [] },
      { file: 'missing.ign', valid: false, messages: [{ rule: 'file-unreadable', line: null }] },
      {
        file: 'invalid.ign',
        valid: false,
        messages: [{ path: '$.storage.files.0.path', line: 1, column: 61 }],
      },
    ]);
  });

  it.each([
    ['a config', valid, 'Ignition config'],
    ['an ISO or a disk', '\0'.repeat(4096), 'file'],
  ])('says that %s is compressed, and not that an initramfs is damaged', async (_title, content, what) => {
    await writeFile(join(folder, 'packed.gz'), gzipSync(content));
    const { code, stderr } = await validate('packed.gz');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error: packed.gz: the ${what} is compressed with gzip\nhint: decompress it first: gzip -d FILE\n`,
    );
  });

  it('shows no line of a file that is no text', async () => {
    await writeFile(join(folder, 'binary'), 'squashfs\0\0\0');
    const { code, stdout, stderr } = await validate('binary');
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain('--> binary:1:2\nhint: ');
  });

  it('notes what is of a wrong type behind the error at which Ignition stops', async () => {
    const { stdout } = await validate('--format', 'json', 'mistyped.ign');
    expect(JSON.parse(stdout)).toMatchObject({
      messages: [
        { severity: 'error', rule: 'json-type', path: '$' },
        { severity: 'info', rule: 'json-type-further', path: '$.storage.files.0.mode' },
      ],
    });
  });

  it.each([
    [['validate'], "missing required argument 'FILE'"],
    [['validate', '--format', 'xml', 'valid.ign'], 'invalid value "xml" for --format'],
    [['validate', '-', '-'], 'standard input can be read only once'],
    [['validate', '--lint', 'all', 'valid.ign'], 'invalid value "all" for --lint'],
    [['validate', '--ipa-version', '1', 'valid.ign'], 'unsupported version of ironic-python-agent: "1"'],
    [['validate', '--strict', '--strict', 'valid.ign'], 'cannot be used multiple times'],
  ])('%j is wrong usage', async (args, message) => {
    const result = await runCli(args, { cwd: folder });
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
  });

  it('takes folders and patterns, and goes on behind what has none', async () => {
    const { code, stdout, stderr } = await validate(
      '--format',
      'json',
      'tree',
      '*.none',
      'tree/*.json',
      'missing',
    );
    expect([code, stderr]).toEqual([1, '']);
    const reports = parseReports(stdout).map(({ file, messages }) => [
      file,
      ...messages.map(({ rule }) => rule),
    ]);
    expect(reports).toEqual([
      ['tree/a.ign'],
      ['tree/b/ironic-python-agent.conf'],
      ['tree/b/ironic-python-agent.d/10.conf', 'conf-value'],
      ['*.none', 'file-unreadable'],
      ['tree/x.json'],
      ['missing', 'file-unreadable'],
    ]);
  });

  it.each([
    [['warned.ign'], 0, ''],
    [['warned.ign', 'invalid.ign'], 1, 'error'],
    [['--strict', 'warned.ign'], 1, 'warning'],
  ])('--quiet prints only what makes a file invalid: %j', async (args, code, severity) => {
    const result = await runCli(['--quiet', 'validate', ...args], { cwd: folder });
    expect(result).toMatchObject({ code, stderr: '' });
    expect(result.stdout.match(/^(?:error|warning|note)(?=: )/gm) ?? []).toEqual(
      severity === '' ? [] : [severity],
    );
    const json = await runCli(['--quiet', 'validate', '--format', 'json', 'warned.ign'], { cwd: folder });
    expect(json.stdout).toContain('"severity":"warning"');
  });

  it('goes on behind a defect of this program', async () => {
    class Failing extends ReadFiles {
      #count = 0;
      override add(): void {
        if ((this.#count += 1) === 2) throw new RangeError('hunter2');
      }
    }
    const chunks: string[] = [];
    const stdout = new Writable({ write: (chunk, _encoding, done) => done(void chunks.push(String(chunk))) });
    const io = createIo({ cwd: folder, stdout, stderr: stdout, inputs: new Failing() });
    expect(
      await validateFiles({ format: 'text', file: ['valid.ign', 'fetched.ign', 'warned.ign'] }, io),
    ).toBe(1);
    expect(chunks.join('')).toMatch(
      /^valid.ign: valid[^]*error: fetched\.ign: internal error \(RangeError\)[^]*^warned\.ign: /m,
    );
    expect(chunks.join('')).not.toContain('hunter2');
  });

  it('knows the folder that it is in by its name', async () => {
    const cwd = join(folder, 'tree/b/ironic-python-agent.d');
    expect((await runCli(['validate', '.'], { cwd })).stderr).toBe('10.conf: invalid (1 error)\n');
  });

  it.each([
    [['valid.ign'], 0, 'valid.ign: valid\n'],
    [['warned.ign'], 1, 'warned.ign: invalid (1 warning, warnings are treated as errors)\n'],
    [['invalid.ign'], 1, 'invalid.ign: invalid (1 error)\n'],
    [['agent.ign'], 1, `${UNCHECKED}agent.ign: invalid (1 error)\n`],
    [['--lint', 'none', 'agent.ign'], 0, 'agent.ign: valid\n'],
    [['tree/b/ironic-python-agent.conf'], 0, 'tree/b/ironic-python-agent.conf: valid\n'],
  ])('--strict %j: %i', async (args, code, stderr) => {
    expect(await validate('--strict', ...args)).toMatchObject({ code, stderr });
  });

  it.each([
    [['agent.ign'], 1, `${UNCHECKED}agent.ign: invalid (1 error)\n`],
    [['--lint', 'none', 'agent.ign'], 0, 'agent.ign: valid\n'],
    [['fetched.ign'], 0, 'fetched.ign: valid\n'],
    [['--lint', 'agent', 'fetched.ign'], 0, 'fetched.ign: valid\n'],
    [['--lint', 'agent', 'invalid.ign'], 1, 'invalid.ign: invalid (1 error)\n'],
  ])('looks at configs of the agent further: %j: %i', async (args, code, stderr) => {
    expect(await validate(...args)).toMatchObject({ code, stderr });
  });

  it('checks the kernel arguments in an ironic.conf', async () => {
    expect(await rulesFor('ironic.conf')).toEqual([
      'ip-spec',
      'argument-of-loader',
      'conductor-other-system',
      'conf-syntax',
    ]);
  });

  it('names the objects of Kubernetes in a file, also several', async () => {
    const { code, stderr } = await validate('hosts.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('hosts.yaml is a Kubernetes object of kind "BareMetalHost"');
    expect(stderr).toContain('ironic-coreos import hosts.yaml');
  });

  it('refuses the conf of another program in a sentence', async () => {
    expect(await validate('dnsmasq.conf')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: dnsmasq.conf is neither a configuration of ironic-python-agent nor an ironic.conf\n' +
        'hint: pass Ignition and Butane configs, ironic-python-agent.conf, ironic.conf, live ISOs or initramfs archives\n',
    });
  });

  it('checks for a release of the agent', async () => {
    expect(await rulesFor('new.conf', 'agentNew.ign')).toEqual([]);
    expect(await rulesFor('--ipa-version', '9.0.0', 'new.conf')).toEqual(['conf-unknown']);
    expect(await rulesFor('--ipa-version', '9.0.0', 'agentNew.ign')).toEqual(['conf-unknown']);
  });

  it.each(['text', 'json', 'github'])('%s: as in test/golden/validate', async (format) => {
    const { code, stdout, stderr } = await validate('--format', format, ...goldenFiles);
    expect(code).toBe(1);
    const text = stderr === '' ? stdout : `${stdout}--- standard error\n${stderr}`;
    await expect(text).toMatchFileSnapshot(`../../golden/validate/${format}.txt`);
  });

  it('writes JSON as schemas/report.json has it', async () => {
    const schema: object = JSON.parse(readFileSync('schemas/report.json', 'utf8'));
    const isReport = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
    const { stdout } = await validate('--format', 'json', ...goldenFiles);
    for (const report of parseReports(stdout)) {
      isReport(report);
      expect(isReport.errors).toBeNull();
    }
  });

  it.each(['text', 'json', 'github'])('%s: never shows a secret', async (format) => {
    const { stdout, stderr } = await validate(
      '--format',
      format,
      'secret.ign',
      'secret.conf',
      'ironic.conf',
      'secretBroken.ign',
    );
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toMatch(/s3cret|czNjcmV0czNjcmV0/);
  });

  it('takes thousands of files', async () => {
    await mkdir(join(folder, 'many'));
    const names = Array.from({ length: 2000 }, (_, index) => join(folder, 'many', `${index}.ign`));
    await Promise.all(names.map((name) => writeFile(name, valid)));
    const { code, stdout } = await validate('--format', 'json', 'many', ...names);
    expect([code, stdout.split('\n').length]).toEqual([0, 2001]);
  });
});

async function rulesFor(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await validate('--format', 'json', ...args);
  return parseReports(stdout).flatMap(({ messages }) => messages.map(({ rule }) => rule));
}

interface ParsedReport {
  readonly file: string;
  readonly messages: readonly { readonly rule: string }[];
}

function parseReports(stdout: string): readonly ParsedReport[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const report: ParsedReport = JSON.parse(line);
      return report;
    });
}
