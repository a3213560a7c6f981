/**
 * Text with named placeholders, `{{name}}`: the format of the files in `templates/`. No logic, no nesting, no escaping: the
 * caller escapes each value for the language of the template.
 */

/**
 * Fills every hole of `text` in one pass, so that holes inside a value stay as they are. A hole without a value, or a
 * value without a hole, is a defect of this program and throws a plain `Error`.
 */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  const unused = new Set(Object.keys(values));
  const filled = text.replaceAll(/\{\{([^{}\n]*)\}\}/g, (_hole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`the template has a placeholder without a value: ${name}`);
    unused.delete(name);
    return value;
  });
  if (unused.size > 0) throw new Error(`the template has no placeholder for: ${[...unused].join(', ')}`);
  return filled;
}
