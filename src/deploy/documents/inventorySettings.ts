/**
 * What an inventory says below `deploy`, as options: its names are those of the flags in camel case, in the plural where
 * a flag can be repeated. A host beats what is said for all, and a flag beats both.
 */

/** Texts; placeholders in them are filled. */
export const textSettings = [
  'namespace',
  'bmcAddress',
  'bmcCredentialsName',
  'bootMode',
  'automatedCleaning',
  'method',
  'ignition',
  'userDataName',
  'networkData',
  'imageSource',
  'imageChecksum',
  'imageFormat',
  'deployIso',
  'deployKernel',
  'deployRamdisk',
  'kernelAppendParams',
] as const;

/** Those that are paths, which start at the folder of the inventory. */
export const pathSettings = ['ignition', 'networkData'] as const;

const switchSettings = ['bmcInsecure', 'copyNetwork'] as const;

/** As the commands take them. */
export type DeploySettings = Readonly<
  Partial<Record<(typeof textSettings)[number], string> & Record<(typeof switchSettings)[number], boolean>>
> & {
  readonly appendKarg?: readonly string[];
  /** `NAME=EXPRESSION` each. */
  readonly rootDevice?: readonly string[];
};

/** Names in the inventory of flags that are called otherwise there. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['--append-karg', 'appendKargs'],
  ['--root-device', 'rootDeviceHints'],
  ['--step', 'method'],
  ['--name', 'name'],
  ['--boot-mac', 'mac'],
  ['--arch', 'architecture'],
]);

const sameNames: ReadonlySet<string> = new Set([...textSettings, ...switchSettings]);

/** All that can stand below `deploy`. */
export const deploySettingNames: readonly string[] = [...sameNames, 'appendKargs', 'rootDeviceHints'];

/** What a flag is called in an inventory; undefined where it has no place there. */
export function settingOfFlag(flag: string): string | undefined {
  const camel = flag.slice(2).replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  return otherNames.get(flag) ?? (sameNames.has(camel) ? camel : undefined);
}

type Mapping = Readonly<Record<string, unknown>>;

/** The settings of a mapping that the schema has found right. */
export function readDeploySettings(mapping: Mapping): DeploySettings {
  const settings: Partial<
    Record<(typeof textSettings)[number], string> & Record<(typeof switchSettings)[number], boolean>
  > = {};
  for (const name of textSettings) {
    const value = mapping[name];
    if (typeof value === 'string') settings[name] = value;
  }
  for (const name of switchSettings) {
    const value = mapping[name];
    if (typeof value === 'boolean') settings[name] = value;
  }
  const { appendKargs, rootDeviceHints: hints } = mapping;
  return {
    ...settings,
    ...(Array.isArray(appendKargs) && { appendKarg: appendKargs.map(String) }),
    ...(typeof hints === 'object' &&
      hints !== null && {
        rootDevice: Object.entries(hints).map(([name, value]) => `${name}=${String(value)}`),
      }),
  };
}

/** Settings that go with another, and mean nothing beside one of another source. */
const companions: readonly (readonly [leader: string, followers: readonly string[]])[] = [
  ['deployIso', ['deployKernel', 'deployRamdisk', 'kernelAppendParams']],
  ['deployKernel', ['deployIso']],
  ['deployRamdisk', ['deployIso']],
  ['imageSource', ['imageChecksum', 'imageFormat']],
];

/** What is left of the weaker settings beside the stronger ones. */
export function withoutBeaten(weaker: Mapping, stronger: Mapping): Mapping {
  const beaten = new Set(Object.keys(stronger));
  for (const [leader, followers] of companions) {
    if (typeof stronger[leader] === 'string') for (const follower of followers) beaten.add(follower);
  }
  return Object.fromEntries(Object.entries(weaker).filter(([name]) => !beaten.has(name)));
}
