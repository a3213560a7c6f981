/** `import`: writes an inventory from objects of other programs. `deploy` writes the objects again. */

import { basename, dirname, extname, join, resolve } from 'node:path';
import { FormatError, located, UsageError } from '../../core/errors.ts';
import { printable } from '../../core/foreignText.ts';
import { append } from '../../core/lists.ts';
import { isMapping, type Mapping, withoutUndefined } from '../../formats/mapping.ts';
import { formatCount } from '../../formats/messageText.ts';
import { quoteShellWord } from '../../formats/shell.ts';
import { existsError } from '../../io/files/fileErrors.ts';
import { inputName, readInput } from '../../io/files/files.ts';
import { statsOf } from '../../io/files/fileStates.ts';
import { makeFolder, writeOutput } from '../../io/files/newFile.ts';
import type { ExitCode, Io } from '../../io/io.ts';
import { createImportedFiles, type Imported, mergeImported } from './imported.ts';
import { importCsv } from './importCsv.ts';
import { findNodes, importNodes } from './importNodes.ts';
import { importObjects, objectKind } from './importObjects.ts';
import { formatInventory, missingParts } from './inventoryText.ts';
import { readDocuments } from './kubernetesObjects.ts';
import type { ImportOptions } from './options.ts';

const FILE = { what: 'File to import', maxBytes: 64 * 1024 * 1024 };

export async function importHosts(options: ImportOptions, io: Io): Promise<ExitCode> {
  const { file: files, output } = options;
  if (output === '-') {
    throw new UsageError('import cannot write to standard output: it writes files beside the inventory', {
      hint: 'pass the inventory to write: -o ramdisk.yaml',
    });
  }
  if ((await statsOf(resolve(io.cwd, output))) !== undefined) {
    throw existsError(output, `remove ${quoteShellWord(output)}`);
  }
  const folder = `${basename(output, extname(output))}-files`;
  const beside = createImportedFiles(folder);
  const objects: Mapping[] = [];
  const nodes: Mapping[] = [];
  const tables: Partial<Imported>[] = [];
  for (const file of files) {
    const bytes = await readInput(file, io, FILE);
    const text = Buffer.from(bytes).toString('utf8');
    await located({ file: inputName(file) }, async () => {
      // Whether the first line has the names of columns. YAML and JSON begin otherwise.
      const isTable = /^\uFEFF?[\w "'-]+(?:[,;\t][\w "'-]*)+\r?\n/.test(text);
      if (/\.csv$/i.test(file) || isTable) return void tables.push(importCsv(text, beside));
      const documents = readDocuments(text);
      const found = documents.filter(isMapping).filter((object) => objectKind(object) !== '');
      if (found.length > 0 && found.length === documents.length) return append(objects, found);
      const listed = findNodes(documents);
      if (listed !== undefined) return append(nodes, listed);
      throw new FormatError('it contains neither objects of Kubernetes nor nodes of Ironic nor a table', {
        hint: 'run "ironic-coreos import --help" for what it can contain',
      });
    });
  }
  const { apiUrl, agentImage } = options;
  const given = { agent: withoutUndefined({ 'ironic.apiUrls': apiUrl, 'agent.image': agentImage }) };
  const imported = mergeImported([
    given,
    ...importObjects(objects, beside),
    importNodes(nodes, beside),
    ...tables,
  ]);
  const place = dirname(output);
  const written = beside.list();
  if (written.length > 0) await makeFolder(resolve(io.cwd, place, folder), join(place, folder), 0o700);
  for (const { path, content, mode } of written) await writeOutput(join(place, path), content, io, mode);
  await writeOutput(output, formatInventory(imported, files), io);
  const comments = imported.notes.length + imported.hosts.flatMap(({ notes }) => notes).length;
  const counts = [
    formatCount(imported.hosts.length, 'host'),
    formatCount(written.length, 'file'),
    `${formatCount(comments, 'comment')} on what was not imported`,
  ];
  const command = `run: ironic-coreos validate ${quoteShellWord(output)}`;
  const missing = missingParts(imported);
  const next = missing.length === 0 ? command : `add ${missing.join(' and ')}, then ${command}`;
  io.stderr.write(`${printable(output)} written: ${counts.join(', ')}; ${printable(next)}\n`);
  return 0;
}
