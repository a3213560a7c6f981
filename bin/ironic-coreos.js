#!/usr/bin/env node
const { join } = process.getBuiltinModule('node:path');
const { useCodeCache } = require('./codeCache.js');

const saveCode = useCodeCache(join(__dirname, '../dist'), process.argv.slice(2));
const { main } = require('../dist/cli.cjs');
main(process.argv).then((exitCode) => {
  process.exitCode = exitCode;
  saveCode();
});
