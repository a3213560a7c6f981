/** HTML in which a text cannot become markup: only what `html` has made is taken as it is. */

/** A piece of a document. */
export interface Html {
  readonly markup: string;
}

/** Of the source: it would make a long table twice as long. */
const indentation = /\n\s+/g;

type Hole = string | number | Html | readonly Html[] | undefined;

/** A template literal as markup; texts in its holes are escaped, also for attributes in double quotes. */
export function html(literal: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  const pieces = literal.map((piece, index) => piece.replace(indentation, '\n') + markupOf(holes[index]));
  return { markup: pieces.join('') };
}

function markupOf(hole: Hole): string {
  if (hole === undefined) return '';
  if (typeof hole === 'number') return String(hole);
  if (typeof hole === 'string') return escapeHtml(hole);
  return 'markup' in hole ? hole.markup : hole.map(({ markup }) => markup).join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that documents may not have (HTML, section 13.2.3.5), or that turn the direction of writing. */
const unwanted = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '').replace(unwanted, '\ufffd');
}
