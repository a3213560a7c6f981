/** `systemd.quadlets`: files below /etc/containers/systemd, from which podman generates services. */

import { posix } from 'node:path';
import type { Path } from '../core/finding.ts';
import { issue } from '../core/rule.ts';
import { asMappings, type Mapping } from '../formats/mapping.ts';
import type { Config } from '../ignition/config.ts';
import { asString } from '../ignition/decode.ts';
import { PUBLIC_MODE } from '../ignition/dataFile.ts';
import { dataUrlOf } from './dataUrl.ts';
import { readLocal, type ButaneTranslation } from './desugar.ts';
import { NodeTracker } from './nodes.ts';
import { nodeExists } from './rules.ts';
import { madeFor } from './sources.ts';

export function addQuadlets(translation: ButaneTranslation, systemd: Mapping, base: Config): Config {
  const quadlets = asMappings(systemd['quadlets']);
  if (quadlets.length === 0) return base;
  const nodes = new NodeTracker(base);
  for (const [index, quadlet] of quadlets.entries()) {
    const from: Path = ['systemd', 'quadlets', index];
    const path = posix.join(
      '/etc/containers/systemd',
      quadlet['rootful'] === true ? '' : 'users',
      asString(quadlet['name']),
    );
    const target = templateOf(asString(quadlet['name']));
    if (target === undefined) addFile(translation, nodes, path, from, quadlet);
    else if (nodes.has(path)) translation.issues.push(issue(nodeExists(path), from));
    else nodes.add('links', madeFor({ path, target }, from, { path: [...from, 'name'] }));
    for (const [number, dropin] of asMappings(quadlet['dropins']).entries()) {
      const dropinPath = `${path}.d/${asString(dropin['name'])}`;
      addFile(translation, nodes, dropinPath, [...from, 'dropins', number], dropin);
    }
  }
  return nodes.result();
}

/** The template of an instance: `web@.container` for `web@1.container`; undefined for other names. */
export function templateOf(name: string): string | undefined {
  const at = name.indexOf('@');
  const dot = name.lastIndexOf('.');
  return at < 0 || dot < 0 || at + 1 === dot ? undefined : `${name.slice(0, at)}@.${name.slice(dot + 1)}`;
}

/** @param source the quadlet or its drop-in */
function addFile(
  translation: ButaneTranslation,
  nodes: NodeTracker,
  path: string,
  from: Path,
  source: Mapping,
): void {
  if (nodes.has(path)) {
    translation.issues.push(issue(nodeExists(path), from));
    return;
  }
  const local = asString(source['contents_local']);
  const inline = asString(source['contents']);
  const name = inline !== '' || local === '' ? 'contents' : 'contents_local';
  const contents = name === 'contents' ? Buffer.from(inline) : readLocal(translation, local, [...from, name]);
  if (contents === undefined) return;
  const file = { path, mode: PUBLIC_MODE, contents: madeFor(dataUrlOf(contents), [...from, name]) };
  nodes.add('files', madeFor(file, from, { path: [...from, 'name'] }));
}
