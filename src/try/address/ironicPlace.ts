/** Where machines find the Ironic that is played, and what they have to trust for it. */

import { hostname, networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { Io } from '../../io/io.ts';
import { isCertifiable } from '../io/madeCertificates.ts';
import { writeFileAtomically } from '../../io/files/outputFile.ts';
import { isLoopback, type ListenAddress } from '../../serve/http/listenAddress.ts';
import { report } from '../../io/report/report.ts';
import type { IronicApi } from '../api/ironicApi.ts';
import type { TrialSetup, TryOptions } from '../setup.ts';

/** Addresses by which others may reach what listens there. */
export function reachableAddresses(listen: ListenAddress): string[] {
  if (listen.kind === 'tcp' && listen.host !== undefined) return [listen.host];
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .map(({ address }) => address);
}

/**
 * Names and addresses for the certificate, each once.
 * @param guestHost by which an emulated machine reaches this one
 */
export function certificateNames(
  { ironicUrl, tlsName = [] }: TryOptions,
  listen: ListenAddress,
  guestHost: string | undefined,
): string[] {
  const given = ironicUrl !== undefined && URL.canParse(ironicUrl) ? [new URL(ironicUrl).hostname] : [];
  const names = [
    ...tlsName,
    ...given,
    guestHost ?? [],
    ...reachableAddresses(listen),
    ...[hostname()].filter(isCertifiable), // which may be anything
    'localhost',
  ];
  const plain = names.flat().map((name) => name.replace(/^\[|\]$/g, '').replace(/%.*$/, ''));
  return [...new Set([...plain, '127.0.0.1', '::1'])];
}

/** Says where it listens, and gives the authority to who needs it. Throws CliError where that cannot be written. */
export async function tellApi(
  { ca, origin, port }: Pick<IronicApi, 'ca' | 'origin' | 'port'>,
  { caOut, qemu }: Pick<TryOptions, 'caOut' | 'qemu'>,
  { listen, io }: { readonly listen: TrialSetup['listen']; readonly io: Io },
): Promise<void> {
  report(io, {
    severity: 'info',
    message: `Ironic's API is played at ${origin}: nothing is deployed, cleaned or written to any disk`,
  });
  if (isLoopback(listen) && qemu === undefined) {
    report(io, {
      severity: 'info',
      message: 'only programs of this machine reach it',
      hint: `use --listen :${port} for other machines`,
    });
  }
  if (ca === undefined) return;
  if (caOut === undefined) {
    report(io, {
      severity: 'info',
      message: 'machines have to trust this authority, for --ca-file or ironic.caFiles',
      hint: 'to have it in a file: --ca-out FILE',
    });
    io.stderr.write(ca);
    return;
  }
  await writeFileAtomically(resolve(io.cwd, caOut), ca, { shownPath: caOut });
  report(io, {
    severity: 'info',
    message: `${caOut} is the authority to trust, for --ca-file or ironic.caFiles`,
  });
}
