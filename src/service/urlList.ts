/** Prints the URLs for BMCs, Ironic and DHCP servers. */

import { largest } from '../core/lists.ts';
import { writeStdout } from '../io/stdout.ts';
import type { Io } from '../io/io.ts';
import { type ConfigArtifact, hostArtifacts } from '../core/artifacts.ts';
import { hostFileName } from '../hosts/plan/servedPaths.ts';
import type { Links } from '../hosts/plan/links.ts';
import type { Snapshot } from './snapshot.ts';

export function mainArtifact(wanted: readonly ConfigArtifact[]): ConfigArtifact {
  const [main = 'ign'] = wanted.toSorted(
    (one, other) => hostArtifacts[one].printRank - hostArtifacts[other].printRank,
  );
  return main;
}

/** As text one URL for each host and for the machines that are not listed, as JSON all URLs. */
export async function printUrls(
  { hosts, unlisted, wanted }: Snapshot,
  links: Links,
  form: 'json' | 'text',
  stdout: Io['stdout'],
): Promise<void> {
  const served = hosts.filter(({ plan }) => plan !== undefined).map(({ name }) => name);
  // For the configuration of a DHCP server; they do not expire.
  const bootUrl = (file: string): string => `${links.publicUrl}/${links.path({ kind: 'boot' }, file)}`;
  const boot: Readonly<Record<string, string>> = wanted.loaders.includes('ipxe')
    ? { ipxe: bootUrl('boot.ipxe'), dnsmasq: bootUrl('dnsmasq.conf') }
    : {};
  const urlOf = (host: string, artifact: ConfigArtifact): string =>
    links.url({ kind: 'host', host }, hostFileName(host, artifact));
  const unlistedUrl = (stem: string, artifact: ConfigArtifact): string =>
    links.url({ kind: 'boot' }, hostFileName(stem, artifact));
  const all = (name: string, url: typeof urlOf) => ({
    name,
    urls: Object.fromEntries(wanted.configs.map((artifact) => [artifact, url(name, artifact)])),
  });
  if (form === 'json') {
    const document = {
      boot,
      hosts: served.map((name) => all(name, urlOf)),
      ...(unlisted.length > 0 && { unlisted: unlisted.map((stem) => all(stem, unlistedUrl)) }),
    };
    await writeStdout({ stdout }, [Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`)]);
    return;
  }
  const artifact = mainArtifact(wanted.configs);
  const width = largest(
    served.map(({ length }) => length),
    0,
  );
  const lines = [
    ...served.map((name) => `${name.padEnd(width)}  ${urlOf(name, artifact)}\n`),
    ...unlisted.map((stem) => `# ${stem}: ${unlistedUrl(stem, artifact)}\n`),
    ...Object.entries(boot).map(([name, url]) => `# ${name}: ${url}\n`),
  ];
  await writeStdout(
    { stdout },
    lines.map((line) => Buffer.from(line)),
  );
}
