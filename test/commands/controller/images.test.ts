/** From an object to its image: what is in it, under which URL it is, and why there may be none. */

import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildOutcome } from '../../../src/commands/controller/buildOutcome.ts';
import { createImageCatalog } from '../../../src/commands/controller/imageCatalog.ts';
import type { ImageFactory } from '../../../src/commands/controller/imageFactory.ts';
import type { ReadSecret } from '../../../src/commands/controller/buildRequest.ts';
import type { Diagnostic } from '../../../src/core/finding.ts';
import { CliError } from '../../../src/core/errors.ts';
import type { Config } from '../../../src/ignition/config.ts';
import {
  type Outcome,
  type ReadyOutcome,
  statusPatch,
} from '../../../src/commands/controller/api/outcome.ts';
import {
  type PreprovisioningImage,
  STREAM_LABEL,
} from '../../../src/commands/controller/api/preprovisioningImage.ts';
import { writeSampleIso } from '../../../src/image/sampleIso.ts';
import type { ServedResource } from '../../../src/http/server/answer/resource.ts';
import { imageEnv, inputsNameImage } from '../../support/agentImage.ts';
import { isoPair } from '../../support/minimalIso.ts';
import { cpio, kernel } from '../../support/newIso.ts';
import { runCli } from '../../support/runCli.ts';
import {
  imageOf,
  links,
  networkData,
  nmstate,
  publicUrl,
  secretOf,
  secretsOf,
  settings,
  workplace,
} from './support.ts';

const place = workplace();
const spec = { acceptFormats: ['iso'], architecture: 'x86_64', networkDataName: 'net' };
const secrets = secretsOf({ net: secretOf(nmstate('192.0.2.7'), '41') });

const outcomeOf = (
  image: PreprovisioningImage,
  factory: ImageFactory,
  readSecret: ReadSecret = secrets,
): Promise<Outcome> => buildOutcome(image, factory, links, readSecret, place.io);

function ready(outcome: Outcome): ReadyOutcome {
  if (outcome.kind === 'ready') return outcome;
  throw new Error(outcome.message);
}

/** The path behind the token. */
const pathOf = ({ imageUrl }: ReadyOutcome): string => imageUrl.split('/').slice(-2).join('/');

/** What the catalog of a replica has there. */
async function fetchImage(
  factory: ImageFactory,
  path: string,
  { image, owner = 'metal3/worker-0', readSecret = secrets }: Fetching,
): Promise<ServedResource | undefined> {
  const findImage = (name: string): typeof image => (name === 'metal3/worker-0' ? image : undefined);
  const catalog = createImageCatalog(factory, { find: findImage }, readSecret, place.io);
  return catalog.find(path, owner)?.resource();
}

interface Fetching {
  readonly image: PreprovisioningImage | undefined;
  readonly owner?: string;
  readonly readSecret?: ReadSecret;
}

async function bytesOf(resource: ServedResource | undefined): Promise<Buffer> {
  if (resource === undefined) throw new Error('there is no image');
  const source = await resource.open();
  const bytes = Buffer.from(await source.read(0, resource.size));
  await source.close();
  return bytes;
}

