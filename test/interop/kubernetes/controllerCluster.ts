/** A real API server with replicas of `controller`, as its Deployment starts them and with the roles of its manifests. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { controllerOptions } from '../../../src/commands/controller/options.ts';
import { type Given, givenOptions } from '../../support/givenOptions.ts';
import { readPlan } from '../../../src/commands/controller/plan.ts';
import { type Replica, startReplica } from '../../../src/commands/controller/controller.ts';
import type { Config } from '../../../src/ignition/config.ts';
import type { Io } from '../../../src/io/io.ts';
import { createServerLog } from '../../../src/http/server/serverLog.ts';
import { settings } from '../../commands/controller/support.ts';
import { type ApiServer, startKubernetes } from '../../support/kubernetes.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { imageEnv } from '../../support/agentImage.ts';
import { writeKubeletVolume } from '../../support/kubeletVolume.ts';
import { runCli } from '../../support/runCli.ts';
import { readManifests } from './manifests.ts';

export const namespace = 'metal3';
export const account = { namespace: 'default', name: 'ironic-coreos-controller' };
export const paths = {
  images: `/apis/metal3.io/v1alpha1/namespaces/${namespace}/preprovisioningimages`,
  secrets: `/api/v1/namespaces/${namespace}/secrets`,
};
const publicUrl = 'http://images.metal3.svc:8084';

/** What tests look at. */
export interface ClusterObject {
  readonly metadata: {
    readonly generation: number;
    readonly finalizers?: readonly string[];
    readonly resourceVersion: string;
  };
  readonly status?: {
    readonly imageUrl?: string;
    readonly kernelUrl?: string;
    readonly extraKernelParams?: string;
    readonly format?: string;
    readonly networkData?: { readonly name?: string; readonly version?: string };
    readonly conditions?: readonly ClusterCondition[];
  };
}

export interface ClusterCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

export interface ControllerCluster {
  readonly server: () => ApiServer;
  readonly kubeconfig: () => string;
  /** Of an account that may look after all namespaces. */
  readonly kubeconfigForAll: () => Promise<string>;
  /** The folder with `live.iso` and `key`. */
  readonly folder: string;
  readonly path: (name: string) => string;
  /** What all replicas have said so far. */
  readonly said: () => string;
  /** Stopped with the test. */
  readonly start: (options?: Given<typeof controllerOptions>) => Promise<Replica>;
  readonly stop: (replica: Replica) => Promise<void>;
  /** Replaces the settings of all replicas, as kubelet does. */
  readonly mountSettings: (text: string) => void;
  readonly create: (name: string, spec?: object, metadata?: object) => Promise<void>;
  readonly createSecret: (name: string, stringData: object) => Promise<void>;
  readonly patch: (path: string, body: object) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly read: (path: string) => Promise<ClusterObject>;
  /** The object once it is so. */
  readonly until: (name: string, isSo: (object: ClusterObject) => boolean) => Promise<ClusterObject>;
  /** Once it is no longer there. */
  readonly untilGone: (name: string) => Promise<void>;
  /** The config that the program itself finds in an image. */
  readonly configIn: (image: Buffer, ...command: readonly string[]) => Promise<Config>;
  /** The ISO that `prepare` makes for a host of this name and network. */
  readonly preparedIso: (name: string, network: string) => Promise<Buffer>;
}

