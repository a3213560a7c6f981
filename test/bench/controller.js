// @ts-check
/**
 * How long `controller` takes for many objects that are created at once, in how much memory and with how many requests, on
 * a real API server: `node test/interop/kubernetes/fetch.js` and `npm run build`, then `node test/bench/controller.js
 * [OBJECTS] [--json FILE]`. API server, etcd and whoever creates the objects share this machine, and take most of the
 * processor.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeSampleIso } from '../../dist/image.js';
import { readArguments, writeFigures } from '../interop/figures.js';
import { startApiServer } from '../interop/kubernetes/apiServer.js';
import { startControllerProcess } from '../interop/kubernetes/controllerProcess.js';
import { definePreprovisioningImages } from '../interop/kubernetes/preprovisioningImages.js';

const { json, given } = readArguments();
const [objects = 1000] = given.map(Number);
/** Seconds to all ready, MiB of the peak, requests for each object. */
const bars = { seconds: 60, memory: 250, requests: 4 };
/** Objects that are created at a time. */
const AT_ONCE = 32;
const namespace = 'metal3';
const images = `/apis/metal3.io/v1alpha1/namespaces/${namespace}/preprovisioningimages`;
const user = 'system:serviceaccount:default:controller';
const folder = mkdtempSync(join(tmpdir(), 'ironic-coreos bench '));

const server = await startApiServer();
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, ca: server.authority });
try {
  await definePreprovisioningImages(server.ask);
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const controller = await startController();
  const before = countRequests();
  const start = performance.now();
  await createObjects();
  const created = seconds(start);
  await untilReady();
  const taken = seconds(start);
  await sleep(2000); // for what may come after that, and for the audit log
  tell({ created, taken, ...controller.usage(), requests: countRequests() - before });
  controller.signal('SIGTERM');
  await controller.ended;
} finally {
  agent.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startController() {
  const token = await server.createToken({ namespace: 'default', name: 'controller' });
  await server.ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'controller' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'controller' }],
  });
  writeFileSync(
    join(folder, 'live.iso'),
    await writeSampleIso({ label: 'fedora-coreos-99', date: new Date(0) }),
  );
  writeFileSync(
    join(folder, 'ramdisk.yaml'),
    'agent: {ironic.apiUrls: https://192.0.2.1, agent.image: registry.example.com/ironic-agent}\n',
  );
  writeFileSync(join(folder, 'key'), 'a key of more than sixteen characters', { mode: 0o600 });
  const kubeconfig = server.writeKubeconfig('controller', token);
  const args = ['--kubeconfig', kubeconfig, '--settings', 'ramdisk.yaml', '--iso', 'live.iso'];
  const service = ['--key-file', 'key', '--listen', '127.0.0.1:0', '--drain-time', '0s'];
  return startControllerProcess([...args, ...service], folder);
}

async function createObjects() {
  const names = Array.from({ length: objects }, (_, index) => `worker-${index}`);
  await Promise.all(Array.from({ length: AT_ONCE }, () => createSome(names)));
}

/** Each object with a Secret of its own. @param {string[]} names of which it takes one after the other */
async function createSome(names) {
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const address = Number(name.slice(7));
    const nmstate = `interfaces:
- {name: eno1, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: 10.0.${address >> 8}.${address & 255}, prefix-length: 16}]}}
`;
    await ask('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name },
      stringData: { nmstate },
    });
    await ask('POST', images, {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'PreprovisioningImage',
      metadata: { name },
      spec: { acceptFormats: ['iso', 'initrd'], architecture: 'x86_64', networkDataName: name },
    });
  }
}

async function untilReady() {
  for (;;) {
    const { items } = await ask('GET', images);
    const ready = items.filter((/** @type {any} */ { status }) => status?.imageUrl !== undefined);
    if (ready.length === objects) return;
    await sleep(250);
  }
}

/** As the admin, on connections that stay open. @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' };
  /** @type {import('node:http').IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { method, agent, headers }, resolve);
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const answer = await text(response);
  if ((response.statusCode ?? 0) >= 300) throw new Error(`${method} ${path}: ${answer}`);
  return JSON.parse(answer);
}

function countRequests() {
  return server
    .requests()
    .filter((it) => it.user === user && it.resource !== 'leases' && it.stage === 'ResponseComplete').length;
}

/** @param {number} start */
function seconds(start) {
  return (performance.now() - start) / 1000;
}

/** @param {{ created: number, taken: number, peak: number, cpu: number, requests: number }} figures */
function tell({ created, taken, peak, cpu, requests }) {
  console.log(
    `Node ${process.version}, ${objects} objects, each with a Secret; bars: ${JSON.stringify(bars)}`,
  );
  console.log(
    `  created after ${created.toFixed(1)} s, all ready after ${taken.toFixed(1)} s${verdict(taken > bars.seconds)}`,
  );
  console.log(
    `  ${peak.toFixed(0)} MiB at most${verdict(peak > bars.memory)}, ${cpu.toFixed(1)} s of the processor`,
  );
  const each = requests / objects;
  writeFigures(json, {
    objects,
    readyAfter: Number(taken.toPrecision(3)),
    mebibytes: Number(peak.toPrecision(3)),
    requestsEach: Number(each.toPrecision(3)),
  });
  console.log(
    `  ${requests} requests to the API server, ${each.toFixed(2)} for each object${verdict(each > bars.requests)}`,
  );
}

/** @param {boolean} isBad */
function verdict(isBad) {
  return isBad ? ' TOO MUCH' : '';
}
