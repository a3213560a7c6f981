/**
 * The library leaves the process alone, to which it is a guest: importing it runs nothing, and its functions use no stream,
 * environment, signal or flag of V8. A process of its own, in which every use is recorded, imports the built package.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIso } from '../support/liveIso.ts';

const root = resolve(import.meta.dirname, '../..');
const built = existsSync(join(root, 'dist/commands.js'));

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}
const { exports }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.entries(exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [[path, target.default] as const],
);

/** Records what `work` does to the process, and prints it. What only reads facts about the process is allowed. */
const recorder = `
import v8 from 'node:v8';
import { syncBuiltinESMExports } from 'node:module';
const used = new Set();
v8.setFlagsFromString = (flag) => used.add('V8 flag ' + flag);
syncBuiltinESMExports();
const own = process;
const facts = new Set(['arch', 'cwd', 'geteuid', 'getuid', 'hrtime', 'kill', 'memoryUsage', 'nextTick', 'pid', 'platform',
  'umask', 'version', 'versions']);
const record = (trap, act) => (target, name, ...rest) => {
  if (!facts.has(name) || trap !== 'get') used.add(trap + ' process.' + String(name));
  return act(target, name, ...rest);
};
globalThis.process = new Proxy(own, {
  get: record('get', (target, name) => Reflect.get(target, name)),
  set: record('set', Reflect.set),
  defineProperty: record('define', Reflect.defineProperty),
  deleteProperty: record('delete', Reflect.deleteProperty),
});
const state = () => ({
  listeners: own.eventNames().map((name) => [name, own.listenerCount(name)]),
  env: { ...own.env },
  globals: Reflect.ownKeys(globalThis).map(String),
  limit: Error.stackTraceLimit,
  resources: own.getActiveResourcesInfo().filter((name) => name !== 'CloseReq'),
});
void [own.stdout, own.stderr]; // Node.js since 22 opens them after syncBuiltinESMExports
const before = state();
await work();
await new Promise((resolve) => setImmediate(resolve));
for (const [name, value] of Object.entries(state()))
  if (JSON.stringify(value) !== JSON.stringify(before[name])) used.add('changed ' + name + ': ' + JSON.stringify(value));
own.stdout.write([...used].join('\\n'));
`;

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'guest '));
  writeFileSync(join(cwd, 'coreos.iso'), liveIso('2023-07'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** What the recorder prints. Standard input is closed. */
function run(work: string): string {
  writeFileSync(join(cwd, 'run.mjs'), `const work = async () => {${work}};\n${recorder}`);
  const { stdout, stderr } = spawnSync('sh', ['-c', '"$0" run.mjs <&-', process.execPath], {
    cwd,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const urlOf = (file: string): string => JSON.stringify(pathToFileURL(join(root, file)).href);

describe.skipIf(!built || process.platform === 'win32')(
  `the library in a process of others${built ? '' : ' (skipped: it is not built)'}`,
  () => {
    it.each(entries)('ironic-coreos%s runs nothing when it is imported', (_path, file) => {
      expect(run(`await import(${urlOf(file)});`)).toBe('');
    });

    it('the recorder notices each use', () => {
      const uses = `
        process.on('SIGINT', () => {});
        process.env.HOME;
        process.title = 'x';
        process.more = 1;
        delete process.more;
        globalThis.more = 1;
        (await import('node:v8')).setFlagsFromString('--x');
      `;
      const recorded = run(uses);
      for (const use of [
        'get process.on',
        'get process.env',
        'set process.title',
        'delete process.more',
        'V8 flag --x',
        'changed listeners: ',
        'changed globals: ',
      ])
        expect(recorded).toContain(use);
    });

    it('commands set no flags of V8, and listen to no signals', () => {
      const agent = { 'ironic.apiUrls': ['https://192.0.2.1:6385'], 'agent.image': 'registry.example.com/a' };
      const text = JSON.stringify({ agent, hosts: [{ name: 'worker-0' }] });
      writeFileSync(join(cwd, 'large.yaml'), text + ' '.repeat(2 ** 21)); // the program limits its memory then
      const work = `
        const { render } = await import(${urlOf('dist/commands.js')});
        await render({ inventory: 'large.yaml', output: 'configs' });
      `;
      const used = run(work);
      expect(used).toContain('configs: 1 written');
      expect(used).not.toMatch(/V8 flag|process\.(?:on|off|once)\b/);
    });

    it('a URL leaves the connections of fetch as they are', () => {
      // Who defines the dispatcher that fetch uses: Node.js itself, or the package that fetches URLs.
      const work = `
        const { createServer } = await import('node:http');
        const { inspect } = await import(${urlOf('dist/index.js')});
        const definers = [];
        const define = Object.defineProperty;
        Object.defineProperty = (target, key, descriptor) => {
          if (target === globalThis && String(key).includes('undici.globalDispatcher'))
            definers.push(new Error().stack.split('\\n')[2].includes('node:internal') ? 'Node.js' : 'a package');
          return define(target, key, descriptor);
        };
        const server = createServer((_request, response) => response.end('{"ignition": {"version": "3.4.0"}}'));
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { kind } = await inspect('http://127.0.0.1:' + server.address().port + '/agent.ign');
        own.stdout.write(kind + ' by ' + [...new Set(definers)].join());
        own.exit();
      `;
      expect(run(work)).toMatch(/^ignition by (?:Node\.js)?$/);
    });

    it.each([
      ['render', 'await render(settings);'],
      ['renderHosts', 'for await (const host of renderHosts(inventory)) await host;'],
      ['validate', 'await validate(config);'],
      ['inspect', 'await inspect("coreos.iso");'],
      ['embed', 'await embed({ iso: "coreos.iso", config, output: "ipa.iso" });'],
      ['embed in place', 'await embed({ iso: "ipa.iso", config, force: true });'],
    ])('%s uses nothing of the process', (_name, call) => {
      const work = `
        const { embed, inspect, render, renderHosts, validate } = await import(${urlOf('dist/index.js')});
        const settings = { 'ironic.apiUrls': ['https://192.0.2.1:6385'], 'agent.image': 'registry.example.com/a' };
        const inventory = { agent: settings, hosts: [{ name: 'worker-0' }] };
        const config = '{"ignition": {"version": "3.4.0"}}';
        ${call}
      `;
      expect(run(work)).toBe('');
    });
  },
);
