/** Files as containers-registries.conf(5) describes them, and what is wrong with each: `line:column message`. */

export const goodConfs: readonly string[] = [
  '',
  '# nothing\n',
  'unqualified-search-registries = ["quay.io", "localhost:5000", "192.0.2.1"]\nshort-name-mode = "permissive"\n',
  '[[registry]]\nprefix = "quay.io/metal3-io"\nlocation = "registry.example.com:5000/mirror/"\ninsecure = true\nblocked = false\n\n[[registry.mirror]]\nlocation = "[2001:db8::1]:5000"\npull-from-mirror = "tag-only"\n',
  '[[registry]]\nprefix = "*.example.com"\n[[registry]]\nprefix = "*.example.org"\nlocation = "registry.example.com"\n',
  '[[registry]]\nlocation = "a"\nmirror-by-digest-only = true\nmirror = [{ location = "b", insecure = true }]\r\n',
  'credential-helpers = ["containers-auth.json"]\nadditional-layer-store-auth-helper = "x"\n[aliases]\n"ironic-agent" = "quay.io/metal3-io/ironic-agent"\n"team/agent" = "localhost/agent"\n',
  'Short-Name-Mode = "disabled"\n[[Registry]]\nLocation = "a"\n',
  '[[registry]]\nlocation = "a"\n[[registry]]\nprefix = "b"\nlocation = "a"\n',
];

export const refusedConfs: readonly (readonly [text: string, issue: string])[] = [
  ['hello world\n', '1:7 the file is not TOML: expected equal'],
  ['<html>\n', '1:1 the file is not TOML'],
  ['{"auths": {}}\n', '1:1 the file is not TOML'],
  ['registries:\n  - quay.io\n', '1:11 the file is not TOML'],
  ['\uFEFF[[registry]]\nlocation = "a"\n', '1:1 the file is not TOML'],
  ['[[registry]]\nlocation = a\n', '2:12 the file is not TOML'],
  ['[[registry]]\nlocation = "a"\nlocation = "b"\n', '3:1 the file is not TOML'],
  ['unqualified-search-registries = "quay.io"\n', '1:1 invalid value of "unqualified-search-registries"'],
  ['unqualified-search-registries = [1]\n', '1:1 invalid value of'],
  [
    'unqualified-search-registries = [\n  "quay.io",\n  "https://docker.io/",\n]\n',
    '3:3 "https://docker.io/" is a URL',
  ],
  ['unqualified-search-registries = [""]\n', '1:34 the location is empty'],
  ['unqualified-search-registries = ["a b"]\n', '1:34 "a b" is not a registry host'],
  ['credential-helpers = "a"\n', '1:1 invalid value of "credential-helpers"'],
  ['short-name-mode = "strict"\n', '1:1 invalid value of "short-name-mode"'],
  ['[registry]\nlocation = "a"\n', '1:2 invalid value of "registry"'],
  ['[[registry]]\nlocation = "a"\ninsecure = "yes"\n', '3:1 invalid value of "insecure"'],
  ['[[registry]]\nlocation = 5\n', '2:1 invalid value of "location"'],
  ['[[registry]]\nlocation = 2020-01-01\n', '2:1 invalid value of "location"'],
  ['[[registry]]\n', '1:3 the registry has no location'],
  ['[[registry]]\nlocation = ""\n', '1:3 the registry has no location'],
  ['[[registry]]\nprefix = "quay.io"\n', '1:3 the registry has no location'],
  ['[[registry]]\nlocation = "https://quay.io"\n', '2:1 "https://quay.io" is a URL'],
  ['[[registry]]\nprefix = "http://quay.io"\nlocation = "a"\n', '2:1 "http://quay.io" is a URL'],
  ['[[registry]]\nlocation = "a"\n[[registry.mirror]]\ninsecure = true\n', '3:12 the location is empty'],
  [
    '[[registry]]\nlocation = "a"\n[[registry.mirror]]\nlocation = "b"\npull-from-mirror = "never"\n',
    '5:1 invalid value of',
  ],
  ['[aliases]\nagent = 1\n', '1:2 invalid value of "aliases"'],
];
