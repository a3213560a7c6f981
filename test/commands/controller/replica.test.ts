/** A replica whose cluster does not answer: it waits, says so, and can be ended. And one whose settings change. */

import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { controllerOptions } from '../../../src/commands/controller/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { readPlan } from '../../../src/commands/controller/plan.ts';
import { type Replica, startReplica } from '../../../src/commands/controller/controller.ts';
import { createServerLog } from '../../../src/http/server/serverLog.ts';
import { storedObject } from './api/support.ts';
import { settings, workplace } from './support.ts';
import { asMapping } from '../../../src/formats/mapping.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, json, listOf, startFakeApiServer, watching } from '../../support/fakeApiServer.ts';
import { writeKubeletVolume } from '../../support/kubeletVolume.ts';
import { tlsText } from '../../support/serveFixtures.ts';
import { listenLocally } from '../../support/listening.ts';

const place = workplace();
const token = 'operator-token-0123456789';
place.write('key', 'a key of more than sixteen characters');
place.write('tokens', `${token}\n`);
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** An API server that answers everything with this status. */
async function clusterThatAnswers(status: number): Promise<string> {
  const body = JSON.stringify({ kind: 'Status', message: 'not for you', reason: 'Forbidden', code: status });
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  servers.push(server);
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

async function start(server: string, more: Given<typeof controllerOptions> = {}): Promise<Replica> {
  const cluster = { name: 'k', cluster: { server } };
  const context = { name: 'c', context: { cluster: 'k', user: 'u' } };
  const user = { name: 'u', user: {} };
  const config = { 'current-context': 'c', contexts: [context], clusters: [cluster], users: [user] };
  place.write('kubeconfig', JSON.stringify(config));
  const usual = {
    kubeconfig: 'kubeconfig',
    settings: 'ramdisk.yaml',
    iso: ['live.iso'],
    keyFile: 'key',
    tokenFile: 'tokens',
  };
  const given = { ...usual, listen: '127.0.0.1:0', drainTime: '0s', ...more };
  const options = givenOptions(controllerOptions, given);
  const log = createServerLog(place.io.stderr, 'json');
  return startReplica(options, await readPlan(options, place.io), { io: place.io, log });
}

describe('a replica', () => {
  it.each([
    ['nobody', 'http://127.0.0.1:1', 'connection refused'],
    ['an API server that refuses', '', 'not for you'],
  ])('waits where %s answers, and can be ended', async (_title, server, message) => {
    const replica = await start(server === '' ? await clusterThatAnswers(403) : server);
    const began = replica.begin().then(
      () => 'began',
      () => 'given up',
    );
    await eventually(() => expect(place.said()).toContain(message));
    const ready = await fetch(`${replica.origin}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(/^503: /)]);
    expect((await fetch(`${replica.origin}/healthz`)).status).toBe(200);
    const metrics = await (
      await fetch(`${replica.origin}/metrics`, { headers: { Authorization: `Bearer ${token}` } })
    ).text();
    expect(metrics).toMatch(/^ironic_coreos_leader 0$/m);
    expect(metrics).toMatch(/^ironic_coreos_cluster_contact_timestamp_seconds 0$/m);
    expect(metrics).toMatch(/^ironic_coreos_queue\{state="waiting"\} 0$/m);
    await replica.stop(Promise.resolve('SIGTERM' as const));
    expect([await began, replica.isLeader]).toEqual(['given up', false]);
  });

  it('notices other settings while it waits for the API server', async () => {
    const replica = await start(await clusterThatAnswers(403), { settings: 'changing.yaml' });
    const loads = (): number => place.said().split('"event":"loaded"').length - 1;
    const before = loads();
    place.write('changing.yaml', settings);
    const began = replica.begin().catch(() => 'given up');
    const readiness = async (): Promise<string> => (await fetch(`${replica.origin}/readyz`)).text();
    await eventually(async () => expect(await readiness()).toContain('the initial list of objects'));
    place.write('changing.yaml', settings.replace('192.0.2.1', '192.0.2.111'));
    await eventually(() => expect(loads()).toBe(before + 1));
    await replica.stop(Promise.resolve('SIGTERM' as const));
    expect(await began).toBe('given up');
  });

  it.each([
    ['settings', { settings: 'missing.yaml' }, 'Settings (--settings) not found: missing.yaml'],
    ['images', { iso: ['missing.iso'] }, 'missing.iso'],
  ])('ends where its %s are wrong', async (_title, options, message) => {
    const replica = await start('http://127.0.0.1:1', options);
    await expect(replica.begin()).rejects.toThrow(message);
    await replica.stop(Promise.resolve('SIGTERM' as const));
  });

  it('does not start where it cannot listen', async () => {
    const address = (await clusterThatAnswers(403)).replace('http://', '');
    await expect(start('http://127.0.0.1:1', { listen: address })).rejects.toThrow(
      'the address is already in use',
    );
  });
});

/** A cluster with one PreprovisioningImage, which stays as it is. */
const oneImage: Answer = (response, request) => {
  const isImage = request.path.includes('/preprovisioningimages');
  if (request.query.has('watch')) watching([], 'goes on')(response, request);
  else if (request.method === 'PATCH') json(storedObject())(response);
  else listOf(7, isImage ? [storedObject()] : [])(response);
};

const mount = (files: Readonly<Record<string, string>>): void =>
  writeKubeletVolume(join(place.folder, 'volume'), files);

it('publishes other images when kubelet replaces the files of its settings', async () => {
  const cluster = await startFakeApiServer();
  cluster.answers.push(oneImage);
  const first = {
    'ramdisk.yaml': settings.replace('agent:\n', 'agent:\n  ironic.caFiles: [ironic.crt]\n'),
    'ironic.crt': tlsText('ca'),
  };
  const urls = (): unknown[] =>
    cluster.requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => asMapping(asMapping(body)['status'])['imageUrl']);
  mount(first);
  const replica = await start(cluster.config.server, {
    settings: 'volume/ramdisk.yaml',
    leaderElection: false,
  });
  await replica.begin();
  await eventually(() => expect(urls()).toHaveLength(1));
  mount({ ...first, 'ironic.crt': tlsText('other-ca') });
  await eventually(() => expect(urls()).toHaveLength(2));
  mount({ ...first, 'ramdisk.yaml': first['ramdisk.yaml'].replace('192.0.2.1', '192.0.2.111') });
  await eventually(() => expect(urls()).toHaveLength(3));
  mount(first);
  await eventually(() => expect(urls()).toHaveLength(4));
  expect(new Set(urls()).size).toBe(3);
  expect(urls()[3]).toBe(urls()[0]);
  await replica.stop(Promise.resolve('SIGTERM' as const));
  await cluster.close();
});
