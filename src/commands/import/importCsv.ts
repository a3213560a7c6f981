/** Hosts in a table: one host for each line, with the names of the columns in the first line. */

import { FormatError } from '../../core/errors.ts';
import { parseCsv } from '../../formats/csv.ts';
import { addLogin, type Imported, type ImportedFiles, macsOf } from './imported.ts';

/** Spellings of known columns, in lower case with letters and digits only. All others are values for placeholders of the network template. */
const columns: Readonly<Record<string, readonly string[]>> = {
  name: ['name', 'hostname', 'host', 'node'],
  mac: ['mac', 'macaddress', 'bootmac', 'bootmacaddress', 'provisioningmac'],
  architecture: ['architecture', 'arch', 'cpuarch'],
  bmcAddress: ['bmc', 'bmcaddress', 'bmcurl', 'bmcip', 'ipmiaddress', 'ipmiip'],
  username: ['username', 'user', 'bmcusername', 'bmcuser', 'ipmiusername', 'ipmiuser'],
  password: ['password', 'pass', 'bmcpassword', 'bmcpass', 'ipmipassword', 'ipmipass'],
};

/** Of another column with a secret, which an inventory must not contain. */
const SECRET = /pass|pwd|secret|token|credential/i;

export function importCsv(text: string, files: ImportedFiles): Partial<Imported> {
  const [head, ...records] = parseCsv(text);
  const titles = head?.fields ?? [];
  const keys = titles.map((title) => {
    const plain = title.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    return Object.keys(columns).find((column) => columns[column]?.includes(plain) === true);
  });
  if (!keys.includes('name')) {
    throw new FormatError('the table has no column "name"', {
      hint: 'write the names of the columns to the first line, for example: name,mac,bmc_address,address',
    });
  }
  const hosts = records.map(({ fields, line }) => {
    const valueOf = (column: string): string | undefined => fields[keys.indexOf(column)] || undefined;
    const name = valueOf('name');
    if (name === undefined) throw new FormatError(`line ${line}: the host has no name`);
    const values = new Map<string, string>();
    const lost: string[] = [];
    for (const [index, title] of titles.entries()) {
      const { [index]: value = '' } = fields;
      const { [index]: key } = keys;
      const placeholder =
        title.replace(/^[^A-Za-z]+/, '').replaceAll(/[^\w-]+/g, '_') || `column${index + 1}`;
      if (key === undefined && SECRET.test(title))
        lost.push(`the column ${title}, which may contain a secret`);
      else if (value === '' || (key !== undefined && keys.indexOf(key) === index)) continue;
      else if (key !== undefined || values.has(placeholder))
        lost.push(`a second column for the same: ${title}`);
      else values.set(placeholder, value);
    }
    const { macs, notes } = macsOf([valueOf('mac')]);
    const bmcAddress = valueOf('bmcAddress');
    return {
      kinds: ['table'],
      name,
      architecture: valueOf('architecture'),
      network: values.size === 0 ? undefined : { values: Object.fromEntries(values) },
      deploy: bmcAddress === undefined ? undefined : { bmcAddress },
      credentialsFile: addLogin(files, `${name}-bmc-secret`, {
        username: valueOf('username'),
        password: valueOf('password'),
      }),
      macs,
      bootMac: macs[0],
      notes: [...notes, ...lost],
    };
  });
  return { hosts };
}
