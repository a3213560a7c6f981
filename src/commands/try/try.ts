/** `try`: waits for ramdisks that call a mock Ironic. It can also serve their images, or boot one in an emulated machine. */

import { UsageError } from '../../core/errors.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { refuseUnused } from '../../io/report/choices.ts';
import { readServeSource } from '../../service/source.ts';
import { readConsoleLogs } from '../../trial/console/consoleLog.ts';
import { readEmulatedSource, readMachineSetup } from '../../trial/emulation/emulatedSource.ts';
import { readExpectedHosts } from '../../trial/expectation.ts';
import { runTrial } from '../../trial/runTrial.ts';
import { readTrialSetup, refuseContact } from '../../trial/setup.ts';
import { guestNetwork } from '../../trial/emulation/guestNetwork.ts';
import type { TryOptions } from './options.ts';

/** Returns 0 if all expected hosts have called home, otherwise 1. Throws CliError, UsageError. */
export async function tryRamdisk(options: TryOptions, io: Io): Promise<ExitCode> {
  const { askBack, consoleLog, expect, guestHost, qemu } = options;
  refuseUnused(options, [
    ['inventory', ['iso', 'serveListen', 'publicUrl']],
    ['qemu', ['boot', 'firmware', 'memory', 'mac', 'guestHost', 'accel', 'console']],
  ]);
  if (qemu !== undefined && consoleLog !== undefined) {
    throw new UsageError('--console-log is for the console of a real machine, not for --qemu', {
      hint: 'remove --console-log: the console of the emulated machine is always read',
    });
  }
  if (guestHost !== undefined) guestNetwork(guestHost);
  const asked = readTrialSetup(options);
  const inventory = options.inventory === undefined ? undefined : await readServeSource(options, io);
  const hosts = (inventory?.inventory.hosts ?? []).map(({ architecture, mac, name }) => ({
    name,
    macs: mac === undefined ? [] : [mac],
    architecture,
  }));
  const source = qemu === undefined ? undefined : await readEmulatedSource(options, hosts, io);
  const expectation = readExpectedHosts(expect, hosts, source?.host);
  const { awaited } = expectation;
  const names = awaited.kind === 'hosts' ? awaited.names : [];
  if (source !== undefined && names.includes(source.host.name)) refuseContact(asked.successStage);
  const isOnly = expect === undefined;
  const machine = source && { source, setup: await readMachineSetup(options, source, io), isOnly, options };
  // No connection into the network of an emulated machine is possible.
  const setup = { ...asked, askBack: askBack ?? (machine && isOnly ? 'never' : asked.askBack) };
  const consoleLogs = readConsoleLogs(consoleLog, names);
  return runTrial({ options, setup, inventory, machine, consoleLogs, expectation, io });
}
