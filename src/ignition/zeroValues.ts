/**
 * Zero values, as Go has them: a member that is absent, and a plain one that is empty, are the same to Ignition. Of what
 * is nullable (a Go pointer), an empty value counts as given.
 */

import { isMapping } from '../formats/mapping.ts';
import type { Members } from './decode.ts';
import type { Field, ScalarField } from './schema.ts';

/** What an absent plain scalar is read as. */
export function zeroScalar({ kind }: ScalarField): string | boolean | number {
  return zeroScalars[kind];
}

const zeroScalars = { string: '', boolean: false, integer: 0 } as const;

/** Whether none of these members says anything. An empty list does, as Go tells it from none. */
export function isZero(fields: readonly Field[], members: Members): boolean {
  return fields.every((field) => isZeroMember(field, members[field.name]));
}

/** Whether one member says nothing. */
export function isZeroMember(field: Field, member: unknown): boolean {
  if (member === undefined) return true;
  if (field.pointer || field.kind === 'list') return false;
  if (field.kind === 'struct') return !isMapping(member) || isZero(field.struct.fields, member);
  return member === zeroScalar(field);
}
