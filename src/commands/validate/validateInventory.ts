/** Validates inventories: the config of each host is rendered, with all files that it refers to, and nothing is written. */

import { dirname } from 'node:path';
import { mayBeButane } from '../../butane/mayBeButane.ts';
import { type Diagnostic, diagnosticOf, type Finding, hasErrors } from '../../core/finding.ts';
import { formatPlace, ifWellFormed } from '../../core/errors.ts';
import { errorRule, warningRule } from '../../core/rule.ts';
import { parseYaml, type YamlDocument } from '../../formats/yaml.ts';
import { keepRemarks, reportGroups, startRun } from '../../hosts/hostRun.ts';
import { isInventory } from '../../hosts/input/contentKind.ts';
import type { CheckUnits } from '../../hosts/input/unitTools.ts';
import type { HardwareCheck } from '../../hosts/settings/hardwareCheck.ts';
import { sharedSource } from '../../hosts/settings/inventory.ts';
import { type Inventory, readInventory } from '../../hosts/settings/inventoryDocument.ts';
import { createRenderer } from '../../hosts/settings/renderConfig.ts';
import { renderEach } from '../../hosts/settings/renderHosts.ts';
import { readInputs } from '../../hosts/settings/settings.ts';
import type { Io } from '../../io/io.ts';
import { formatNames, groupProblems, type ProblemGroup } from '../../io/report/problemGroups.ts';
import { collectDiagnostics, knownError } from '../../io/report/report.ts';
import { inputName } from '../../io/files/files.ts';
import type { CheckedFile } from '../../io/report/reporter.ts';

const invalid = errorRule(
  'inventory-invalid',
  'the inventory or one of its hosts is invalid',
  'fix the value that the message names',
);

const remark = warningRule(
  'inventory-remark',
  'a setting of the inventory or of one of its hosts has a consequence',
  'change the setting that the message names',
);

interface InventoryChecks {
  readonly checkUnits?: CheckUnits | undefined;
  readonly checkHardware?: HardwareCheck | undefined;
}

/** Undefined if the file is not an inventory. */
export async function checkIfInventory(
  file: string,
  bytes: Uint8Array,
  checks: InventoryChecks,
  io: Io,
): Promise<CheckedFile | undefined> {
  const document = parseInventoryText(file, Buffer.from(bytes));
  if (document === undefined) return undefined;
  const name = inputName(file);
  const inventory = await readInventory({ name, folder: dirname(file), ...document });
  const found =
    inventory.problems.length > 0 ? inventory.problems : await findProblems(inventory, checks, io);
  const findings = groupProblems(found).flatMap((group) => findingsOf(group, name));
  // Lines of an inventory may contain secrets, so the report has no excerpts.
  return { file, bytes: new Uint8Array(), report: { valid: !hasErrors(findings), findings } };
}

function parseInventoryText(file: string, bytes: Buffer): YamlDocument | undefined {
  const isYaml = /\.ya?ml$/i.test(file);
  if ((!isYaml && bytes.includes('"ignition"')) || mayBeButane(file, bytes)) return undefined;
  const document = ifWellFormed(() => parseYaml(bytes.toString('utf8')));
  return document !== undefined && isInventory(document.value) ? document : undefined;
}

async function findProblems(
  inventory: Inventory,
  { checkHardware, checkUnits }: InventoryChecks,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const { io: quiet, reported } = collectDiagnostics(io);
  const source = { ...sharedSource(inventory, {}, quiet), settingsPlace: 'under "agent"' };
  const { hosts } = inventory;
  try {
    if (hosts === undefined) {
      await createRenderer(checkUnits)(source);
      return reported;
    }
    readInputs(source); // what concerns all hosts is found once
    const run = startRun({ io: quiet, done: 'rendered' }, hosts.length);
    for await (const { host, remarks } of renderEach(hosts, source, run, checkUnits, checkHardware)) {
      keepRemarks(remarks, host.name, run);
    }
    reportGroups(run);
    return reported;
  } catch (error) {
    if (io.signal?.aborted === true) throw error;
    return [...reported, diagnosticOf(knownError(error, io))];
  }
}

/** A problem that several hosts have is one finding. A place in another file is part of the message. */
function findingsOf({ hosts, problems }: ProblemGroup, file: string): readonly Finding[] {
  const owner = formatNames(hosts);
  const shown = hosts.length > 1 ? problems.slice(0, 1) : problems;
  return shown.map(({ at, hint, host, message, rule, severity }) => {
    const isInside = at?.file === file;
    const { line, column = 1 } = (isInside ? at : host?.at) ?? {};
    const sentence = isInside || at === undefined ? message : `${formatPlace(at)}: ${message}`;
    return {
      severity,
      rule: rule ?? (severity === 'error' ? invalid : remark).rule,
      path: [],
      message: owner === '' ? sentence : `${owner}: ${sentence}`,
      hint,
      position: line === undefined ? undefined : { line, column },
    };
  });
}