/** What `iso ignition show` and `pxe ignition unwrap` find. */
async function configIn(image: Buffer, ...command: readonly string[]): Promise<Config> {
  const path = place.write('fetched', image);
  const { code, stdout, stderr } = await runCli([...command, path]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const fileIn = ({ storage }: Config, path: string): string | undefined =>
  storage?.files?.find((file) => file.path === path)?.contents?.source ?? undefined;

const decoded = (url = ''): string =>
  url.includes(';base64,')
    ? Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString()
    : decodeURIComponent(url.slice(url.indexOf(',') + 1));

const keyfile = '/etc/NetworkManager/system-connections/eno1.nmconnection';

describe('the ISO of an object', () => {
  it('has its network and its name, under a URL with its entity tag', async () => {
    const factory = await place.factory();
    const image = imageOf({ spec });
    const outcome = ready(await outcomeOf(image, factory));
    expect(outcome.attempt).toEqual({
      format: 'iso',
      architecture: 'x86_64',
      networkData: { name: 'net', version: '41' },
    });
    expect(outcome.imageUrl).toMatch(
      /^http:\/\/images\.metal3\.svc:8084\/h\.metal3~2Fworker-0\.-\.[\w-]{22}\/[\w-]{24}\/worker-0\.iso$/,
    );
    const resource = await fetchImage(factory, pathOf(outcome), { image });
    expect(resource?.etag).toBe(`"${pathOf(outcome).split('/')[0]}"`);
    const config = await configIn(await bytesOf(resource), 'iso', 'ignition', 'show');
    expect(decoded(fileIn(config, keyfile))).toContain('192.0.2.7/24');
    expect(JSON.stringify(config)).toContain('worker-0');
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['network data', {}, 'Generated image'],
    [
      'network data beside nmstate, which counts',
      { nmstate: Buffer.from(nmstate('192.0.2.7')).toString('base64') },
      'Generated image; Secret metal3/net has the keys nmstate and networkData; nmstate is used',
    ],
  ])('has the network of %s', async (_title, others, expected) => {
    const factory = await place.factory();
    const data = { networkData: Buffer.from(networkData('192.0.2.7')).toString('base64'), ...others };
    const given = secretsOf({ net: { metadata: { resourceVersion: '7' }, data } });
    const image = imageOf({ spec });
    const outcome = ready(await outcomeOf(image, factory, given));
    const resource = await fetchImage(factory, pathOf(outcome), { image, readSecret: given });
    const config = await configIn(await bytesOf(resource), 'iso', 'ignition', 'show');
    const name = 'nmstate' in others ? keyfile : keyfile.replace('eno1', 'nic1');
    expect(decoded(fileIn(config, name))).toContain('192.0.2.7/24');
    expect(statusPatch(image, outcome, new Date(0))?.status['conditions']).toContainEqual(
      expect.objectContaining({ type: 'Ready', message: expected }),
    );
  });

  it('comes with the warnings about its own network, not with those about all hosts', async () => {
    place.write(
      'far.yaml',
      'agent: {ironic.apiUrls: http://198.51.100.1, agent.image: registry.example.com/ironic-agent}\n',
    );
    const factory = await place.factory({ settings: 'far.yaml' });
    expect([...factory.sharedWarnings]).toEqual([expect.stringContaining('no SSH key is set')]);
    const { note } = ready(await outcomeOf(imageOf({ spec }), factory));
    expect(note).toMatch(
      /^Secret metal3\/net:2:3: Ironic: no connection of the host has a route to 198\.51\.100\.1 [^;]*\(add a gateway/,
    );
    expect(place.said()).toMatch(/198\.51\.100\.1 .*\n  for metal3\/worker-0\nhint: add a gateway/);
    expect(ready(await outcomeOf(imageOf({}), factory)).note).toBeUndefined();
  });

  it('has no network of its own with an empty Secret', async () => {
    const empty = secretsOf({ net: { metadata: { resourceVersion: '7' } } });
    const outcome = ready(await outcomeOf(imageOf({ spec }), await place.factory(), empty));
    expect(outcome.attempt.networkData).toEqual({ name: 'net', version: '7' });
  });

  it('is the same on another replica, and after a restart', async () => {
    const image = imageOf({ spec });
    const [one, other] = [await place.factory(), await place.factory()];
    const outcome = ready(await outcomeOf(image, one));
    expect(await outcomeOf(image, other)).toEqual(outcome);
    const third = await place.factory();
    const told = imageOf({ spec, status: { imageUrl: outcome.imageUrl } });
    const [here, there] = await Promise.all(
      [one, third].map(async (factory) =>
        bytesOf(await fetchImage(factory, pathOf(outcome), { image: told })),
      ),
    );
    expect(here).toEqual(there ?? Buffer.alloc(0));
  });

  it.each([
    ['the network', { net: secretOf(nmstate('192.0.2.8'), '42') }, {}],
    ['the name', { net: secretOf(nmstate('192.0.2.7'), '41') }, { name: 'worker-1' }],
  ])('has another URL when %s is another', async (_title, others, more) => {
    const factory = await place.factory();
    const before = ready(await outcomeOf(imageOf({ spec }), factory));
    const after = ready(await outcomeOf(imageOf({ spec }, more), factory, secretsOf(others)));
    expect(pathOf(after)).not.toBe(pathOf(before));
  });

  it('has the same URL when a Secret was written anew as it was', async () => {
    const factory = await place.factory();
    const image = imageOf({ spec });
    const before = ready(await outcomeOf(image, factory));
    const rewritten = secretsOf({ net: secretOf(nmstate('192.0.2.7'), '99') });
    const after = ready(await outcomeOf(image, factory, rewritten));
    expect(after).toEqual({
      ...before,
      attempt: { ...before.attempt, networkData: { name: 'net', version: '99' } },
    });
  });

  it('is still served when its Secret has become invalid', async () => {
    const factory = await place.factory();
    const image = imageOf({ spec });
    const path = pathOf(ready(await outcomeOf(image, factory)));
    const invalid = secretsOf({ net: secretOf('interfaces: 5\n', '42') });
    expect(await outcomeOf(image, factory, invalid)).toMatchObject({
      kind: 'failed',
      reason: 'ImageBuildInvalid',
    });
    const resource = await fetchImage(factory, path, { image, readSecret: invalid });
    expect(resource?.etag).toBe(`"${path.split('/')[0]}"`);
  });

  it('has another URL when settings are others', async () => {
    const before = ready(await outcomeOf(imageOf({ spec }), await place.factory()));
    place.write('other.yaml', 'agent: {ironic.apiUrls: https://192.0.2.99}\n');
    const factory = await place.factory({ settings: 'other.yaml' });
    const after = ready(await outcomeOf(imageOf({ spec }), factory));
    expect(pathOf(after)).not.toBe(pathOf(before));
  });
});

describe('the initramfs of an object', () => {
  const initrd = { ...spec, acceptFormats: ['initrd'] };

  it('comes with its kernel, and the arguments without which it does not boot', async () => {
    const factory = await place.factory();
    const image = imageOf({ spec: initrd });
    const outcome = ready(await outcomeOf(image, factory));
    const token = links.path({ kind: 'host', host: 'metal3/worker-0' }, '');
    expect(outcome.imageUrl).toMatch(/\/worker-0\.initramfs$/);
    expect(outcome.kernelUrl).toMatch(
      new RegExp(`^${publicUrl}/${token}images/x86_64-[0-9a-f]{12}/ironic-python-agent\\.kernel$`),
    );
    expect(outcome.extraKernelParams).toBe(
      `coreos.live.rootfs_url=${outcome.kernelUrl?.replace(/kernel$/, 'rootfs')} ignition.firstboot ignition.platform.id=metal`,
    );
    const fetched = await bytesOf(await fetchImage(factory, pathOf(outcome), { image }));
    const config = await configIn(fetched, 'pxe', 'ignition', 'unwrap');
    expect(decoded(fileIn(config, keyfile))).toContain('192.0.2.7/24');
  });

  it('has no kernel and no root filesystem where there is none here', async () => {
    place.write('initrd.img', cpio({ init: '#!/bin/sh\n' }));
    const env = { DEPLOY_INITRD: 'initrd.img', IRONIC_ROOTFS_URL: 'http://192.0.2.1/rootfs' };
    const io = { ...place.io, env: { ...imageEnv, ...env } };
    const factory = await place.factory({ iso: [] }, { io });
    const image = imageOf({ spec: { ...initrd, acceptFormats: ['iso', 'initrd'] } });
    const outcome = ready(await buildOutcome(image, factory, links, secrets, io));
    expect([outcome.attempt.format, outcome.kernelUrl]).toEqual(['initrd', undefined]);
    expect(outcome.extraKernelParams).toContain('coreos.live.rootfs_url=http://192.0.2.1/rootfs');
  });
});

describe('what the environment of the image-customization-controller says', () => {
  it('gives the config of that program', async () => {
    const env = {
      DEPLOY_ISO: 'live.iso',
      IRONIC_BASE_URL: 'https://192.0.2.1',
      IRONIC_AGENT_IMAGE: 'registry.example.com/agent',
      IRONIC_AGENT_PULL_SECRET: Buffer.from('{"auths":{"registry.example.com":{"auth":"eDp5"}}}').toString(
        'base64',
      ),
    };
    const io = { ...place.io, env };
    const factory = await place.factory({ iso: [], settings: undefined }, { io });
    const image = imageOf({ spec });
    const outcome = ready(await buildOutcome(image, factory, links, secrets, io));
    const fetched = await bytesOf(await fetchImage(factory, pathOf(outcome), { image }));
    const shown = await configIn(fetched, 'iso', 'ignition', 'show');
    place.write('net.yaml', nmstate('192.0.2.7'));
    const flags = ['--profile', 'icc', '--hostname', 'worker-0', '--nmstate', 'net.yaml'];
    const { stdout } = await runCli(['render', ...flags], { cwd: place.folder, env });
    expect(shown).toEqual(JSON.parse(stdout));
  });
});

describe('no image', () => {
  const wrong = nmstate('192.0.2.300');

  it.each([
    ['no Secret', {}, 'MissingNetworkData', 'Secret metal3/net not found'],
    [
      'no key',
      { net: { metadata: { resourceVersion: '2' }, data: { other: 'eA==' } } },
      'ImageBuildInvalid',
      'Secret metal3/net has no text in the key nmstate or networkData; it has the keys "other"',
    ],
    [
      'wrong network data',
      {
        net: {
          metadata: { resourceVersion: '2' },
          data: { networkData: Buffer.from(networkData('192.0.2.300')).toString('base64') },
        },
      },
      'ImageBuildInvalid',
      'Secret metal3/net:3:72: expected an IPv4 address',
    ],
    ['no YAML', { net: secretOf('interfaces: [') }, 'ImageBuildInvalid', 'Secret metal3/net: '],
    [
      'a wrong address',
      { net: secretOf(wrong) },
      'ImageBuildInvalid',
      'Secret metal3/net:9:11: expected an IPv4 address',
    ],
  ])('with %s', async (_title, given, reason, message) => {
    const outcome = await outcomeOf(imageOf({ spec }), await place.factory(), secretsOf(given));
    expect(outcome).toMatchObject({ kind: 'failed', reason });
    expect('message' in outcome && outcome.message).toContain(message);
  });

  it('with the name of a Secret that cannot exist, for which the API server is not asked', async () => {
    const image = imageOf({ spec: { ...spec, networkDataName: '../Net' } });
    const outcome = outcomeOf(image, await place.factory(), async () => expect.fail('reads the Secret'));
    expect(await outcome).toMatchObject({
      reason: 'MissingNetworkData',
      message: expect.stringContaining('networkDataName "../Net" is not a valid name of a Secret'),
    });
  });

  it.each([
    ['for its architecture', {}, { architecture: 'aarch64' }, { format: 'iso', architecture: 'aarch64' }],
    ['of the format', { iso: [], kernel: ['kernel.img'] }, {}, { format: 'iso', architecture: 'x86_64' }],
    ['of a format that nobody knows', {}, { acceptFormats: ['uki'] }, undefined],
  ])('%s, told in a form that the operator takes notice of', async (_title, options, wish, expected) => {
    place.write('kernel.img', kernel);
    const outcome = await outcomeOf(imageOf({ spec: { ...spec, ...wish } }), await place.factory(options));
    const attempt = expected && { ...expected, networkData: { name: 'net', version: '41' } };
    expect(outcome).toMatchObject({ reason: 'ConfigurationError', attempt });
  });

  it('with a name that no machine can have', async () => {
    const name = 'a'.repeat(70);
    const outcome = await outcomeOf(imageOf({ spec }, { name }), await place.factory());
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'ImageBuildInvalid' });
    expect('message' in outcome && outcome.message).toContain('host.hostname');
  });

  it('after a defect of this program, which the status names', async () => {
    const factory = {
      ...(await place.factory()),
      build: async () => Promise.reject(new RangeError('hunter2')),
    };
    expect(await outcomeOf(imageOf({ spec }), factory)).toMatchObject({
      kind: 'failed',
      reason: 'ImageBuildInvalid',
      message: 'internal error (RangeError) (run "ironic-coreos --debug COMMAND …" and report its output)',
    });
  });

  it('for a problem of this machine, which is named and retried', async () => {
    place.write('merged.ign', JSON.stringify({ ignition: { version: '3.2.0' } }));
    place.write('merge.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1, ignition.merge: [merged.ign]}\n');
    const factory = await place.factory({ settings: 'merge.yaml' });
    rmSync(join(place.io.cwd, 'merged.ign'));
    expect(await outcomeOf(imageOf({ spec }), factory)).toMatchObject({
      kind: 'failed',
      reason: 'ControllerError',
      message: 'Ignition config not found: merged.ign (create the file, or use a path that exists)',
      controllerError: { code: 'ERR_FILE_MISSING' },
    });
  });

  it('with a config that does not fit, unless the ISO may grow', async () => {
    const files = Array.from({ length: 5 }, (_, index) => {
      // Digests do not compress.
      const bytes = createHash('shake256', { outputLength: 60_000 }).update(String(index)).digest('base64');
      return { path: `/etc/${index}`, contents: { source: `data:;base64,${bytes}` } };
    });
    place.write('large.ign', JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } }));
    place.write('large.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1, ignition.merge: [large.ign]}\n');
    const small = await place.factory({ settings: 'large.yaml' });
    const large = await place.factory({ grow: true, settings: 'large.yaml' });
    const verdict = await outcomeOf(imageOf({ spec }), small);
    expect(verdict).toMatchObject({ kind: 'failed', reason: 'ImageBuildInvalid' });
    expect('message' in verdict && verdict.message).toContain('too large');
    expect(await outcomeOf(imageOf({ spec }), large)).toMatchObject({ kind: 'ready' });
  });
});

