/** The functions of the library: what they return is what the commands write, and errors are typed. */

import { createServer, type Server } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CallOptions,
  type HostInventory,
  embed,
  formatPath,
  inspect,
  render,
  renderHosts,
  type RenderedHost,
  ReportedError,
  type Settings,
  validate,
  type WorkProgress,
} from '../../src/index.ts';
import { liveIso } from '../support/liveIso.ts';
import { runCli } from '../support/runCli.ts';
import { listenLocally } from '../support/listening.ts';

const apiUrl = 'https://192.0.2.1:6385';
const agentImage = 'registry.example.com/ironic-agent:13.0.0';
const settings = { 'ironic.apiUrls': [apiUrl], 'agent.image': agentImage } satisfies Settings;
const flags = ['--api-url', apiUrl, '--agent-image', agentImage];

const invalid = '{"ignition": {"version": "3.5.0"}, "storage": {"files": [{"path": "etc/motd"}]}}';

let cwd: string;
let config: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'library '));
  writeFileSync(join(cwd, 'coreos.iso'), liveIso('2023-07'));
  config = (await render(settings)).config;
  writeFileSync(join(cwd, 'agent.ign'), config);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The error of a call. */
async function errorOf(called: Promise<unknown>): Promise<unknown> {
  return called.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('render', () => {
  it('returns what the command writes, and its warnings', async () => {
    const { stdout } = await runCli(['render', ...flags]);
    const rendered = await render(settings);
    expect(rendered.config).toBe(stdout);
    expect(rendered.secrets).toEqual([]);
    expect(rendered.diagnostics).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('no SSH key') }),
    ]);
  });

  it('names the secrets in the config', async () => {
    const hash = join(cwd, 'hash');
    writeFileSync(hash, `$6$salt$${'x'.repeat(86)}`);
    const { secrets } = await render({ ...settings, 'host.passwordHash': hash });
    expect(secrets).toEqual(['a password hash']);
  });

  it('reads only the given environment', async () => {
    expect(await errorOf(render({}))).toMatchObject({ code: 'ERR_USAGE' });
    const { config: fromEnvironment } = await render(
      {},
      {
        env: { IRONIC_BASE_URL: apiUrl, IRONIC_AGENT_IMAGE: agentImage },
      },
    );
    expect(fromEnvironment).toContain('ironic-agent.service');
  });

  it.each<[string, Settings, object]>([
    ['an unknown setting', { ...JSON.parse('{"ironic.apiAddress": "x"}') }, { code: 'ERR_INVENTORY' }], // prettier-ignore
    [
      'an invalid value',
      { 'ironic.apiUrls': 'nonsense://x' },
      { code: 'ERR_USAGE', at: { file: 'settings' } },
    ],
    ['a missing file', { ...settings, 'agent.confFile': 'none' }, { code: 'ERR_FILE_MISSING' }],
    ['an invalid conf', { ...settings, 'agent.options': ['listen_port = many'] }, { rule: 'conf-value' }],
  ])('%s is an error with a code', async (_title, given, expected) => {
    const error = await errorOf(render(given));
    expect(error).toBeInstanceOf(ReportedError);
    expect(error).toMatchObject({ hint: expect.any(String), ...expected });
  });
});

describe('renderHosts', () => {
  const inventory: HostInventory = {
    agent: settings,
    hosts: [
      { name: 'worker-0', mac: '52:54:00:12:34:56' },
      { name: 'worker-1', mac: 'none' },
      { name: 'worker-2', overrides: { 'ironic.apiUrls': ['https://192.0.2.2:6385'] } },
      { name: 'worker-3', overrides: { 'ironic.apiUrls': ['nonsense://x'] } },
    ],
  };

  it.each<[string, HostInventory | string | Uint8Array]>([
    ['a value', inventory],
    ['text', JSON.stringify(inventory)],
    ['bytes', Buffer.from(JSON.stringify(inventory))],
  ])(
    'yields the configs that the command writes, and the errors of the others: %s',
    async (_title, given) => {
      writeFileSync(join(cwd, 'hosts.yaml'), JSON.stringify(inventory));
      await runCli(['render', '--inventory', 'hosts.yaml', '-o', 'configs', '--agent-image', agentImage], {
        cwd,
      });
      const hosts: RenderedHost[] = [];
      for await (const host of renderHosts(given)) hosts.push(host);
      const written = (name: string): string => readFileSync(join(cwd, 'configs', `${name}.ign`), 'utf8');
      expect(hosts.map(({ name, config: own }) => [name, own])).toEqual([
        ['worker-0', written('worker-0')],
        ['worker-1', undefined],
        ['worker-2', written('worker-2')],
        ['worker-3', undefined],
      ]);
      const invalidHosts = hosts.filter(({ diagnostics }) =>
        diagnostics.some(({ severity }) => severity === 'error'),
      );
      expect(invalidHosts.map(({ name }) => name)).toEqual(['worker-1', 'worker-3']);
      expect(readdirSync(join(cwd, 'configs'))).toEqual(['worker-0.ign', 'worker-2.ign']);
    },
  );

  it('names two hosts with the same name by their places in a value, which has no lines', async () => {
    const hosts = [{ name: 'a' }, { name: 'a', overrides: {} }];
    const { value } = await renderHosts({ agent: settings, hosts }).next();
    expect(value).toMatchObject({
      diagnostics: [
        {
          message: '2 hosts have the same name: $.hosts.0.name, $.hosts.1.name',
          at: { file: 'inventory' },
        },
      ],
    });
  });

  it('an invalid inventory is an error before the first host', async () => {
    const error = await errorOf(renderHosts('agent: 1\nhosts: []').next());
    expect(error).toMatchObject({ code: 'ERR_INVENTORY', at: { file: 'inventory', line: 1 } });
  });

  it.each([
    ['all hosts', inventory, 4],
    ['no host', { agent: settings, hosts: [] }, 0],
  ])('reports progress up to the total: %s', async (_title, hosts, total) => {
    const progress: WorkProgress[] = [];
    const rendered = renderHosts(hosts, { onProgress: (step) => void progress.push(step) });
    for await (const _ of rendered) continue;
    expect(progress.at(-1)).toEqual({ unit: 'hosts', done: total, total });
    expect(progress).toHaveLength(total + 1);
  });

  it('reports progress, and ends when the signal is aborted', async () => {
    const abort = new AbortController();
    const progress: WorkProgress[] = [];
    const hosts = renderHosts(inventory, {
      signal: abort.signal,
      onProgress: (step) => void progress.push(step),
    });
    await hosts.next();
    abort.abort(new Error('enough'));
    expect(await errorOf(hosts.next())).toEqual(new Error('enough'));
    expect(progress[0]).toEqual({ unit: 'hosts', done: 0, total: 4 });
  });
});

