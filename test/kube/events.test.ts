/** How events are written. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, type KubernetesClient } from '../../src/kube/kubernetesClient.ts';
import { type RecordedEvent, recordEvent } from '../../src/kube/events.ts';
import { readObject, secrets } from '../../src/kube/objects.ts';
import {
  type Answer,
  type FakeApiServer,
  json,
  objectNamed,
  startFakeApiServer,
} from '../support/fakeApiServer.ts';

let server: FakeApiServer;
let client: KubernetesClient;

const fine: Answer = json(objectNamed('an-event', 1));

beforeEach(async () => {
  server = await startFakeApiServer();
  client = new ApiClient(server.config);
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

const source = { controller: 'metal3.io/ironic-coreos', instance: 'pod-1' };

describe('an event', () => {
  it('says what happened, to what, and who says so', async () => {
    server.answers.push(fine);
    await recordEvent(client, source, event);
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/events.k8s.io/v1/namespaces/metal3/events',
        body: {
          apiVersion: 'events.k8s.io/v1',
          kind: 'Event',
          metadata: { name: expect.stringMatching(/^worker-0\.[0-9a-f]{16}$/), namespace: 'metal3' },
          eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
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

  it('cuts what is too long, at the end of a character, and long names', async () => {
    server.answers.push(fine);
    const name = `${'a'.repeat(229)}.${'b'.repeat(23)}`;
    await recordEvent(client, source, {
      ...event,
      message: '€'.repeat(1000),
      object: readObject(objectNamed(name, 1), 'get').metadata,
    });
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({ note: `${'€'.repeat(340)}…` });
    expect(body).toMatchObject({ metadata: { name: expect.stringMatching(/^a{229}\.[0-9a-f]{16}$/) } });
  });
});