/** An object whose image operators are told. */
const published = async (): Promise<{
  factory: ImageFactory;
  image: PreprovisioningImage;
  path: string;
  url: string;
}> => {
  const factory = await place.factory();
  const outcome = ready(await outcomeOf(imageOf({ spec }), factory));
  const image = imageOf({ spec, status: { imageUrl: outcome.imageUrl } });
  return { factory, image, path: pathOf(outcome), url: outcome.imageUrl };
};

describe('the catalog', () => {
  it.each([
    ['of an object that is gone', undefined, {}],
    ['of the assisted service', { labels: { 'infraenvs.agent-install.openshift.io': 'x' } }, {}],
    ['of another owner', {}, { owner: 'metal3/worker-9' }],
    ['of nobody', {}, { owner: '' }],
  ])('has nothing %s', async (_title, more, fetching) => {
    const { factory, path } = await published();
    const image = more === undefined ? undefined : imageOf({ spec }, more);
    expect(await fetchImage(factory, path, { image, ...fetching })).toBeUndefined();
  });

  it('serves a deleted object until it is gone', async () => {
    const { factory, path } = await published();
    const image = imageOf({ spec }, { deletionTimestamp: '2026-11-21T10:00:00Z' });
    expect(await fetchImage(factory, path, { image })).toBeDefined();
  });

  it.each([
    'worker-0.iso',
    'AAAAAAAAAAAAAAAAAAAAAAAA/worker-0.iso',
    'AAAAAAAAAAAAAAAAAAAAAAAA/worker-1.iso',
    'x',
  ])('has nothing under %s', async (path) => {
    const { factory, image } = await published();
    expect(await fetchImage(factory, path, { image })).toBeUndefined();
  });

  it('keeps an image as long as there is room, for who is reading it when another takes its place', async () => {
    const { factory, image, path } = await published();
    const rotated = secretsOf({ net: secretOf(nmstate('192.0.2.8'), '42') });
    expect(await fetchImage(factory, path, { image, readSecret: rotated })).toBeDefined();
    const anew = await place.factory();
    const gone = imageOf({ spec, status: { imageUrl: 'http://192.0.2.1/other' } });
    expect(await fetchImage(anew, path, { image: gone, readSecret: rotated })).toBeUndefined();
  });

  it('says so where a replica makes another image than the one that operators are told', async () => {
    const { image, path } = await published();
    place.write('rolling.yaml', 'agent: {ironic.apiUrls: https://192.0.2.77}\n');
    const newer = await place.factory({ settings: 'rolling.yaml' });
    await expect(fetchImage(newer, path, { image })).rejects.toThrow('this replica builds an image that dif');
  });

  it('makes no image for who asks for others than there are', async () => {
    const { image } = await published();
    const factory = await place.factory();
    const reads: string[] = [];
    const readSecret: ReadSecret = async (key) => {
      reads.push(key.name);
      return secrets(key);
    };
    const findImage = (): PreprovisioningImage => image;
    const catalog = createImageCatalog(factory, { find: findImage }, readSecret, place.io);
    for (const letter of 'ABCDEFGH') {
      const entry = catalog.find(`${letter.repeat(24)}/worker-0.iso`, 'metal3/worker-0');
      expect(await entry?.resource()).toBeUndefined();
    }
    expect(reads).toEqual([]);
  });

  it('has what all hosts fetch', async () => {
    const { factory } = await published();
    const [base] = factory.bases.values();
    const path = `images/${base?.id}/ironic-python-agent.rootfs`;
    expect(await fetchImage(factory, path, { image: undefined })).toMatchObject({
      artifact: 'rootfs',
      host: undefined,
    });
  });
});