describe('validate', () => {
  it.each(['text', 'bytes'])('returns the findings of the command: %s', async (form) => {
    writeFileSync(join(cwd, 'invalid.ign'), invalid);
    const { stdout } = await runCli(['validate', '--format', 'json', 'invalid.ign'], { cwd });
    const report = await validate(form === 'text' ? invalid : Buffer.from(invalid));
    expect(report).toMatchObject({ valid: false, findings: [{ rule: 'path-relative' }] });
    const messages = report.findings.map(({ path, position, ...finding }) => {
      return { ...finding, path: formatPath(path), ...position };
    });
    expect(JSON.parse(stdout)).toEqual({ file: 'invalid.ign', valid: false, messages });
  });

  it.each<[string, string, object, object]>([
    ['an agent config', 'a', {}, { valid: true }],
    ['a conf', '[DEFAULT]\nlisten_port = many\n', { file: 'agent.conf' }, { valid: false }],
    [
      'Butane',
      'variant: fcos\nversion: 1.5.0\nstorage: {files: [{path: etc/motd}]}\n',
      { file: 'a.bu' },
      { valid: false },
    ],
    ['no lint', invalid.replace('etc', '/etc'), { lint: 'none' }, { valid: true, findings: [] }],
  ])('checks %s', async (_title, text, options, expected) => {
    expect(await validate(text === 'a' ? config : text, options)).toMatchObject(expected);
  });

  it('warnings count with strict, unless the rule is ignored', async () => {
    const text = '{"ignition": {"version": "3.5.0"}, "unknown": 1}';
    const { findings, valid } = await validate(text);
    expect([valid, findings[0]?.severity]).toEqual([true, 'warning']);
    expect(await validate(text, { strict: true })).toMatchObject({ valid: false });
    expect(await errorOf(validate(text, { ignore: ['none'] }))).toMatchObject({ code: 'ERR_USAGE' });
  });

  it('YAML that cannot be parsed is an error', async () => {
    const error = await errorOf(validate('a: [', { file: 'a.yaml' }));
    expect(error).toMatchObject({ code: 'ERR_FORMAT', name: 'ReportedError' });
  });
});

describe('embed and inspect', () => {
  it('writes the file that the command writes', async () => {
    await runCli(['iso', 'ignition', 'embed', '-i', 'agent.ign', '-o', 'by-command.iso', 'coreos.iso'], {
      cwd,
    });
    await embed({ iso: 'coreos.iso', config, output: 'by-path.iso' }, { cwd });
    const { image } = await embed({
      iso: readFileSync(join(cwd, 'coreos.iso')),
      config: Buffer.from(config),
    });
    const expected = readFileSync(join(cwd, 'by-command.iso'));
    expect(expected).toEqual(readFileSync(join(cwd, 'by-path.iso')));
    expect(expected).toEqual(image);
    writeFileSync(join(cwd, 'in-place.iso'), readFileSync(join(cwd, 'coreos.iso')));
    await embed({ iso: 'in-place.iso', config }, { cwd });
    expect(expected).toEqual(readFileSync(join(cwd, 'in-place.iso')));
  });

  it('inspects as the command does, a path and bytes', async () => {
    const { stdout } = await runCli(['inspect', '--format', 'json', 'coreos.iso'], { cwd });
    const report = await inspect('coreos.iso', { cwd });
    expect(report).toEqual(JSON.parse(stdout));
    const bytes = readFileSync(join(cwd, 'coreos.iso'));
    expect(await inspect(bytes)).toEqual({ ...report, file: 'image' });
  });

  it.each<[string, () => Promise<unknown>, object]>([
    [
      'an invalid config',
      () => embed({ iso: 'coreos.iso', config: invalid, output: 'n.iso' }, { cwd }),
      {
        code: 'ERR_CONFIG_INVALID',
        rule: 'path-relative',
        hint: 'write "/etc/motd"',
        at: { file: 'config', line: 1, column: 67 },
      },
    ],
    ['no image', () => embed({ iso: Buffer.from('x'), config }), { code: 'ERR_IMAGE' }],
    ['a missing image', () => inspect('none.iso', { cwd }), { code: 'ERR_FILE_MISSING' }],
    ['standard input, which is empty', () => inspect('-', { cwd }), { code: expect.stringMatching(/^ERR_/) }],
  ])('%s is an error with a code, and writes nothing', async (_title, run, expected) => {
    // prettier-ignore
    const before = readdirSync(cwd);
    const error = await errorOf(run());
    expect(error).toBeInstanceOf(ReportedError);
    expect(error).toMatchObject(expected);
    expect(readdirSync(cwd)).toEqual(before);
  });
});

