/** A folder with an inventory and a live ISO, and the service of `serve` running there, in process. */

import { imageEnv } from '../../support/agentImage.ts';
import { createIo } from '../../support/createIo.ts';
import { createServerLog } from '../../../src/http/server/serverLog.ts';
import { withLog } from '../../../src/service/serviceLog.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach } from 'vitest';
import { serveOptions } from '../../../src/commands/serve/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { loadSnapshot, reload, type RunningService, startService } from '../../../src/service/service.ts';
import { readSetup } from '../../../src/service/setup.ts';
import { printUrls } from '../../../src/service/urlList.ts';
import type { Io } from '../../../src/io/io.ts';
import { packedIso } from '../../support/minimalIso.ts';
import { runCli } from '../../support/runCli.ts';
import { inventory } from '../../support/twoHosts.ts';

export type GivenServe = Given<typeof serveOptions>;

export const token = 'an-operators-token-0123456789';

export interface Running {
  readonly service: RunningService;
  readonly origin: string;
  /** By host, then by artifact. */
  readonly urls: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly boot: Readonly<Record<string, string>>;
  /** What `--format text` prints. */
  readonly printed: string;
  /** What was said on standard error so far. */
  readonly said: () => string;
  /** With the token of operators. */
  readonly asOperator: (path: string) => Promise<Response>;
  readonly reload: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface Place {
  readonly path: (name: string) => string;
  readonly write: (name: string, content: string | Uint8Array) => void;
  readonly run: (...args: readonly string[]) => ReturnType<typeof runCli>;
  /** With the inventory and the ISO unless they are given. */
  readonly serve: (options?: GivenServe, env?: Io['env']) => Promise<Running>;
}

/** A new folder for each file of tests; services end with the test. */
export function place(env: Io['env'] = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), 'serve it '));
  const path = (name: string): string => join(folder, name);
  const write = (name: string, content: string | Uint8Array): void =>
    writeFileSync(path(name), content, { mode: 0o600 });
  write('inv.yaml', inventory);
  write('auth.json', '{"auths":{"registry.example.com":{"auth":"aHVudGVyMjp4"}}}');
  write('tokens', `${token}\n`);
  const running: Running[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run: Place['run'] = (...args) => runCli(args, { cwd: folder, env });
  let iso: Promise<void> | undefined;
  return {
    path,
    write,
    run,
    serve: async (options = {}, added = {}) => {
      await (iso ??= packedIso().then((bytes) => write('live.iso', bytes)));
      const usual = { listen: '127.0.0.1:0', iso: ['live.iso'], tokenFile: 'tokens', log: 'json' };
      const hosts = options.nmstateDir === undefined ? { inventory: 'inv.yaml' } : {};
      const { tokenFile, ...rest } = usual;
      const access = options.open === true ? {} : { tokenFile };
      const one = await start(
        { ...rest, ...access, ...hosts, ...options },
        { folder, env: { ...env, ...added } },
      );
      running.push(one);
      return one;
    },
  };
}

async function start(
  given: GivenServe,
  { folder, env }: { readonly folder: string; readonly env: Io['env'] },
): Promise<Running> {
  const stderr = collector();
  const io = createIo({ stderr: stderr.stream, env: { ...imageEnv, ...env }, cwd: folder });
  const options = givenOptions(serveOptions, given);
  const setup = await readSetup(options, io);
  const log = createServerLog(io.stderr, setup.log);
  const service = await startService(options, setup, {
    command: 'serve',
    io: withLog(io, { log, form: setup.log }),
    log,
  });
  const stop = async (): Promise<void> => {
    await service.server.stop(0);
    await service.state.close();
  };
  try {
    await loadSnapshot(service);
  } catch (error) {
    await stop();
    throw error;
  }
  const { urls, boot, printed } = await listUrls(service);
  const { origin } = service.server;
  return {
    service,
    origin,
    urls,
    boot,
    printed,
    said: stderr.text,
    asOperator: (path) => fetch(`${origin}${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    reload: () => reload(service),
    stop,
  };
}

/** What `--format json` prints. */
interface UrlList {
  readonly boot: Running['boot'];
  readonly hosts: readonly { readonly name: string; readonly urls: Readonly<Record<string, string>> }[];
}

async function listUrls({
  state,
  links,
}: RunningService): Promise<Pick<Running, 'urls' | 'boot' | 'printed'>> {
  const snapshot = state.current();
  if (snapshot === undefined) throw new Error('nothing is served');
  const { stream: stdout, text } = collector();
  await printUrls(snapshot, links, 'json', stdout);
  const { boot, hosts }: UrlList = JSON.parse(text());
  const lines = collector();
  await printUrls(snapshot, links, 'text', lines.stream);
  return {
    boot,
    printed: lines.text(),
    urls: Object.fromEntries(hosts.map(({ name, urls }) => [name, urls])),
  };
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}
