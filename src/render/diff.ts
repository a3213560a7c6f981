/**
 * `render --diff`: what would change if the rendered config took the place of the deployed one, by setting. Nothing is
 * written. The exit codes are those of diff(1), so that a pipeline can tell a change from a failure.
 */

import { formatCount } from '../formats/wordList.ts';
import { UsageError } from '../core/errors.ts';
import type { ExitCode, Io } from '../io/io.ts';
import { writeStdout } from '../io/stdout.ts';
import { readDeployedConfig } from '../hosts/input/imageSource.ts';
import { parseTextOrJson } from '../io/report/choices.ts';
import { asTrouble } from '../io/report/report.ts';
import { compareRendered, type DiffForm, diffForms } from './diffForm.ts';
import { readInventoryFile } from '../hosts/settings/inventory.ts';
import type { RenderOptions } from '../hosts/settings/options.ts';
import { createRenderer } from '../hosts/settings/renderConfig.ts';
import type { RenderSource } from '../hosts/settings/settings.ts';

/** 0: nothing would change; 1: something would; anything that is wrong is thrown as UsageError, or told and 2. */
export async function diff(options: RenderOptions, io: Io): Promise<ExitCode> {
  const { deployed, form } = checkDiffOptions(options);
  try {
    if (options.inventory === undefined) return await diffOne(deployed, { options, io }, form);
    const { inventory, source } = await readInventoryFile(options.inventory, options, io);
    if (inventory.hosts === undefined) return await diffOne(deployed, source, form);
    const { diffHosts } = await import('./diffHosts.ts');
    return await diffHosts(inventory.hosts, source, { folder: deployed, form });
  } catch (error) {
    throw asTrouble(error);
  }
}

function checkDiffOptions({ diff: deployed, format, output, showSettings }: RenderOptions): {
  readonly deployed: string;
  readonly form: DiffForm;
} {
  if (deployed === undefined) {
    throw new UsageError('--format is for --diff and --show-settings', {
      hint: 'pass one of them too, such as --show-settings --format json',
    });
  }
  if (deployed === '') throw new UsageError('--diff names nothing', { hint: 'give a file, an ISO or a URL' });
  if (output !== undefined) {
    throw new UsageError('--output cannot be combined with --diff, which writes nothing', {
      hint: 'leave one of them out',
    });
  }
  if (showSettings === true) {
    throw new UsageError('--show-settings cannot be combined with --diff', { hint: 'leave one of them out' });
  }
  return { deployed, form: diffForms[parseTextOrJson(format)] };
}

async function diffOne(deployed: string, source: RenderSource, form: DiffForm): Promise<ExitCode> {
  const { io } = source;
  const before = await readDeployedConfig(deployed, io);
  const rendered = await createRenderer()(source);
  if (rendered === undefined) return 2;
  const changes = compareRendered(before, rendered);
  const text = form.start + form.format(changes).join(form.separator) + form.end;
  await writeStdout(io, [Buffer.from(text)]);
  const count = formatCount(changes.length, 'setting');
  io.stderr.write(changes.length === 0 ? 'nothing would change\n' : `${count} would change\n`);
  return changes.length === 0 ? 0 : 1;
}