const withImage = (image: string, conf: string): string =>
  `agent: {ironic.apiUrls: https://192.0.2.1, agent.image: ${image}, agent.registriesConf: ${conf}}\n`;

describe('settings and images that are wrong for all', () => {
  it.each([
    ['no images', { iso: [] }, 'No base image'],
    ['no settings', { settings: undefined }, 'IRONIC_BASE_URL'],
    ['a list of hosts', { settings: 'hosts.yaml' }, 'hosts.yaml contains a list of hosts'],
    ['an unknown setting', { settings: 'unknown.yaml' }, 'unknown.yaml:1:'],
    ['an Ironic that is no URL', { settings: 'url.yaml' }, 'url.yaml:1:'],
    [
      'a registry that registries.conf blocks',
      { settings: 'blocked.yaml' },
      'podman cannot pull the image registry.example.com/ironic-agent: registries.conf blocks registry.example.com',
    ],
    [
      'an image without a registry, with two to search',
      { settings: 'short.yaml' },
      'the image team/ironic-agent has no registry, and podman cannot select one',
    ],
  ])('%s', async (_title, options, message) => {
    place.write('hosts.yaml', 'agent: {ironic.apiUrls: https://192.0.2.1}\nhosts: [{name: worker-0}]\n');
    place.write('unknown.yaml', 'agent: {ironic.apiAddress: https://192.0.2.1}\n');
    place.write('url.yaml', 'agent: {ironic.apiUrls: "a b"}\n');
    place.write('blocked.conf', '[[registry]]\nlocation = "registry.example.com"\nblocked = true\n');
    place.write(
      'short.conf',
      'unqualified-search-registries = ["a.example.com", "b.example.com"]\nshort-name-mode = "enforcing"\n',
    );
    place.write('blocked.yaml', withImage('registry.example.com/ironic-agent', 'blocked.conf'));
    place.write('short.yaml', withImage('team/ironic-agent', 'short.conf'));
    let reported = '';
    const report = (diagnostics: readonly Diagnostic[]): void =>
      void (reported += JSON.stringify(diagnostics));
    const io = { ...place.io, env: inputsNameImage, report };
    const error: unknown = await place.factory(options, { io }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CliError);
    expect(`${reported}${String(error)}`).toContain(message);
  });
});

