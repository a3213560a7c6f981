// @ts-check
/** What is done with both programs: every command for images, alone and after others, with what it should refuse. */

/** @typedef {import('./programs.js').Step} Step */

/**
 * @typedef {object} Scenario
 * @property {string} command row of the table
 * @property {readonly Step[]} steps
 * @property {'every' | 'one'} on every image, or one that stands for all
 */

/**
 * @param {string} line words; `"a b"` is one word, `< FILE` is standard input, `> FILE` takes standard output
 * @param {Step['stdout']} [stdout]
 * @returns {Step}
 */
function step(line, stdout) {
  /** @type {string[]} */
  const args = [];
  /** @type {{ stdin?: string, save?: string }} */
  const streams = {};
  const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '<') streams.stdin = words[++index] ?? '';
    else if (word === '>') streams.save = words[++index] ?? '';
    else args.push(word);
  }
  return { args, ...streams, ...(stdout !== undefined && { stdout }) };
}

/** @param {string} command @param {Scenario['on']} on @param {readonly (readonly (string | Step)[])[]} list */
function scenariosOf(command, on, list) {
  return list.map((steps) => ({
    command,
    on,
    steps: steps.map((it) => (typeof it === 'string' ? step(it) : it)),
  }));
}

const showIgnition = step('iso ignition show image.iso', 'ignition');
const embed = 'iso ignition embed -i in/a.ign image.iso';
const embedNetwork = 'iso network embed -k in/eth0.nmconnection image.iso';
const long = (/** @type {number} */ length) => 'k'.repeat(length);

const isoIgnition = [
  ...scenariosOf('iso ignition embed', 'every', [
    [embed, showIgnition, 'iso ignition remove image.iso'],
    ['iso ignition embed image.iso < in/b.ign', showIgnition],
    [
      embed,
      'iso ignition embed -i in/b.ign image.iso',
      'iso ignition embed -f -i in/b.ign image.iso',
      showIgnition,
    ],
    ['iso ignition embed -i in/a.ign -o out.iso image.iso', 'iso ignition show out.iso'],
    ['iso ignition embed -i in/a.ign -o - image.iso > out.iso', 'iso ignition show out.iso'],
    ['iso ignition embed -i in/broken.ign image.iso', showIgnition, 'iso reset image.iso'],
    ['iso ignition embed -i in/empty.ign image.iso', embed, 'iso ignition remove image.iso'],
    [
      embedNetwork,
      embed,
      'iso network extract image.iso',
      'iso ignition remove image.iso',
      'iso network remove image.iso',
    ],
  ]),
  ...scenariosOf('iso ignition embed', 'one', [
    ['iso ignition embed -i in/large.ign image.iso', showIgnition],
    [
      'iso ignition embed --ignition-file=in/nearly-full.ign image.iso',
      showIgnition,
      'iso kargs show image.iso',
    ],
    ['iso ignition embed -i in/semantics.ign image.iso'],
    ['iso ignition embed -i in/v2.ign image.iso'],
    ['iso ignition embed -i in/not-utf8.ign image.iso', showIgnition],
    ['iso ignition embed -i in/nowhere.ign image.iso'],
    ['iso ignition embed -i in image.iso'],
    ['iso ignition embed -i - image.iso'],
    ['iso ignition embed -i in/a.ign nowhere.iso'],
    ['iso ignition embed -i in/nowhere.ign nowhere.iso'],
    ['iso ignition embed -i in/a.ign in/text.txt'],
    ['iso ignition embed -i in/a.ign -o in/text.txt image.iso'],
    ['iso ignition embed -i in/a.ign -o image.iso image.iso'],
    ['iso ignition embed -i in/a.ign -o nowhere/out.iso image.iso'],
    ['iso ignition embed -i in/a.ign -o "" image.iso'],
    ['iso ignition embed'],
    ['iso ignition embed -i in/a.ign -i in/b.ign image.iso'],
    ['iso ignition embed -f -f -i in/a.ign image.iso'],
    ['iso ignition embed -i in/a.ign image.iso image.iso'],
    ['iso ignition embed --unknown image.iso'],
    ['iso ignition embed image.iso -i'],
    ['iso ignition embed -iin/a.ign -oout.iso image.iso'],
    ['iso ignition embed -fi in/a.ign -- image.iso'],
    ['iso ignition embed image.iso -f -i in/a.ign'],
  ]),
  ...scenariosOf('iso ignition show', 'every', [['iso ignition show image.iso']]),
  ...scenariosOf('iso ignition show', 'one', [
    ['iso ignition show nowhere.iso'],
    ['iso ignition show in/text.txt'],
    ['iso ignition show in/zeros.iso'],
    ['iso ignition show in/empty.iso'],
    ['iso ignition show in'],
    ['iso ignition show'],
    ['iso ignition show image.iso image.iso'],
    ['iso ignition show -o out image.iso'],
  ]),
  ...scenariosOf('iso ignition remove', 'every', [
    ['iso ignition remove image.iso'],
    [embed, 'iso ignition remove -o out.iso image.iso', 'iso ignition remove -o - image.iso > again.iso'],
    ['iso ignition remove -o in/text.txt image.iso'],
  ]),
];

