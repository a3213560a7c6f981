// @ts-check

/** The headings of docs/index.md, in short; each with its pages, below docs. A test finds the pages that are missing here. */
export const sidebar = [
  {
    text: 'Start',
    items: ['../README', 'index', 'install', 'agent-image', 'first-host', 'ci', 'upgrade'],
  },
  {
    text: 'Boot the agent',
    items: [
      'virtual-media',
      'network-boot',
      'hosts-without-dhcp',
      'offline',
      'metal3',
      'kubernetes',
      'preflight',
      'boot',
      'try',
    ],
  },
  {
    text: 'Tasks',
    items: ['settings', 'certificates', 'images', 'prepare', 'serve', 'deploy', 'validate', 'coming-from'],
  },
  {
    text: 'Reference',
    items: ['../commands/ironic-coreos', 'rules', 'errors', 'reasons', 'formats', 'library', 'glossary'],
  },
  { text: 'Find a fault', items: ['troubleshooting'] },
  { text: 'Development', items: ['architecture', 'decisions', 'proof', '../CHANGELOG'] },
];
