/** The lines `- evidence: …` of docs/rules.md. */

export interface Evidence {
  readonly rule: string;
  readonly group: string;
  readonly message: string;
  /** As written; empty if the line is missing. */
  readonly text: string;
  /** What shows that the rule is needed; undefined if the text has none of these forms. */
  readonly kind?: string | undefined;
  /** Of a test: its file, and a part of a text in it. */
  readonly test?: string | undefined;
  readonly title?: string | undefined;
  /** Of a message or a source: `OWNER+NAME`, and a file in it. */
  readonly repository?: string | undefined;
  readonly file?: string | undefined;
}

const FORMS =
  /^(?:(?<message>message) of Ignition, `(?<messageFile>[^`]+)`|(?<source>source) of (?<owner>[\w.-]+)\/(?<name>[\w.-]+), `(?<sourceFile>[^`]+)`|(?<run>test|boot|this program), `(?<test>test\/[^`]+)`: (?<title>.+)|(?<link>report|public file), https:\/\/\S+)$/;

export function evidenceOfRules(page: string): readonly Evidence[] {
  const [, ...groups] = page.split(/^## /m);
  return groups.flatMap((part) => {
    const [group = ''] = part.split('\n', 1);
    const [, ...sections] = part.split(/^### /m);
    return sections.map((section) => evidenceOf(section, group));
  });
}

function evidenceOf(section: string, group: string): Evidence {
  const [rule = ''] = section.split('\n', 1);
  const [, message = ''] = /^- message: (.+)$/m.exec(section) ?? [];
  const [, text = ''] = /^- evidence: (.+)$/m.exec(section) ?? [];
  const found = FORMS.exec(text)?.groups ?? {};
  const kind = found['message'] ?? found['source'] ?? found['run'] ?? found['link'];
  const repository = found['message']
    ? 'coreos+ignition'
    : found['source'] && `${found['owner']}+${found['name']}`;
  const file = found['messageFile'] ?? found['sourceFile'];
  return { rule, group, message, text, kind, test: found['test'], title: found['title'], repository, file };
}