const isoNetwork = [
  ...scenariosOf('iso network embed', 'every', [
    [embedNetwork, 'iso network extract image.iso', 'iso network remove image.iso'],
    [
      'iso network embed -k in/no-newline.nmconnection --keyfile in/eth0.nmconnection image.iso',
      'iso network extract image.iso',
      'iso network extract -C out/of/it image.iso',
    ],
    [
      embedNetwork,
      embedNetwork,
      'iso network embed -f -k in/text.nmconnection image.iso',
      'iso network extract image.iso',
    ],
    ['iso network embed -k in/eth0.nmconnection -o out.iso image.iso', 'iso network extract out.iso'],
    ['iso network embed -k in/eth0.nmconnection -o - image.iso > out.iso', 'iso network extract out.iso'],
  ]),
  ...scenariosOf('iso network embed', 'one', [
    ['iso network embed -k in/large.nmconnection image.iso'],
    ['iso network embed -k in/eth0.nmconnection -k in/folder/eth0.nmconnection image.iso'],
    ['iso network embed -k in/nowhere.nmconnection image.iso'],
    ['iso network embed -k in image.iso'],
    ['iso network embed image.iso'],
    ['iso network embed -k in/eth0.nmconnection'],
    ['iso network embed -k in/eth0.nmconnection nowhere.iso'],
    ['iso network embed -k in/eth0.nmconnection -o in/text.txt image.iso'],
  ]),
  ...scenariosOf('iso network extract', 'every', [
    ['iso network extract image.iso'],
    ['iso network extract -C out image.iso'],
    [embedNetwork, 'iso network extract --directory=. image.iso', 'iso network extract -C . image.iso'],
  ]),
  ...scenariosOf('iso network extract', 'one', [
    [embedNetwork, 'iso network extract -C image.iso image.iso'],
    ['iso network extract'],
    ['iso network extract nowhere.iso'],
  ]),
  ...scenariosOf('iso network remove', 'every', [
    ['iso network remove image.iso'],
    [embed, embedNetwork, 'iso network remove -o out.iso image.iso', 'iso ignition show out.iso'],
  ]),
];

