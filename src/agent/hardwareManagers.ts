/**
 * Hardware managers that the agent's image does not have: a folder with a Python module and the `NAME.dist-info` that
 * announces it. It is copied to the host, mounted into the container and put on Python's module path, where the agent
 * finds the entry point as if the package were installed.
 */

import { FormatError } from '../core/errors.ts';
import type { File } from '../ignition/config.ts';
import { renderDataFile } from '../ignition/dataFile.ts';
import type { AgentSettings, HardwareManager } from './settings.ts';

/** Where they lie on the host, each in a folder of its own. */
export const hardwareManagerFolder = '/var/lib/ironic-python-agent/hardware-managers';
const containerFolder = '/usr/local/lib/ironic-python-agent/hardware-managers';
const entryPointGroup = 'ironic_python_agent.hardware_managers';
const hint = `the folder needs a module and NAME.dist-info/entry_points.txt with a section [${entryPointGroup}]`;

export function renderHardwareManagers({ hardwareManagers }: AgentSettings): File[] {
  return hardwareManagers.flatMap(({ name, files }) =>
    files.map((file) => renderDataFile({ ...file, path: `${hardwareManagerFolder}/${name}/${file.path}` })),
  );
}

/** Values of podman's `--mount` and `--env` for them. */
export function hardwareManagerFlags({ hardwareManagers }: AgentSettings): string[] {
  if (hardwareManagers.length === 0) return [];
  const folders = hardwareManagers.map(({ name }) => `${containerFolder}/${name}`);
  return [
    '--mount',
    `type=bind,src=${hardwareManagerFolder},dst=${containerFolder},ro=true`,
    '--env',
    `PYTHONPATH=${folders.join(':')}`,
  ];
}

/** Throws FormatError, without a subject, where the agent would find no hardware manager in the folder. */
export function checkHardwareManager({ name, files }: HardwareManager): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new FormatError(`has a name that cannot be a part of a module path: ${JSON.stringify(name)}`, {
      hint: 'name the folder with letters, digits, "_" and "-"',
    });
  }
  const announcements = files.filter(({ path }) => /^[^/]+\.dist-info\/entry_points\.txt$/.test(path));
  if (announcements.length === 0)
    throw new FormatError('has no NAME.dist-info/entry_points.txt in it', { hint });
  const modules = announcements.flatMap(({ content }) => readEntryPoints(Buffer.from(content).toString()));
  if (modules.length === 0) {
    throw new FormatError(`announces no hardware manager: no entry point in [${entryPointGroup}]`, { hint });
  }
  const paths = new Set(files.map(({ path }) => path));
  const missing = modules.find((module) => !isModule(module, paths));
  if (missing === undefined) return;
  throw new FormatError(`announces the module ${JSON.stringify(missing)}, which is not in it`, { hint });
}

/** The modules that the group's lines `name = module:Class` refer to. */
function readEntryPoints(text: string): string[] {
  const modules: string[] = [];
  let section = '';
  for (const line of text.split(/\r?\n/).map((written) => written.trim())) {
    if (line.startsWith('[') && line.endsWith(']')) section = line.slice(1, -1).trim();
    else if (section === entryPointGroup && !line.startsWith('#')) {
      const module = /^[^=]+=\s*([A-Za-z_][\w.]*)\s*(?::|$)/.exec(line)?.[1];
      if (module !== undefined) modules.push(module);
    }
  }
  return modules;
}

function isModule(module: string, paths: ReadonlySet<string>): boolean {
  const path = module.replaceAll('.', '/');
  return paths.has(`${path}.py`) || paths.has(`${path}/__init__.py`);
}
