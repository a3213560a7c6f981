/**
 * Real clients that fetch images from `serve`, all at the same time and beside one that is slow: each byte has to be that
 * of the image that `iso ignition embed` makes.
 */

import { imageEnv } from '../support/agentImage.ts';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveIsoWith } from '../support/liveIso.ts';
import { have, oracleNote } from '../support/programs.ts';
import { runCli } from '../support/runCli.ts';
import { type ServeProcess, startServe } from './serve/startServe.js';

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'serve clients '));

interface Client {
  readonly title: string;
  readonly program: string;
  /** For sh, in a folder of its own: makes `got` from $URL, or compares that itself with $EXPECTED. */
  readonly script: string;
}

const whole = 'curl -sSf';
const clients: readonly Client[] = [
  { title: 'curl', program: 'curl', script: `${whole} -o got "$URL"` },
  {
    title: 'curl, resumed three times',
    program: 'curl',
    script: `${whole} -r 0-99999 -o got "$URL"
      for end in 5000001 9437184; do ${whole} -r $(wc -c <got)-$end "$URL" >>got; done
      ${whole} -C - -o got "$URL"`,
  },
  {
    title: 'curl, eight ranges at once',
    program: 'curl',
    script: `part=$(( (SIZE + 7) / 8 ))
      for i in 0 1 2 3 4 5 6 7; do
        ${whole} -r $((i * part))-$((i * part + part - 1)) -o got.$i "$URL" &
      done
      wait; cat got.? >got`,
  },
  {
    title: 'curl --parallel, the same image six times',
    program: 'curl',
    script: `${whole} -Z ${[1, 2, 3, 4, 5, 6].map((index) => `-o got.${index} "$URL"`).join(' ')}
      for i in 2 3 4 5 6; do cmp got.1 got.$i || exit 1; done; mv got.1 got`,
  },
  {
    title: 'curl, two ranges in one answer',
    program: 'curl',
    script: `${whole} -r 32768-34815,40000-49999 "$URL" >parts
      tail -c +32769 "$EXPECTED" | head -c 2048 >first; tail -c +40001 "$EXPECTED" | head -c 10000 >second
      python3 -c 'import sys; d = open("parts", "rb").read(); f = lambda n: open(n, "rb").read()
assert d.count(f("first")) == 1 and d.index(f("first")) < d.index(f("second"))'
      cp "$EXPECTED" got`,
  },
  { title: 'wget', program: 'wget', script: 'wget -q -O got "$URL"' },
  {
    title: 'wget -c',
    program: 'wget',
    script: 'head -c 12345678 "$EXPECTED" >got; wget -q -c -O got "$URL"',
  },
  {
    title: 'aria2c with sixteen connections',
    program: 'aria2c',
    script: 'aria2c -q --no-conf -x16 -s16 -k1M --file-allocation=none -o got "$URL"',
  },
  {
    title: 'qemu-img convert',
    program: 'qemu-img',
    script: 'qemu-img convert -f raw -O raw "$URL" got',
  },
  {
    title: 'qemu-img compare',
    program: 'qemu-img',
    script: 'qemu-img compare -f raw -F raw "$URL" "$EXPECTED" && cp "$EXPECTED" got',
  },
];

let service: ServeProcess;
let expected: string;
let slow: Promise<string>;
const results = new Map<Client, Promise<string>>();

beforeAll(async () => {
  await makeInputs();
  service = await startServe(['--inventory', 'inv.yaml', '--iso', 'live.iso', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    env: imageEnv,
  });
  const iso = await expectedIso();
  expected = sha256(iso);
  writeFileSync(join(folder, 'expected.iso'), iso);
  slow = fetchSlowly(service.url('worker-0', 'iso'));
  slow.catch(() => undefined); // no test waits for it if only some are run
  for (const client of clients) {
    if (have(client.program)) results.set(client, run(client, iso.length));
  }
});
afterAll(async () => {
  service.signal('SIGTERM');
  await service.ended;
  rmSync(folder, { recursive: true });
});

async function makeInputs(): Promise<void> {
  const noise = createHash('shake256', { outputLength: 40 * MIB })
    .update('rootfs')
    .digest();
  writeFileSync(
    join(folder, 'live.iso'),
    liveIsoWith((files) => files.set('images/pxeboot/rootfs.img', noise)),
  );
  writeFileSync(
    join(folder, 'inv.yaml'),
    'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: worker-0}, {name: worker-1}]\n',
  );
}

async function expectedIso(): Promise<Buffer> {
  const config = await (await fetch(service.url('worker-0', 'ign'))).text();
  writeFileSync(join(folder, 'config.ign'), config);
  const embed = ['iso', 'ignition', 'embed', '-i', 'config.ign', '-o', '-', 'live.iso'];
  const { code, stdoutBytes } = await runCli(embed, { cwd: folder });
  expect(code).toBe(0);
  return stdoutBytes;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Resolves to the digest of what came; rejects with what the client said. */
async function run({ script, title }: Client, size: number): Promise<string> {
  const cwd = join(folder, title.replaceAll(/\W+/g, '-'));
  mkdirSync(cwd);
  const URL = service.url('worker-0', 'iso');
  const env = { ...process.env, URL, EXPECTED: join(folder, 'expected.iso'), SIZE: String(size) };
  const child = spawn('sh', ['-ec', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const code = await new Promise((resolve) => void child.on('close', resolve));
  if (code !== 0) throw new Error(`${title} ended with ${String(code)}: ${said}`);
  return sha256(readFileSync(join(cwd, 'got')));
}

/** A client that rests after each piece; resolves to the digest. */
async function fetchSlowly(url: string): Promise<string> {
  const { body } = await fetch(url);
  const hash = createHash('sha256');
  for await (const chunk of body ?? []) {
    hash.update(chunk);
    await sleep(1);
  }
  return hash.digest('hex');
}

describe('the image as a real client gets it', () => {
  for (const client of clients) {
    it.skipIf(!have(client.program))(`${client.title}${oracleNote(client.program)}`, async () => {
      expect(await results.get(client)).toBe(expected);
    });
  }

  it('slowly, beside all others', async () => {
    expect(await slow).toBe(expected);
  });
});