const isoKargs = [
  ...scenariosOf('iso kargs modify', 'every', [
    [
      'iso kargs modify -a foobar=oldval -a dodo image.iso',
      'iso kargs show image.iso',
      'iso kargs modify -d foobar=oldval -d dodo image.iso',
    ],
    [
      'iso kargs modify -a foobar=oldval image.iso',
      'iso kargs modify -r foobar=oldval=newval -o out.iso image.iso',
      'iso kargs show out.iso',
    ],
    [
      'iso kargs modify -r ignition.platform.id=metal=qemu -d ignition.firstboot -a a -o - image.iso > out.iso',
      'iso kargs show out.iso',
    ],
    [
      'iso kargs modify -a " a b " -a a image.iso',
      'iso kargs modify -d "a b" image.iso',
      'iso kargs show image.iso',
    ],
    [
      'iso kargs modify -a d -a d -a d image.iso',
      'iso kargs modify -d d image.iso',
      'iso kargs show image.iso',
    ],
    ['iso kargs modify -a ü=ö image.iso', 'iso kargs show image.iso', 'iso kargs reset image.iso'],
    [`iso kargs modify -a ${long(2100)} image.iso`],
    [
      `iso kargs modify -a ${long(300)} -a ${long(480)} image.iso`,
      'iso kargs show image.iso',
      'iso kargs reset image.iso',
    ],
    ['iso kargs modify image.iso'],
    ['iso kargs modify -d nothing -r nothing=at=all image.iso'],
    [embed, 'iso kargs modify -a x image.iso', showIgnition],
  ]),
  ...scenariosOf('iso kargs modify', 'one', [
    ...[1, 2].map((more) => [
      `iso kargs modify -a ${long(1022 - more)} image.iso`,
      'iso kargs show image.iso',
    ]),
    ['iso kargs modify -r a=b image.iso'],
    ['iso kargs modify -r a=b=c=d image.iso'],
    ['iso kargs modify -r a== image.iso'],
    ['iso kargs modify -a "" -d "" image.iso'],
    ['iso kargs modify -a --dashes image.iso'],
    ['iso kargs modify -a=x image.iso', 'iso kargs show image.iso'],
    ['iso kargs modify --append=x=y --delete x --replace=x=y=z image.iso', 'iso kargs show image.iso'],
    ['iso kargs modify -a x -o in/text.txt image.iso'],
    ['iso kargs modify -a x nowhere.iso'],
    ['iso kargs modify -a x'],
    ['iso kargs modify image.iso -a'],
    ['iso kargs modify -a x -o a.iso -o b.iso image.iso'],
  ]),
  ...scenariosOf('iso kargs reset', 'every', [
    ['iso kargs reset image.iso'],
    [
      'iso kargs modify -a x image.iso',
      'iso kargs reset -o out.iso image.iso',
      'iso kargs reset image.iso -o - > again.iso',
    ],
  ]),
  ...scenariosOf('iso kargs show', 'every', [
    ['iso kargs show image.iso'],
    ['iso kargs modify -a x image.iso', 'iso kargs show -d image.iso', 'iso kargs show --default image.iso'],
  ]),
  ...scenariosOf('iso kargs show', 'one', [
    ['iso kargs show'],
    ['iso kargs show -d -d image.iso'],
    ['iso kargs show in/text.txt'],
  ]),
];

/** Options that `iso customize` and `pxe customize` share. */
const customizations = [
  '',
  '--live-ignition in/a.ign',
  '--live-ignition in/a.ign --live-ignition in/unused.ign',
  '--live-ignition in/new.ign',
  '--live-ignition in/semantics.ign',
  '--dest-ignition in/a.ign --dest-device /dev/sda',
  '--dest-ignition in/a.ign --dest-ignition in/b.ign --ignition-ca in/ca.pem',
  '--dest-ignition in/unused.ign',
  '--dest-device /dev/sda',
  '--dest-console ttyS0 --dest-console tty0 --dest-console ttyAMA1,115200e7',
  '--dest-karg-append console=ttyS0,115200 --dest-karg-delete quiet --dest-karg-append "a: b"',
  '--network-keyfile in/eth0.nmconnection',
  '--network-keyfile in/eth0.nmconnection --dest-device /dev/sda',
  '--network-nmstate in/net.yaml --network-nmstate in/net.json',
  '--ignition-ca in/ca.pem',
  '--pre-install in/pre.sh --pre-install in/post.sh --post-install in/post.sh',
  '--installer-config in/installer.yaml --installer-config in/second.yaml',
  '--installer-config in/installer.yaml --dest-device /dev/vda --network-keyfile in/eth0.nmconnection --live-ignition in/b.ign --dest-ignition in/a.ign --pre-install in/pre.sh',
];

