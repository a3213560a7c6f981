/** Events: how they are written, and what becomes of those that cannot be. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, type KubernetesClient } from '../../src/kube/kubernetesClient.ts';
import { EventRecorder, type RecordedEvent } from '../../src/kube/eventRecorder.ts';
import { readObject, secrets } from '../../src/kube/objects.ts';
import {
  type Answer,
  type FakeApiServer,
  json,
  objectNamed,
  refusal,
  startFakeApiServer,
} from '../support/fakeApiServer.ts';
import { createFakeClock, type FakeClock } from '../support/fakeClock.ts';

let server: FakeApiServer;
let client: KubernetesClient;
let clock: FakeClock;
let recorder: EventRecorder;
let troubles: string[];

const fine: Answer = json(objectNamed('an-event', 1));

beforeEach(async () => {
  server = await startFakeApiServer();
  client = new ApiClient(server.config);
  clock = createFakeClock();
  troubles = [];
  recorder = new EventRecorder({
    client,
    controller: 'metal3.io/ironic-coreos',
    instance: 'pod-1',
    clock,
    onError: ({ message }) => void troubles.push(message),
  });
});
afterEach(async () => {
  await client.close();
  await server.close();
});

const object = readObject(objectNamed('worker-0', 7), 'get').metadata;
const event: RecordedEvent = {
  resource: secrets,
  object,
  type: 'Warning',
  reason: 'ImageBuildInvalid',
  action: 'BuildImage',
  message: 'the state cannot be read',
};

const written = (): string[] => server.requests.map(({ method }) => method);

describe('EventRecorder', () => {
  it('writes what happened, to what, and who says so', async () => {
    server.answers.push(fine);
    recorder.record(event);
    await recorder.stop();
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/events.k8s.io/v1/namespaces/metal3/events',
        body: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: expect.stringMatching(/^worker-0\.[0-9a-f]{16}$/), namespace: 'metal3' },
          eventTime: expect.stringMatching(/^2026-11-21T\d\d:\d\d:\d\d\.\d{6}Z$/),
          reportingController: 'metal3.io/ironic-coreos',
          reportingInstance: 'pod-1',
          type: 'Warning',
          reason: 'ImageBuildInvalid',
          action: 'BuildImage',
          note: 'the state cannot be read',
          regarding: { kind: 'Secret', apiVersion: 'v1', name: 'worker-0', uid: 'uid-of-worker-0' },
        },
      },
    ]);
  });

  it('tells what could not be written, and writes the next one', async () => {
    server.answers.push(refusal(403, 'Forbidden'), fine);
    recorder.record(event);
    recorder.record({ ...event, message: 'another' });
    await recorder.stop();
    expect(troubles).toEqual(['Cannot create events in metal3: said about Forbidden']);
    expect(written()).toEqual(['POST', 'POST']);
  });

  it('cuts what is too long, at the end of a character, and long names', async () => {
    server.answers.push(fine);
    const name = `${'a'.repeat(229)}.${'b'.repeat(23)}`;
    recorder.record({
      ...event,
      message: '€'.repeat(1000),
      object: readObject(objectNamed(name, 1), 'get').metadata,
    });
    await recorder.stop();
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({ note: `${'€'.repeat(340)}…` });
    expect(body).toMatchObject({ metadata: { name: expect.stringMatching(/^a{229}\.[0-9a-f]{16}$/) } });
  });

  it('does not wait for an API server that does not answer', async () => {
    server.answers.push(() => undefined);
    recorder.record(event);
    await expect.poll(written).toEqual(['POST']);
    const stopped = recorder.stop();
    await clock.advance(2000);
    await stopped;
    recorder.record(event);
    expect(written()).toEqual(['POST']);
    expect(troubles).toEqual([]);
  });
});
