/**
 * `controller`: looks after the PreprovisioningImages of a cluster, as long as it runs. Each replica serves the images of
 * all objects; one of them leads, and writes what the BareMetal Operator reads.
 */

import type { ExitCode, Io } from '../io/io.ts';
import { createServerLog } from '../serve/http/serverLog.ts';
import { listenToSignals } from '../io/signals.ts';
import { keepHeapSmall, readLogForm } from '../serve/setup.ts';
import { runService, withLog } from '../serve/serviceLog.ts';
import type { ControllerOptions } from './options.ts';
import { readPlan } from './plan.ts';
import { startReplica } from './replica.ts';

/** Ends with 0 after SIGTERM or SIGINT. What ends it otherwise is a line of the log where that is JSON. Throws CliError, UsageError. */
export async function controller(options: ControllerOptions, io: Io): Promise<ExitCode> {
  keepHeapSmall();
  const form = readLogForm(options, io);
  const log = createServerLog(io.stderr, form);
  const serviceIo = withLog(io, { log, form });
  return runService(
    { io, log, form },
    {
      read: (talk) => readPlan({ ...options, log: form }, talk),
      run: async (plan) => {
        const replica = await startReplica(options, plan, { io: serviceIo, log });
        const signals = listenToSignals(() => void replica.reload());
        const stopped = signals.nextStop();
        try {
          await Promise.race([replica.begin(), stopped]);
          await stopped;
          return 0;
        } finally {
          await replica.stop(signals.nextStop()); // who asks again does not want to wait
          signals.ignore();
        }
      },
    },
  );
}