/** What older layouts do not support, and what touches every part of an image. */
const briefCustomizations = [
  '--dest-console ttyS0',
  '--network-keyfile in/eth0.nmconnection',
  '--installer-config in/installer.yaml --dest-device /dev/sda --network-nmstate in/net.yaml',
  '--live-ignition in/a.ign --dest-ignition in/b.ign --pre-install in/pre.sh',
];

const refusedCustomizations = [
  '--dest-console foo',
  '--dest-console console=tty0',
  '--dest-console ttyS256',
  '--dest-device a --dest-device b',
  '--dest-ignition in/v2.ign',
  '--dest-ignition in/experimental.ign',
  '--dest-ignition in/nowhere.ign',
  '--live-ignition in/broken.ign',
  '--live-ignition in/types.ign',
  '--live-ignition in/empty.ign',
  '--installer-config in/unknown.yaml',
  '--installer-config in/text.yaml',
  '--installer-config in/nowhere.yaml',
  '--pre-install in/pre.sh --pre-install in/pre.sh',
  '--pre-install in/nowhere.sh',
  '--network-keyfile in/eth0.nmconnection --network-keyfile in/folder/eth0.nmconnection',
  '--network-keyfile in/eth0.nmconnection --network-nmstate in/net.yaml',
  '--network-nmstate in/text.yaml',
  '--network-nmstate in/nowhere.yaml',
  '--ignition-ca in/nowhere.pem',
  '--unknown',
];

const isoCustomize = [
  ...scenariosOf('iso customize', 'every', [
    ...briefCustomizations.map((options) => [`iso customize ${options} image.iso`, 'iso reset image.iso']),
    [
      'iso customize --live-karg-append x --live-karg-delete ignition.firstboot image.iso',
      'iso kargs show image.iso',
    ],
    [
      'iso customize --live-karg-replace ignition.platform.id=metal=qemu -o out.iso image.iso',
      'iso kargs show out.iso',
    ],
    [`iso customize --live-karg-append ${long(2100)} image.iso`],
    [
      embed,
      'iso customize --dest-device /dev/sda image.iso',
      'iso customize -f --live-ignition in/b.ign image.iso',
      showIgnition,
    ],
    [embedNetwork, 'iso customize --live-ignition in/b.ign image.iso'],
    [
      'iso kargs modify -a x image.iso',
      'iso customize image.iso',
      'iso customize -f image.iso',
      'iso kargs show image.iso',
    ],
    [
      'iso kargs modify -a x image.iso',
      'iso customize -f --live-karg-append y image.iso',
      'iso kargs show image.iso',
    ],
    ['iso customize --live-ignition in/a.ign -o - image.iso > out.iso', 'iso customize out.iso'],
  ]),
  ...scenariosOf('iso customize', 'one', [
    ['iso customize --live-ignition in/large.ign image.iso'],
    ...customizations.map((options) => [`iso customize ${options} image.iso`, showIgnition]),
    ...refusedCustomizations.map((options) => [`iso customize ${options} image.iso`]),
    ['iso customize --live-karg-replace a=b image.iso'],
    ['iso customize --live-ignition in/a.ign -o in/text.txt image.iso'],
    ['iso customize --live-ignition in/a.ign in/text.txt'],
    ['iso customize --live-ignition in/a.ign nowhere.iso'],
    ['iso customize'],
  ]),
];

