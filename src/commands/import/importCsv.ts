/** Hosts in a table: one host for each line, with the names of the columns in the first line. */

import { FormatError } from '../../core/errors.ts';
import { parseCsv } from '../../formats/csv.ts';
import { addLogin, type Imported, type ImportedFiles, macsOf } from './imported.ts';

/** Spellings of known columns, in lower case with letters and digits only. All other columns are values of the network template. */
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
    const values = titles.flatMap((title, index) => {
      const value = fields[index] ?? '';
      const isValue = keys[index] === undefined && value !== '' && !SECRET.test(title);
      return isValue ? [[title, value] as const] : [];
    });
    const secrets = titles.filter((title, index) => keys[index] === undefined && SECRET.test(title));
    const { macs, notes } = macsOf([valueOf('mac')]);
    const bmcAddress = valueOf('bmcAddress');
    return {
      kinds: ['table'],
      name,
      architecture: valueOf('architecture'),
      network: values.length === 0 ? undefined : { values: Object.fromEntries(values) },
      deploy: bmcAddress === undefined ? undefined : { bmcAddress },
      credentialsFile: addLogin(files, `${name}-bmc-secret`, {
        username: valueOf('username'),
        password: valueOf('password'),
      }),
      macs,
      bootMac: macs[0],
      notes: [...notes, ...secrets.map((title) => `the column ${title}, which may contain a secret`)],
    };
  });
  return { hosts };
}