const version = (name: string): string => JSON.stringify({ ignition: { version: name } });
const merging = (child: string): string =>
  JSON.stringify({
    ignition: { version: '3.1.0', config: { merge: [{ source: `data:,${encodeURIComponent(child)}` }] } },
  });

describe('an image whose Ignition does not support', () => {
  beforeAll(async () => {
    const label = 'rhcos-410.84.202210040010-0';
    place.write('old.iso', await writeSampleIso({ label, date: new Date('2022-10-04') }));
  });

  it.each([
    ['the config of the settings', version('3.4.0')],
    ['a config that this config merges', merging(version('3.5.0'))],
    ['a config that is merged two levels deeper', merging(merging(version('3.4.0')))],
  ])('%s', async (_title, config) => {
    place.write('merged.ign', config);
    place.write('merging.yaml', settings.replace('agent:', 'agent:\n  ignition.merge: [merged.ign]'));
    const building = place
      .factory({ iso: ['old.iso'], settings: 'merging.yaml' })
      .then((factory) => outcomeOf(imageOf({ spec }), factory));
    const said = await building.then(
      (outcome) => ('message' in outcome ? outcome.message : ''),
      (error: Error) => error.message,
    );
    expect(said).toMatch(
      /does not support the spec version of its config.*rhcos-410\.84\.202210040010-0 is older/,
    );
  });
});

