/** The URLs that are to be given to BMCs, to Ironic and to DHCP servers. */

import { writeStdout } from '../io/stdout.ts';
import type { Io } from '../io/io.ts';
import type { ConfigArtifact } from '../hosts/artifacts/artifacts.ts';
import { hostFileName } from '../hosts/artifacts/servedPaths.ts';
import type { Links } from './links.ts';
import type { Snapshot } from './snapshot.ts';

/** Of these the first that there is: what a BMC mounts, else what a machine boots otherwise. */
const mainArtifacts: readonly ConfigArtifact[] = ['iso', 'minimal-iso', 'initramfs', 'ign', 'archive'];

/** The one that a person asks for who wants a host to boot. */
export function mainArtifact(wanted: readonly ConfigArtifact[]): ConfigArtifact {
  return mainArtifacts.find((artifact) => wanted.includes(artifact)) ?? 'ign';
}

/** Of each host one URL as text, and all of them as JSON. */
export async function printUrls(
  { hosts, wanted }: Pick<Snapshot, 'hosts' | 'wanted'>,
  { links, form }: { readonly links: Links; readonly form: 'json' | 'text' },
  io: Pick<Io, 'stdout'>,
): Promise<void> {
  const served = hosts.filter(({ isServed }) => isServed).map(({ name }) => name);
  const boot = bootUrls(wanted, links);
  const urlOf = (host: string, artifact: ConfigArtifact): string =>
    links.url({ kind: 'host', host }, hostFileName(host, artifact));
  if (form === 'json') {
    const document = {
      boot,
      hosts: served.map((name) => ({
        name,
        urls: Object.fromEntries(wanted.configs.map((artifact) => [artifact, urlOf(name, artifact)])),
      })),
    };
    await writeStdout(io, [Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`)]);
    return;
  }
  const artifact = mainArtifact(wanted.configs);
  const width = Math.max(0, ...served.map(({ length }) => length));
  const lines = [
    ...served.map((name) => `${name.padEnd(width)}  ${urlOf(name, artifact)}\n`),
    ...Object.entries(boot).map(([name, url]) => `# ${name}: ${url}\n`),
  ];
  await writeStdout(
    io,
    lines.map((line) => Buffer.from(line)),
  );
}

/** Where firmware is sent to: these stand in the configuration of a DHCP server, and do not expire. */
function bootUrls({ loaders }: Snapshot['wanted'], links: Links): Readonly<Record<string, string>> {
  if (!loaders.includes('ipxe')) return {};
  const urlOf = (file: string): string => `${links.publicUrl}/${links.path({ kind: 'boot' }, file)}`;
  return { ipxe: urlOf('boot.ipxe'), dnsmasq: urlOf('dnsmasq.conf') };
}
