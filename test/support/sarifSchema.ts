/**
 * The part of SARIF 2.1.0 that is written here, with what the specification requires of it; stricter than that, as
 * nothing else is let through. Section numbers are those of the specification.
 */

const text = { type: 'string', minLength: 1 };
const message = (...also: readonly string[]): object =>
  closed({ text }, ['text'], Object.fromEntries(also.map((name) => [name, text])));

function closed(required: object, names: readonly string[], optional: object = {}): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: names,
    properties: { ...required, ...optional },
  };
}

const level = { enum: ['error', 'warning', 'note'] };
const count = { type: 'integer', minimum: 1 };

/** 3.28 to 3.33 */
const location = closed(
  {
    physicalLocation: closed(
      {
        artifactLocation: {
          anyOf: [
            closed({ uri: { type: 'string', pattern: "^[A-Za-z0-9._~:/%!*'()-]+$" } }, ['uri']),
            closed({ description: message() }, ['description']),
          ],
        },
      },
      ['artifactLocation'],
      { region: closed({ startLine: count, startColumn: count }, ['startLine', 'startColumn']) },
    ),
  },
  ['physicalLocation'],
  {
    logicalLocations: {
      type: 'array',
      minItems: 1,
      items: closed({ fullyQualifiedName: text }, ['fullyQualifiedName']),
    },
  },
);

/** 3.27 */
const result = closed(
  {
    ruleId: text,
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message: message(),
    locations: { type: 'array', minItems: 1, maxItems: 1, items: location },
  },
  ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
);

/** 3.49 */
const rule = closed({ id: text }, ['id'], {
  shortDescription: message(),
  fullDescription: message(),
  defaultConfiguration: closed({ level }, ['level']),
  helpUri: text,
  help: message('markdown'),
});

/** 3.18, 3.19 */
const tool = closed(
  {
    driver: closed(
      {
        name: text,
        version: text,
        semanticVersion: text,
        informationUri: text,
        rules: { type: 'array', uniqueItems: true, items: rule },
      },
      ['name', 'rules'],
    ),
  },
  ['driver'],
);

/** 3.13, 3.14 */
export const sarifSchema = closed(
  {
    $schema: text,
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: closed(
        { columnKind: { const: 'utf16CodeUnits' }, results: { type: 'array', items: result }, tool },
        ['columnKind', 'results', 'tool'],
      ),
    },
  },
  ['$schema', 'version', 'runs'],
);
