/** CSV (RFC 4180), with commas, semicolons or tabs between the fields, as the first line has them. */

import { FormatError } from '../core/errors.ts';

/**
 * The fields of each record that is not empty, and its line.
 * @throws FormatError for a quote that is not closed
 */
export function parseCsv(
  text: string,
): readonly { readonly line: number; readonly fields: readonly string[] }[] {
  const content = text.replace(/^\uFEFF/, '');
  const [head = ''] = content.split(/\r?\n/, 1);
  const separator = [',', ';', '\t'].reduce((best, one) =>
    head.split(one).length > head.split(best).length ? one : best,
  );
  const records = [];
  let fields: string[] = [];
  let [start, line] = [1, 1];
  const field = new RegExp(
    `("(?:[^"]|"")*"|[^"\\r\\n${separator}][^\\r\\n${separator}]*|)(${separator}|\\r?\\n|$)`,
    'y',
  );
  while (field.lastIndex < content.length) {
    const found = field.exec(content);
    if (found === null) throw new FormatError(`line ${line}: a quote is not closed, or text follows it`);
    const [, value = '', end = ''] = found;
    fields.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value.trim());
    line += value.split('\n').length - 1;
    if (end === separator && field.lastIndex < content.length) continue;
    if (end === separator) fields.push('');
    if (fields.some((one) => one !== '')) records.push({ line: start, fields });
    fields = [];
    line += 1;
    start = line;
  }
  return records;
}