const ofStream = (stream?: string): PreprovisioningImage =>
  imageOf({ spec }, stream === undefined ? {} : { labels: { [STREAM_LABEL]: stream } });

describe('the image of an object with a stream', () => {
  const streams = { iso: ['live.iso', 'rhel-10/x86_64=el10.iso'] };
  place.write('el10.iso', isoPair((files) => files.set('stream', Buffer.from('rhel-10'))).full);

  it('is made from the base image of the stream, and changes with the label', async () => {
    const factory = await place.factory(streams);
    const [usual, el10] = [
      ready(await outcomeOf(ofStream(), factory)),
      ready(await outcomeOf(ofStream('rhel-10'), factory)),
    ];
    expect(pathOf(el10)).not.toBe(pathOf(usual));
    const bytes = await bytesOf(await fetchImage(factory, pathOf(el10), { image: ofStream('rhel-10') }));
    expect(bytes.includes('rhel-10')).toBe(true);
    const others = await bytesOf(await fetchImage(factory, pathOf(usual), { image: ofStream() }));
    expect(others.includes('rhel-10')).toBe(false);
    // A replica that never built it has no image at the path of the previous label.
    const other = await place.factory(streams);
    const image = imageOf(
      { spec, status: { imageUrl: el10.imageUrl } },
      { labels: { [STREAM_LABEL]: 'rhel-10' } },
    );
    expect(await fetchImage(other, pathOf(usual), { image })).toBeUndefined();
  });

  it('is refused for a stream without base images, and then made from those that a reload adds', async () => {
    const factory = await place.factory(streams);
    expect(await outcomeOf(ofStream('rhel-9'), factory)).toEqual({
      kind: 'failed',
      reason: 'ConfigurationError',
      message:
        'label coreos.openshift.io/stream: no images of the stream "rhel-9" for x86_64; available: x86_64, rhel-10/x86_64 (pass --iso rhel-9/x86_64=FILE, or use another stream)',
      attempt: { format: 'iso', architecture: 'x86_64', networkData: { name: 'net', version: '41' } },
    });
    const later = await place.factory({ iso: [...(streams.iso ?? []), 'rhel-9/x86_64=live.iso'] });
    expect(ready(await outcomeOf(ofStream('rhel-9'), later)).note).toBeUndefined();
    // The same file for the default and for a stream is open once.
    expect(later.bases.get('rhel-9/x86_64')?.iso).toBe(later.bases.get('x86_64')?.iso);
    expect(later.bases.get('rhel-10/x86_64')?.iso).not.toBe(later.bases.get('x86_64')?.iso);
  });

  it('is the default where no base image has a stream, and the status says so', async () => {
    const { note, imageUrl } = ready(await outcomeOf(ofStream('rhel-9'), await place.factory()));
    expect(note).toBe('the label coreos.openshift.io/stream has no effect: no base image has a stream');
    expect(imageUrl).toBe(ready(await outcomeOf(ofStream(), await place.factory())).imageUrl);
  });

  it('is that of the settings for objects without the label', async () => {
    place.write('el10.yaml', settings.replace('agent:', 'agent:\n  image.stream: rhel-10'));
    const factory = await place.factory({ ...streams, settings: 'el10.yaml' });
    const labelled = ready(await outcomeOf(ofStream('rhel-10'), factory));
    expect(ready(await outcomeOf(ofStream(), factory)).imageUrl).toBe(labelled.imageUrl);
    place.write('el11.yaml', settings.replace('agent:', 'agent:\n  image.stream: rhel-11'));
    await expect(place.factory({ ...streams, settings: 'el11.yaml' })).rejects.toMatchObject({
      message: expect.stringContaining(
        'image.stream: no images of the stream "rhel-11" for x86_64; available: x86_64, rhel-10/x86_64',
      ),
      at: { file: 'el11.yaml', line: 3, column: 17 },
    });
  });

  it('has kernel and root filesystem of its stream as initramfs', async () => {
    const factory = await place.factory(streams);
    const initrd = { ...spec, acceptFormats: ['initrd'] };
    const el10 = imageOf({ spec: initrd }, { labels: { [STREAM_LABEL]: 'rhel-10' } });
    const outcome = ready(await outcomeOf(el10, factory));
    const id = factory.bases.get('rhel-10/x86_64')?.id;
    expect(outcome.kernelUrl).toContain(`/images/${id}/ironic-python-agent.kernel`);
    expect(outcome.extraKernelParams).toContain(`/images/${id}/ironic-python-agent.rootfs `);
  });
});
