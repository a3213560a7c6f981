// @ts-check
/** Network data: documents as OpenStack writes them with odd values, keys and bytes in them. */

import { below, damage, pick } from './damage.js';

/**
 * @typedef {typeof import('./subjects.ts')} Subjects
 * @typedef {import('./damage.js').Random} Random
 * @typedef {import('./worker.js').Target} Target
 */

const keys = ['id', 'type', 'link', 'links', 'networks', 'services', 'routes', 'bond_links', 'bond_mode', 'bond_miimon', 'vlan_link', 'vlan_id', 'mtu', 'netmask', 'ip_address', 'gateway', 'dns_search', '__proto__', 'constructor', 'toString', '']; // prettier-ignore
const values = [null, true, 0, -1, 1e308, 4095, '', 'nic1', 'bond0', 'vlan', 'bond', 'ipv6', '../x', '__proto__', '\0', '\n[ipv4]\n', '\ud800', ';', '::', '0.0.0.0/0', '1.2.3.4/33', 'fe80::1%eth0', 'ff:ff:ff:ff:ff:ff', 'x'.repeat(5000), [], {}, [[]], [{}]]; // prettier-ignore

/** @param {Subjects} subjects @returns {Readonly<Record<string, Target>>} */
export function networkTargets(subjects) {
  return {
    'network data': {
      make: (random) => makeDocument(random, subjects),
      run: (input) => checkDocument(input, subjects),
    },
  };
}

/** @param {Random} random @param {Subjects} subjects */
function makeDocument(random, { networkDataDocuments }) {
  const document = structuredClone(pick(random, networkDataDocuments).document);
  for (let edits = below(random, 5); edits > 0; edits--) changeOnce(random, document, networkDataDocuments);
  const bytes = Buffer.from(JSON.stringify(document));
  return random() < 0.2 ? damage(random, bytes) : bytes;
}

/** @param {Random} random @param {any} document @param {Subjects['networkDataDocuments']} documents */
function changeOnce(random, document, documents) {
  /** @type {[any, string][]} */
  const places = [];
  collectPlaces(document, places);
  if (places.length === 0) return;
  const [holder, key] = pick(random, places);
  const [otherHolder, otherKey] = pick(random, places);
  switch (below(random, 5)) {
    case 0:
      delete holder[key];
      break;
    case 1:
      holder[key] = structuredClone(pick(random, documents).document.links);
      break;
    case 2:
      Object.defineProperty(holder, pick(random, keys), { value: structuredClone(pick(random, values)), enumerable: true, configurable: true, writable: true }); // prettier-ignore
      break;
    case 3:
      holder[key] = structuredClone(otherHolder[otherKey]);
      break;
    default:
      holder[key] = structuredClone(pick(random, values));
  }
}

/** @param {any} value @param {[any, string][]} places */
function collectPlaces(value, places) {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    places.push([value, key]);
    collectPlaces(value[key], places);
  }
}

/** @param {Buffer} input @param {Subjects} subjects */
function checkDocument(input, { convertNetworkData, parseKeyfile, parseYaml }) {
  const { value, locate } = parseYaml(input.toString('utf8'));
  const { keyfiles, findings } = convertNetworkData(value);
  if (keyfiles.length > 0 && findings.some(({ severity }) => severity === 'error')) {
    throw new Error('there are keyfiles in spite of errors');
  }
  for (const { path, message, hint = '' } of findings) {
    if (locate(path) === undefined && value !== null) throw new Error(`no position of ${path.join('.')}`);
    if (/\n/.test(message + hint)) throw new Error('a message has several lines');
  }
  const names = new Set();
  for (const { name, text } of keyfiles) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}\.nmconnection$/.test(name)) throw new Error(`bad name ${name}`);
    if (/[^\n\P{Cc}]/u.test(text)) throw new Error('a keyfile has control characters');
    names.add(name.toLowerCase());
    const sections = parseKeyfile(text).map((section) => section.name);
    if (sections.some((section) => !/^(connection|bond|ipv4|ipv6|ethernet|vlan)$/.test(section))) {
      throw new Error(`a value became a section: ${sections.join(', ')}`);
    }
  }
  if (names.size !== keyfiles.length) throw new Error('two keyfiles have the same name');
}
