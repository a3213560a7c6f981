/** HTML as template literals, in which all inserted texts are escaped. */

export interface Html {
  readonly markup: string;
}

/** The indentation of the source code, which would double the size of a long table. */
const INDENTATION = /\n\s+/g;

export type Inserted = string | number | Html | readonly Html[] | false | undefined;

/** A template literal as markup. Inserted texts are escaped, also for attributes in double quotes. */
export function html(literal: TemplateStringsArray, ...inserted: readonly Inserted[]): Html {
  const pieces = literal.map((piece, index) => piece.replace(INDENTATION, '\n') + markupOf(inserted[index]));
  return { markup: pieces.join('') };
}

function markupOf(value: Inserted): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeHtml(value);
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that HTML documents must not contain (HTML, section 13.2.3.5), or that change the text direction. */
const UNWANTED = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '').replace(UNWANTED, '\ufffd');
}
