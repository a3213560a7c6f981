/** The state of the service, as its page and its figures tell it. */

import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../hosts/artifacts/hostFiles.ts';
import type { BaseStatus, HostStatus, ImageStatus, Status } from './status/status.ts';
import type { TransferLog } from './answer/transfers.ts';
import type { BaseSet } from '../hosts/artifacts/baseImages.ts';
import type { HostState } from './hostEntries.ts';
import type { Links } from './links.ts';
import type { Loaded } from './serviceState.ts';
import type { Snapshot } from './snapshot.ts';

/** What the state is made from. */
export interface StatusSource {
  readonly snapshot: Loaded<Snapshot> | undefined;
  readonly problem: string | undefined;
  readonly links: Links;
  readonly transfers: TransferLog;
  readonly version: string;
  readonly started: Date;
  /** Of clients, idle ones too. */
  readonly connections: number;
}

export function describeService(source: StatusSource): Status {
  const { connections, problem, snapshot, started, transfers, version } = source;
  const bases = [...(snapshot?.bases.values() ?? [])];
  return {
    service: {
      version,
      now: new Date(),
      started,
      loaded: snapshot?.loaded ?? started,
      loadError: problem,
      connections,
      transfers: transfers.running(),
    },
    bases: bases.flatMap(describeBases),
    hosts: (snapshot?.hosts ?? []).map((host) => describeHost(host, source)),
    shared: transfers.progressOf(undefined),
    recent: transfers.recent(),
  };
}

export function describeBases({ architecture, inputs }: BaseSet): BaseStatus[] {
  return [...inputs.values()].map(({ name, size, sha256, label }) => ({
    name,
    architecture,
    size,
    digest: sha256,
    build: label,
  }));
}

function describeHost(
  { name, macs, architecture, isServed, remarks }: HostState,
  source: StatusSource,
): HostStatus {
  return {
    name,
    macs,
    architecture,
    findings: remarks,
    progress: () => source.transfers.progressOf(name),
    images: () => (isServed ? hostImages(name, source) : []),
  };
}

function hostImages(host: string, { snapshot, links, transfers }: StatusSource): ImageStatus[] {
  const sizes = new Map(transfers.progressOf(host).map(({ path, size }) => [path, size]));
  return (snapshot?.wanted.configs ?? []).map((artifact: ConfigArtifact) => {
    const path = hostFileName(host, artifact);
    return { path, artifact, size: sizes.get(path), url: links.url({ kind: 'host', host }, path) };
  });
}
