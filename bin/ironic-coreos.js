#!/usr/bin/env node
// Syntax of ES5 only, which every version of Node.js since 0.10 parses: old ones print which version is required.
var version = process.versions.node.split('.').map(Number);
// Also 21 and 22.0 to 22.2 have no getBuiltinModule; engines in package.json is the same condition.
if (version[0] < 20 || (version[0] === 20 && version[1] < 19) || !process.getBuiltinModule) {
  var found = process.versions.node;
  process.stderr.write('error: Node.js ' + found + ' is too old: 20.19, or 22.3 or newer, is required\n');
  process.stderr.write('hint: install Node.js 24, or use the single executable\n');
  process.exit(1);
}

void require('./start.js').start();
