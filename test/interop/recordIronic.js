/**
 * Asks a real Ironic what `test/golden/ironic/answers.json` asks, in the same order, and writes its answers there:
 *
 *     node test/interop/recordIronic.js http://127.0.0.1:6385
 *
 * A new one with an empty database and the defaults of a single process, but for `[DEFAULT] auth_strategy = noauth`,
 * `enabled_hardware_types = fake-hardware`, `enabled_inspect_interfaces = agent,fake,no-inspect`, `rpc_transport = none`,
 * `[auto_discovery] enabled = true`, `driver = fake-hardware`, `[inventory] data_backend = database` and a database in SQLite.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';

const golden = join(import.meta.dirname, '../golden/ironic/answers.json');
const version = { 'X-OpenStack-Ironic-API-Version': '1.115' };
/** Milliseconds in which Ironic works at a heartbeat, and has the node locked. */
const LOCKED = 3000;

const nodes = [
  { name: 'worker-0', uuid: '11111111-1111-4111-8111-111111111111', mac: '52:54:00:00:00:01' },
  { name: 'worker-1', uuid: '22222222-2222-4222-8222-222222222222', mac: '52:54:00:00:00:02' },
];

async function ask(url, { method, path, headers = {}, body }) {
  const answer = await request(new URL(path, url), {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body,
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

async function createNode(url, { name, uuid, mac }) {
  const create = (path, fields) =>
    ask(url, { method: 'POST', path, headers: version, body: JSON.stringify(fields) });
  const created = await create('/v1/nodes', {
    name,
    uuid,
    driver: 'fake-hardware',
    inspect_interface: 'agent',
  });
  if (created.status !== 201) throw new Error(`${name} was not created: ${created.status} ${created.text}`);
  await create('/v1/ports', { address: mac, node_uuid: uuid });
}

/** As it is kept: without the token and the address of this Ironic, errors as what they hold. */
function recordOf({ status, headers, text }, { token, host }) {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(?:x-openstack-ironic|content-type$|allow$)/.test(name),
  );
  const neutral = text.replaceAll(token, 'TOKEN').replaceAll(host, 'ironic.example');
  return { status, headers: Object.fromEntries(kept), body: parse(neutral) };
}

function parse(text) {
  try {
    const value = JSON.parse(text);
    if (typeof value?.error_message !== 'string') return value;
    return { error_message: parse(value.error_message) };
  } catch {
    return text;
  }
}

const url = process.argv[2];
if (url === undefined) throw new Error('usage: recordIronic.js URL');
for (const node of nodes) await createNode(url, node);
const records = [];
let token = 'no token yet';
for (const { answer: _old, ...asked } of JSON.parse(await readFile(golden, 'utf8'))) {
  const answer = await ask(url, { ...asked, body: asked.body?.replaceAll('TOKEN', token) });
  if (asked.path.includes('lookup')) token = /"agent_token": ?"([\w-]{32,})"/.exec(answer.text)?.[1] ?? token;
  records.push({ ...asked, answer: recordOf(answer, { token, host: new URL(url).host }) });
  if (answer.status === 202) await setTimeout(LOCKED);
}
await writeFile(golden, `[\n${records.map((record) => ` ${JSON.stringify(record)}`).join(',\n')}\n]\n`);
