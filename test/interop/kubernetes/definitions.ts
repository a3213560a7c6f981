/**
 * Kinds of operators in an API server of tests, with the definitions that `readDefinitions.js` has read: those of
 * baremetal-operator are of its commit 02aa505 (August 2026).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiServer } from './apiServer.js';

const ATTEMPTS = 300;
const ATTEMPT_MILLISECONDS = 50;

/** Makes a kind known, e.g. `baremetalhosts.metal3.io`; resolves once there can be objects of it. */
export async function defineKind(name: string, ask: ApiServer['ask']): Promise<void> {
  const text = readFileSync(join(import.meta.dirname, 'definitions', `${name}.json`), 'utf8');
  const definition: { spec: { group: string; names: { plural: string }; versions: [{ name: string }] } } =
    JSON.parse(text);
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  const { group, names, versions } = definition.spec;
  for (let attempt = 1; ; attempt++) {
    try {
      await ask('GET', `/apis/${group}/${versions[0].name}/${names.plural}`);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await wait(ATTEMPT_MILLISECONDS);
    }
  }
}