/** For one `describe`: started before its tests, and stopped after them. */
export function controllerCluster(): ControllerCluster {
  const folder = mkdtempSync(join(tmpdir(), 'controller cluster '));
  const path = (name: string): string => join(folder, name);
  const said: string[] = [];
  const replicas = new Set<Replica>();
  let cluster: { readonly server: ApiServer; readonly kubeconfig: string } | undefined;
  const started = (): NonNullable<typeof cluster> => {
    if (cluster === undefined) throw new Error('there is no cluster');
    return cluster;
  };
  const ask = async (method: string, place: string, body?: object): Promise<string> =>
    JSON.stringify(await started().server.ask(method, place, body));
  const read = async (place: string): Promise<ClusterObject> => JSON.parse(await ask('GET', place));
  const mountSettings = (text: string): void => writeKubeletVolume(path('volume'), { 'ramdisk.yaml': text });
  const stop = async (replica: Replica): Promise<void> => {
    replicas.delete(replica);
    await replica.stop(Promise.resolve('SIGTERM' as const));
  };

  beforeAll(async () => {
    writeFileSync(path('live.iso'), isoPair().full);
    mountSettings(settings);
    writeFileSync(path('key'), 'a key of more than sixteen characters', { mode: 0o600 });
    cluster = await prepareCluster();
  }, 240_000);
  afterEach(async () => {
    await Promise.all([...replicas].map(async (replica) => stop(replica)));
  });
  afterAll(async () => {
    await cluster?.server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    server: () => started().server,
    kubeconfig: () => started().kubeconfig,
    kubeconfigForAll: async () => prepareAccountForAll(started().server),
    folder,
    path,
    said: () => said.join(''),
    start: async (given = {}) => {
      const usual = { ...usualOptions, kubeconfig: started().kubeconfig, ...given };
      const options = givenOptions(controllerOptions, usual);
      const io = surroundings(folder, said);
      const log = createServerLog(io.stderr, 'json');
      const replica = await startReplica(options, await readPlan(options, io), { io, log });
      replicas.add(replica);
      await replica.begin();
      return replica;
    },
    stop,
    mountSettings,
    create: async (name, spec = {}, metadata = {}) => {
      const usual = { acceptFormats: ['iso', 'initrd'], architecture: 'x86_64' };
      const kind = { apiVersion: 'metal3.io/v1alpha1', kind: 'PreprovisioningImage' };
      await ask('POST', paths.images, {
        ...kind,
        metadata: { name, ...metadata },
        spec: { ...usual, ...spec },
      });
    },
    createSecret: async (name, stringData) => {
      await ask('POST', paths.secrets, { metadata: { name }, stringData });
    },
    patch: async (place, body) => void (await ask('PATCH', place, body)),
    remove: async (place) => void (await ask('DELETE', place)),
    read,
    until: async (name, isSo) => {
      const end = Date.now() + WAIT;
      for (;;) {
        const object = await read(`${paths.images}/${name}`);
        if (isSo(object)) return object;
        if (Date.now() > end) throw new Error(`${JSON.stringify(object)}\n${said.slice(-20).join('')}`);
        await sleep(50);
      }
    },
    untilGone: async (name) => {
      const end = Date.now() + WAIT;
      while (await isThere(read(`${paths.images}/${name}`))) {
        if (Date.now() > end) throw new Error(`${name} is still there\n${said.slice(-20).join('')}`);
        await sleep(50);
      }
    },
    configIn: async (image, ...command) => {
      writeFileSync(path('fetched'), image);
      return JSON.parse(await run(folder, ...command, 'fetched'));
    },
    preparedIso: async (name, network) => {
      writeFileSync(path('net.yaml'), network);
      writeFileSync(
        path('ramdisk.yaml'),
        `${settings}hosts: [{name: ${name}, network: {nmstate: net.yaml}}]\n`,
      );
      const made = `made-${name}`;
      const flags = ['--inventory', 'ramdisk.yaml', '--iso', 'live.iso', '--artifacts', 'iso'];
      await run(folder, 'prepare', ...flags, '-o', made);
      return readFileSync(path(`${made}/hosts/${name}/live.iso`));
    },
  };
}

/** Milliseconds for something to become so, on a machine with much else to do. */
const WAIT = 90_000;

const usualOptions: Given<typeof controllerOptions> = {
  namespace,
  settings: 'volume/ramdisk.yaml',
  iso: ['live.iso'],
  keyFile: 'key',
  listen: '127.0.0.1:0',
  publicUrl,
  drainTime: '0s',
  log: 'json',
};

async function prepareCluster(): Promise<{ readonly server: ApiServer; readonly kubeconfig: string }> {
  const server = await startKubernetes();
  await server.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const kubeconfig = server.writeKubeconfig('controller', await server.createToken(account));
  await bind(server, account, [
    ['base/role-images.yaml', `namespaces/${namespace}/`],
    ['base/role-controller.yaml', `namespaces/${account.namespace}/`],
  ]);
  return { server, kubeconfig };
}

async function prepareAccountForAll(server: ApiServer): Promise<string> {
  const other = { namespace: account.namespace, name: `${account.name}-for-all` };
  const kubeconfig = server.writeKubeconfig('for-all', await server.createToken(other));
  await bind(server, other, [
    ['all-namespaces/clusterrole-images.yaml', ''],
    ['base/role-controller.yaml', `namespaces/${account.namespace}/`],
  ]);
  return kubeconfig;
}

/** Makes the roles of files, each in its place, and binds them to the account. Those that are there may stay. */
async function bind(
  { ask }: ApiServer,
  subject: typeof account,
  places: readonly (readonly [file: string, place: string])[],
): Promise<void> {
  for (const [file, place] of places) {
    for (const manifest of readManifests(file)) {
      const isBinding = manifest.kind.endsWith('Binding');
      const name = isBinding ? `${manifest.metadata.name}-${subject.name}` : manifest.metadata.name;
      const path = `/apis/rbac.authorization.k8s.io/v1/${place}${manifest.kind.toLowerCase()}s`;
      if (!isBinding && (await isThere(ask('GET', `${path}/${name}`)))) continue;
      const subjects = isBinding && { subjects: [{ kind: 'ServiceAccount', ...subject }] };
      await ask('POST', path, { ...manifest, metadata: { name }, ...subjects });
    }
  }
}

/** `PATH` is empty, so that nmstatectl does not convert networks here and there alone. */
function surroundings(cwd: string, said: string[]): Io {
  const stderr = new Writable({
    write(chunk: Buffer | string, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const stdin = Readable.from([]);
  return { stdin, stdout: stderr, stderr, env: { ...imageEnv, PATH: '' }, cwd, programName: 'ironic-coreos' };
}

async function run(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { cwd });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

async function isThere(reading: Promise<unknown>): Promise<boolean> {
  return reading.then(
    () => true,
    () => false,
  );
}

export function conditionOf({ status }: ClusterObject, type: string): ClusterCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(object: ClusterObject): boolean {
  const ready = conditionOf(object, 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation;
}

export function hasFailed(reason: string, words: string): (object: ClusterObject) => boolean {
  return (object) => {
    const error = conditionOf(object, 'Error');
    return error?.status === 'True' && error.reason === reason && error.message.includes(words);
  };
}

/** What a replica answers for a URL of the Service. */
export async function fetchFrom({ origin }: Replica, url = '', method = 'GET'): Promise<Response> {
  return fetch(url.replace(publicUrl, origin), { method });
}

export async function bytesFrom(replica: Replica, url?: string): Promise<Buffer> {
  const response = await fetchFrom(replica, url);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${response.status}: ${bytes.toString().slice(0, 500)}`);
  return bytes;
}

/** The configuration of the agent in an Ignition config. */
export function agentConf({ storage }: Config): string {
  const file = storage?.files?.find(({ path }) => path === '/etc/ironic-python-agent.conf');
  const source = file?.contents?.source ?? '';
  return Buffer.from(source.slice(source.indexOf(',') + 1), 'base64').toString();
}
