/** A real browser without a window, where one is installed: what a page shows, asks for and complains about in it. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { oracleFile, have, oracleNote } from './programs.ts';

export const hasChromium = have('chromium');
/** For test titles. */
export const chromiumNote = oracleNote('chromium');

export interface BrowserPage {
  /** Opens another one, and waits until it is there. */
  open(url: string): Promise<void>;
  /** Of an expression, or of its promise, as JSON has it. */
  evaluate(expression: string): Promise<unknown>;
  /** What axe-core has against it, each with the element. */
  accessibilityProblems(): Promise<unknown>;
  screenshot(format?: 'png' | 'webp'): Promise<Buffer>;
  /** Everything that was asked for, the page itself too; what its policy refuses is not. */
  readonly requests: readonly string[];
  /** Of the console, with violations of the page's policy. */
  readonly complaints: readonly string[];
}

export interface Visit {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly colors?: 'light' | 'dark';
  readonly width?: number;
  /** Whether scripts of the page run; default: true. */
  readonly hasScripts?: boolean;
}

/** Opens a page, and closes the browser when `use` is done. */
export async function visit<T>(wanted: Visit, use: (page: BrowserPage) => Promise<T>): Promise<T> {
  const profile = await mkdtemp(join(tmpdir(), 'chromium '));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
  ];
  const args = [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'];
  const browser = spawn(oracleFile('chromium'), args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const closed = new Promise((resolve) => browser.once('close', resolve));
  try {
    return await use(await openPage(connect(browser.stdio[3], browser.stdio[4]), wanted));
  } finally {
    browser.kill('SIGKILL');
    await closed;
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** The Chrome DevTools protocol: each way JSON, ended by NUL. */
interface Connection {
  send(call: Call): Promise<unknown>;
  /** Parameters of those events that came so far. */
  eventsOf(method: string): unknown[];
}

interface Call {
  readonly method: string;
  readonly params?: object;
  readonly sessionId?: string;
}

function connect(input: unknown, output: unknown): Connection {
  if (!(input instanceof Writable) || !(output instanceof Readable)) throw new Error('there are no pipes');
  const waiting = new Map<unknown, (answer: unknown) => void>();
  const events: unknown[] = [];
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages.map((json): unknown => JSON.parse(json))) {
      const answered = waiting.get(member(message, 'id'));
      if (answered === undefined) events.push(message);
      else answered(message);
    }
  });
  let last = 0;
  return {
    eventsOf: (method) =>
      events.filter((event) => member(event, 'method') === method).map((event) => member(event, 'params')),
    send: (call) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, (answer) => {
          const error = member(answer, 'error');
          if (error === undefined) resolve(member(answer, 'result'));
          else reject(new Error(`${call.method}: ${JSON.stringify(error)}`));
        });
        input.write(`${JSON.stringify({ id, ...call })}\0`);
      }),
  };
}

/** Of something that came as JSON. */
function member(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  }
  return found;
}

async function openPage(connection: Connection, wanted: Visit): Promise<BrowserPage> {
  const { url, headers = {}, colors = 'light', hasScripts = true, width = 1400 } = wanted;
  const target = await connection.send({ method: 'Target.createTarget', params: { url: 'about:blank' } });
  const session = await connection.send({
    method: 'Target.attachToTarget',
    params: { targetId: member(target, 'targetId'), flatten: true },
  });
  const sessionId = String(member(session, 'sessionId'));
  const call = (method: string, params = {}): Promise<unknown> =>
    connection.send({ method, params, sessionId });
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await call(`${domain}.enable`);
  await call('Network.setExtraHTTPHeaders', { headers });
  await call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: colors }] });
  const screen = { width, height: 900, deviceScaleFactor: 1, mobile: false };
  await call('Emulation.setDeviceMetricsOverride', screen);
  await call('Emulation.setScriptExecutionDisabled', { value: !hasScripts });
  await call('Page.setLifecycleEventsEnabled', { enabled: true });
  const open = async (address: string): Promise<void> => {
    // Of this navigation: one that a click has begun before may end meanwhile.
    const loader = member(await call('Page.navigate', { url: address }), 'loaderId');
    const isLoaded = (event: unknown): boolean =>
      member(event, 'loaderId') === loader && member(event, 'name') === 'load';
    while (!connection.eventsOf('Page.lifecycleEvent').some(isLoaded)) await delay(20);
    await delay(100); // an icon is asked for after the page is there
  };
  await open(url);
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await call('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    return member(answer, 'result', 'value');
  };
  return {
    open,
    evaluate,
    accessibilityProblems: async () => {
      const { default: axe } = await import('axe-core');
      await evaluate(`${axe.source};0`);
      return evaluate(`axe.run().then(({ violations }) =>
        violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ': ' + html)))`);
    },
    screenshot: async (format = 'png') => {
      const shot = await call('Page.captureScreenshot', { format, captureBeyondViewport: true });
      return Buffer.from(String(member(shot, 'data')), 'base64');
    },
    get requests() {
      return connection
        .eventsOf('Network.requestWillBeSent')
        .map((params) => String(member(params, 'request', 'url')));
    },
    get complaints() {
      const complaints = ['Log.entryAdded', 'Runtime.consoleAPICalled', 'Runtime.exceptionThrown'];
      return complaints
        .flatMap((method) => connection.eventsOf(method))
        .map((params) => JSON.stringify(params));
    },
  };
}
