#!/usr/bin/env node
const paths = process.getBuiltinModule('node:path');
const { useCodeCache } = require('./codeCache.js');

const saveCode = useCodeCache(paths.join(__dirname, '../dist'), process.argv.slice(2));
const { main } = require('../dist/cli.cjs');
void main(process.argv).then((exitCode) => {
  process.exitCode = exitCode;
  saveCode();
});
