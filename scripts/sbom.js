// @ts-check
/**
 * What is in something that we hand out, as CycloneDX 1.5 in JSON. npm knows the packages, and the bundler which of them it has
 * put inside. The same sources give the same bytes.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * @typedef {import('./bundle/licenses.js').Package} Package
 * @typedef {{ 'bom-ref': string, type: string, name: string, version: string, purl?: string, scope?: string,
 *   licenses?: object[], hashes?: { alg: string, content: string }[], properties?: { name: string, value: string }[] }} Component
 * @typedef {{ ref: string, dependsOn: string[] }} Dependency
 * @typedef {{ metadata: { component: Component }, components: Component[], dependencies: Dependency[] }} Document
 *
 * @typedef {object} Contents
 * @property {'library' | 'application'} type
 * @property {readonly Package[]} inside packages whose code is in the file
 * @property {readonly Component[]} others what is inside besides packages of npm
 *
 * @typedef {Contents & { file: string, time: Date }} Artifact
 */

/** @param {string} root folder of the package @param {Artifact} artifact @returns {string} */
export function describeContents(root, artifact) {
  const { file, type, inside, others, time } = artifact;
  const known = readPackages(root);
  const own = known.metadata.component;
  const names = new Set(inside.map(({ name, version }) => `${name}@${version}`));
  const packages = known.components
    .filter((component) => names.has(component['bom-ref']))
    .map(({ properties: _properties, ...component }) => component);
  const components = [...packages, ...others];
  const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
  const { name, version, description, licenses } = readManifest(root);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${asUuid(digest)}`,
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        'bom-ref': own['bom-ref'],
        type,
        name,
        version,
        description,
        purl: `pkg:npm/${name}@${version}`,
        licenses,
        hashes: [{ alg: 'SHA-256', content: digest }],
        properties: [{ name: 'ironic-coreos:file', value: basename(file) }],
      },
    },
    components,
    dependencies: connect(known.dependencies, [own, ...components]),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** @param {string} root @returns {Document} also those for development, which are marked */
function readPackages(root) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  return JSON.parse(
    execFileSync('npm', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32', // npm is a script there
    }),
  );
}

/** @param {string} root */
function readManifest(root) {
  /** @type {{ name: string, version: string, description: string, license: string }} */
  const { name, version, description, license } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  return { name, version, description, licenses: [{ expression: license }] };
}

/** @param {readonly Dependency[]} dependencies @param {readonly Component[]} components @returns {Dependency[]} */
function connect(dependencies, components) {
  const listed = new Set(components.map((component) => component['bom-ref']));
  const [own = ''] = listed;
  const needed = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set(
    [...needed].filter(([ref]) => ref !== own && listed.has(ref)).flatMap(([, refs]) => refs),
  );
  return [...listed].map((ref) => {
    const known = (needed.get(ref) ?? []).filter((other) => listed.has(other));
    // What npm does not know of is there for the program's sake.
    const others =
      ref === own ? [...listed].filter((other) => !needed.has(other) && !reached.has(other)) : [];
    return { ref, dependsOn: [...known, ...others] };
  });
}

/** A UUID of version 8 has what one likes. @param {string} digest in hexadecimal digits */
function asUuid(digest) {
  return digest.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
}
