/**
 * The answers of a real Ironic (39.0.0: one process, SQLite, no authentication, discovery on; nodes worker-0 and worker-1
 * with a port each) to requests of agents, and to others that it refuses, recorded one after the other, against those of `try`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type PlayedIronic, playIronic, stopIronics } from '../../support/ironicApi.ts';

interface Recorded {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  /** With TOKEN for the token that the first lookup gave. */
  readonly body?: string;
  readonly answer: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: unknown;
  };
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../golden/ironic/answers.json'), 'utf8'),
);

let ironic: PlayedIronic;
let token = 'x';

beforeAll(async () => {
  ironic = await playIronic();
});
afterAll(stopIronics);

async function replay({ method, path, headers, body }: Recorded): Promise<Answer> {
  const sent = body?.replaceAll('TOKEN', token);
  const answer = await ironic.call(method, path, { headers, ...(sent !== undefined && { body: sent }) });
  const told = /"agent_token":"([\w-]{32,})"/.exec(answer.text)?.[1];
  if (told !== undefined && path.includes('lookup')) token = told;
  return answer;
}

const titled = recorded.map((request, index) => [`${index} ${request.title}`, request] as const);

describe('Ironic', () => {
  it.each(titled)('%s', async (_title, request) => {
    const { json, status } = await replay(request);
    expect(effectOf(status, json)).toEqual(effectOf(request.answer.status, request.answer.body));
  });
});

/** Of a refusal, agents use only that it is one. */
function effectOf(status: number, body: unknown): unknown {
  return status >= 400 ? 'refused' : [status, comparable(body)];
}

/** Without what differs from run to run, and with the parts of an Ironic that `try` does not have left out. */
function comparable(body: unknown): unknown {
  if (body === undefined || body === '') return '';
  const { port } = ironic.api;
  const text = JSON.stringify(body)
    .replaceAll(`127.0.0.1:${port}`, 'ironic.example')
    .replaceAll(/"(?:TOKEN|[\w-]{43})"/g, '"TOKEN"')
    .replaceAll(/(?!1111|2222|9999)[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID');
  const value: Record<string, unknown> = JSON.parse(text);
  if (Array.isArray(value['links'])) value['links'] = value['links'].slice(0, 1);
  const { config } = value;
  if (typeof config === 'object' && config !== null) Object.assign(config, { heartbeat_timeout: 0 });
  return value;
}
