/** Guesses what somebody meant by a member that Ignition ignores. */

import { nearestName } from '../formats/editDistance.ts';
import type { Path } from '../core/finding.ts';
import { configType, fieldsByFoldedName, foldName, type StructType, structAt } from './schema.ts';
import { isSince, type SpecVersion, specVersions } from './versions.ts';

/** A member that the type of its object does not have. */
export interface UnknownMember {
  readonly version: SpecVersion;
  readonly type: StructType;
  /** Of the object. */
  readonly path: Path;
  readonly key: string;
}

/** The likeliest explanation; undefined if there is none. */
export function unusedKeyHint(member: UnknownMember): string | undefined {
  if (member.key.length > longestGuess) return undefined;
  return spellingHint(member) ?? newerVersionHint(member) ?? butaneHint(member) ?? similarNameHint(member);
}

const longestGuess = 60;

function spellingHint({ type, key }: UnknownMember): string | undefined {
  const field = fieldsByFoldedName(type).get(foldName(key));
  return field && `Ignition takes it for ${JSON.stringify(field.name)} all the same: spell it so`;
}

function newerVersionHint({ version, path, key }: UnknownMember): string | undefined {
  const since = specVersions.find(
    (newer) =>
      newer !== version &&
      isSince(newer, version) &&
      structAt(configType(newer), path)?.fields.some(({ name }) => name === key),
  );
  return since && `${JSON.stringify(key)} exists since ${since}; in a ${version} config Ignition ignores it`;
}

function butaneHint({ type, path, key }: UnknownMember): string | undefined {
  const camelCase = key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  const field = type.fields.find(({ name }) => name === camelCase);
  if (field !== undefined) return `Butane writes it so; Ignition wants ${JSON.stringify(field.name)}`;
  const isButane =
    (path.length === 0 && key === 'variant') ||
    (type.fields.some(({ name }) => name === 'source') && (key === 'inline' || key === 'local'));
  return isButane
    ? `${JSON.stringify(key)} is Butane, which Ignition does not read: translate the config with butane first`
    : undefined;
}

function similarNameHint({ type, key }: UnknownMember): string | undefined {
  const fields = fieldsByFoldedName(type);
  const nearest = fields.get(nearestName(foldName(key), fields.keys()) ?? '');
  return nearest && `did you mean ${JSON.stringify(nearest.name)}? Ignition ignores ${JSON.stringify(key)}`;
}