describe('progress and signal', () => {
  let server: Server;
  let url: string;
  const reason = new Error('enough');
  /** Aborted when the server has sent a part of the image, after which it sends nothing. */
  const stalled = new AbortController();
  const image = Buffer.alloc(3 * 1024 * 1024);
  beforeAll(async () => {
    image.set(liveIso('2023-07'));
    server = createServer(({ headers, url: path }, response) => {
      const [, first = '0', last = `${image.length - 1}`] =
        /^bytes=(\d+)-(\d+)?$/.exec(headers.range ?? '') ?? [];
      const end = Math.min(Number(last), image.length - 1);
      response.writeHead(headers.range === undefined ? 200 : 206, {
        'Content-Length': end + 1 - Number(first),
        'Content-Range': `bytes ${first}-${end}/${image.length}`,
        ETag: '"1"',
      });
      const part = image.subarray(Number(first), end + 1);
      if (path === '/stalled.iso' && part.length === image.length) {
        response.write(part.subarray(0, 100_000));
        stalled.abort(reason);
      } else response.end(part);
    });
    url = `http://127.0.0.1:${await listenLocally(server)}`;
  });
  afterAll(() => server.closeAllConnections());

  it('embeds from a URL, with progress', async () => {
    const progress: WorkProgress[] = [];
    const output = 'fetched.iso';
    await embed(
      { iso: `${url}/coreos.iso`, config, output },
      { cwd, onProgress: (step) => void progress.push(step) },
    );
    const last = { unit: 'bytes', done: image.length, total: image.length, name: `${url}/coreos.iso` };
    expect(progress.at(-1)).toEqual(last);
    expect((await inspect(output, { cwd })).ignition?.version).toBe('3.2.0');
  });

  it.each<[string, (options: CallOptions) => Promise<unknown>]>([
    ['embed', (options) => embed({ iso: 'coreos.iso', config, output: 'n.iso' }, options)],
    ['inspect', (options) => inspect('coreos.iso', options)],
    ['render', (options) => render(settings, options)],
    ['renderHosts', (options) => renderHosts({ agent: settings, hosts: [] }, options).next()],
    ['validate', (options) => validate(config, options)],
  ])('%s throws the reason of a signal that is aborted before', async (_name, run) => {
    const before = readdirSync(cwd);
    expect(await errorOf(run({ cwd, signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(readdirSync(cwd)).toEqual(before);
  });

  it('ends a download that makes no progress, without output', async () => {
    const before = readdirSync(cwd);
    const call = embed(
      { iso: `${url}/stalled.iso`, config, output: 'n.iso' },
      { cwd, signal: stalled.signal },
    );
    expect(await errorOf(call)).toBe(reason);
    expect(readdirSync(cwd)).toEqual(before);
  });
});

describe('values that callers without types pass', () => {
  it.each([
    ['is missing', 'absent'],
    ['is neither a string nor bytes', 'port'],
  ])('refuses content that %s, and names it', async (problem, member) => {
    const given: string = JSON.parse('{"port": 5}')[member];
    const calls = {
      config: [() => validate(given), () => embed({ iso: 'coreos.iso', config: given }, { cwd })],
      iso: [() => embed({ iso: given, config }, { cwd })],
      image: [() => inspect(given)],
      inventory: [async () => renderHosts(given).next()],
    };
    for (const [name, works] of Object.entries(calls)) {
      for (const work of works) {
        const error = await errorOf(work());
        expect(error).toBeInstanceOf(ReportedError);
        expect(error).toMatchObject({
          code: 'ERR_SETTING',
          message: `${name} ${problem}`,
          hint: `pass a string or a Uint8Array as ${name}`,
        });
      }
    }
  });

  it('names the missing setting, not a flag', async () => {
    const error = await errorOf(render({}));
    expect(error).toMatchObject({ hint: expect.stringMatching(/^set ironic\.apiUrls in the settings, /) });
  });
});
