// @ts-check
/** Configs to measure with. They are made up the same each time. */

/** A config as people write them, with a file and a unit. @param {number} number @returns {string} */
export function smallConfig(number) {
  return configOf({
    storage: {
      files: [{ path: '/etc/hostname', mode: 420, contents: { source: `data:,worker-${number}` } }],
    },
    systemd: { units: [{ name: 'a.service', enabled: true, contents: unitText(0, 0) }] },
  });
}

/** Configs of some 5 MB, by what they are full of. @type {Readonly<Record<string, () => string>>} */
export const largeConfigs = {
  'one data URL': () =>
    configOf({
      storage: {
        files: [{ path: '/big', contents: { source: `data:;base64,${'QUJD'.repeat(1_250_000)}` } }],
      },
    }),
  '5600 units': () =>
    configOf({
      systemd: {
        units: range(5600).map((index) => ({
          name: `job-${index}.service`,
          enabled: true,
          contents: unitText(index, 600),
        })),
      },
    }),
  '5000 files of 1 KB': () =>
    configOf({
      storage: { files: range(5000).map((index) => file(index, 'config%20line%0A'.repeat(60))) },
    }),
  '58000 tiny files': () => configOf({ storage: { files: range(58_000).map((index) => file(index, 'x')) } }),
  '14000 unused keys': () =>
    configOf(Object.fromEntries(range(14_000).map((index) => [`unknown_key_${index}`, 'x'.repeat(300)]))),
};

/** @param {object} sections */
function configOf(sections) {
  return JSON.stringify({ ignition: { version: '3.4.0' }, ...sections });
}

/** @param {number} count */
function range(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/** @param {number} index @param {string} data */
function file(index, data) {
  return { path: `/opt/data/${index % 50}/file-${index}`, mode: 420, contents: { source: `data:,${data}` } };
}

/** @param {number} index @param {number} padding */
function unitText(index, padding) {
  return (
    `[Unit]\nDescription=Job ${index}\n[Service]\nExecStart=/usr/bin/echo --number ${index}\n` +
    `Environment=PADDING=${'x'.repeat(padding)}\n[Install]\nWantedBy=multi-user.target\n`
  );
}