const isoOther = [
  ...scenariosOf('iso reset', 'every', [
    ['iso reset image.iso'],
    [
      embed,
      embedNetwork,
      'iso kargs modify -a x image.iso',
      'iso reset -o out.iso image.iso',
      'iso reset -o - image.iso > again.iso',
      'iso reset image.iso',
    ],
  ]),
  ...scenariosOf('iso reset', 'one', [
    ['iso reset'],
    ['iso reset in/text.txt'],
    ['iso reset -o in/text.txt image.iso'],
  ]),
  ...scenariosOf('iso extract pxe', 'every', [
    ['iso extract pxe -o out/of/it image.iso', 'iso extract pxe --output-dir=out/of/it image.iso'],
    ['iso extract pxe image.iso'],
    [embed, 'iso extract pxe -o out image.iso'],
  ]),
  ...scenariosOf('iso extract pxe', 'one', [
    ['iso extract pxe in/text.txt'],
    ['iso extract pxe -o image.iso image.iso'],
    ['iso extract pxe'],
  ]),
  ...scenariosOf('iso extract minimal-iso', 'every', [
    [
      'iso extract minimal-iso image.iso minimal.iso',
      'iso kargs show minimal.iso',
      'iso kargs show -d minimal.iso',
    ],
    [
      'iso extract minimal-iso image.iso > minimal.iso',
      'iso ignition embed -i in/a.ign minimal.iso',
      'iso reset minimal.iso',
    ],
    [
      'iso extract minimal-iso --rootfs-url https://192.0.2.1/r.img?a=b image.iso - --output-rootfs rootfs.img > minimal.iso',
      'iso kargs show minimal.iso',
    ],
    [embed, 'iso extract minimal-iso image.iso minimal.iso'],
    ['iso kargs modify -a x image.iso', 'iso extract minimal-iso image.iso minimal.iso'],
  ]),
  ...scenariosOf('iso extract minimal-iso', 'one', [
    ['iso extract minimal-iso --rootfs-url "http://a b" image.iso minimal.iso'],
    ['iso extract minimal-iso --rootfs-url " http://a" image.iso minimal.iso'],
    ['iso extract minimal-iso image.iso in/text.txt'],
    ['iso extract minimal-iso --output-rootfs in/text.txt image.iso minimal.iso'],
    ['iso extract minimal-iso in/text.txt minimal.iso'],
    ['iso extract minimal-iso'],
  ]),
];

const fromImage = 'iso extract pxe -o pxe image.iso';
const initrd = 'pxe/image-initrd.img';

const pxe = [
  ...scenariosOf('pxe ignition wrap', 'one', [
    ['pxe ignition wrap -i in/a.ign > wrapped.img', 'pxe ignition unwrap wrapped.img'],
    ['pxe ignition wrap < in/b.ign > wrapped.img', 'pxe ignition unwrap < wrapped.img'],
    [
      'pxe ignition wrap -i in/a.ign -o wrapped.img',
      'pxe ignition wrap -i in/b.ign -o wrapped.img',
      'pxe ignition unwrap wrapped.img',
    ],
    ['pxe ignition wrap -i in/broken.ign -o wrapped.img', 'pxe ignition unwrap wrapped.img'],
    ['pxe ignition wrap -i in/empty.ign -o wrapped.img', 'pxe ignition unwrap wrapped.img'],
    ['pxe ignition wrap -i in/large.ign -o wrapped.img', 'pxe ignition unwrap wrapped.img'],
    ['pxe ignition wrap -i in/a.ign -o -'],
    ['pxe ignition wrap -i in/nowhere.ign'],
    ['pxe ignition wrap -i in/a.ign -o nowhere/wrapped.img'],
    ['pxe ignition wrap -i in/a.ign file'],
  ]),
  ...scenariosOf('pxe ignition unwrap', 'one', [
    ['pxe ignition unwrap < in/empty.ign'],
    ['pxe ignition unwrap in/text.txt'],
    ['pxe ignition unwrap nowhere.img'],
    ['pxe network wrap -k in/eth0.nmconnection -o wrapped.img', 'pxe ignition unwrap wrapped.img'],
  ]),
  ...scenariosOf('pxe network wrap', 'one', [
    [
      'pxe network wrap -k in/eth0.nmconnection -k in/no-newline.nmconnection > wrapped.img',
      'pxe network unwrap wrapped.img',
      'pxe network unwrap < wrapped.img',
      'pxe network unwrap -C out wrapped.img',
      'pxe network unwrap -C out wrapped.img',
    ],
    [
      'pxe network wrap -k in/eth0.nmconnection -o wrapped.img',
      'pxe network wrap -k in/text.nmconnection -o wrapped.img',
      'pxe network unwrap wrapped.img',
    ],
    ['pxe network wrap -k in/eth0.nmconnection -k in/folder/eth0.nmconnection'],
    ['pxe network wrap -k in/nowhere.nmconnection'],
    ['pxe network wrap'],
  ]),
  ...scenariosOf('pxe network unwrap', 'one', [
    ['pxe ignition wrap -i in/a.ign -o wrapped.img', 'pxe network unwrap wrapped.img'],
    ['pxe network unwrap < in/empty.ign'],
    ['pxe network unwrap nowhere.img'],
  ]),
  ...scenariosOf('pxe customize', 'every', [
    ...['', '--live-ignition in/a.ign --network-keyfile in/eth0.nmconnection', '--dest-device /dev/sda'].map(
      (options) => [
        fromImage,
        `pxe customize ${options} -o out.img ${initrd}`,
        step('pxe ignition unwrap out.img', 'ignition'),
        `pxe customize ${options} -o again.img out.img`,
      ],
    ),
    [
      fromImage,
      `pxe customize --live-ignition in/b.ign -o - ${initrd} > out.img`,
      'pxe network unwrap out.img',
    ],
  ]),
  ...scenariosOf('pxe customize', 'one', [
    ...customizations.map((options) => [
      fromImage,
      `pxe customize ${options} -o out.img ${initrd}`,
      step('pxe ignition unwrap out.img', 'ignition'),
    ]),
    ...refusedCustomizations.map((options) => [fromImage, `pxe customize ${options} -o out.img ${initrd}`]),
    [fromImage, `pxe customize ${initrd}`],
    [fromImage, `pxe customize -o ${initrd} ${initrd}`],
    [fromImage, 'pxe customize -o out.img pxe/image-vmlinuz'],
    ['pxe ignition wrap -i in/a.ign -o wrapped.img', 'pxe customize -o out.img wrapped.img'],
    ['pxe customize -o out.img nowhere.img'],
    ['pxe customize -o out.img in/text.txt'],
    [fromImage, `pxe customize --force -o out.img ${initrd}`],
  ]),
];

const help = ['', 'iso', 'iso ignition', 'iso ignition embed', 'iso ignition show', 'iso ignition remove', 'iso network', 'iso network embed', 'iso network extract', 'iso network remove', 'iso kargs', 'iso kargs modify', 'iso kargs reset', 'iso kargs show', 'iso customize', 'iso reset', 'iso extract', 'iso extract pxe', 'iso extract minimal-iso', 'pxe', 'pxe customize', 'pxe ignition', 'pxe ignition wrap', 'pxe ignition unwrap', 'pxe network', 'pxe network wrap', 'pxe network unwrap']; // prettier-ignore

const usage = scenariosOf('help and usage', 'one', [
  ...help.flatMap((command) => [
    [step(`${command} --help`, 'none')],
    [step(`${command} -h`, 'none')],
    ...(command.split(' ').length < 3
      ? [[step(`${command} nonsense`, 'none')], [step(`${command} nonsense -h`, 'none')]]
      : []),
  ]),
  ...[
    '',
    'iso',
    'iso ignition',
    'iso kargs',
    'iso network',
    'iso extract',
    'pxe',
    'pxe ignition',
    'pxe network',
  ].map((group) => [step(group, 'none')]),
  [step('--version', 'none')],
  [step('-V', 'none')],
  [step('iso help', 'none')],
  [step('iso ignition show --version', 'none')],
  ['--unknown'],
  ['iso kargs show --unknown image.iso'],
]);

/** @type {readonly Scenario[]} */
export const scenarios = [
  ...isoIgnition,
  ...isoNetwork,
  ...isoKargs,
  ...isoCustomize,
  ...isoOther,
  ...pxe,
  ...usage,
];
