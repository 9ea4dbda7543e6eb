#!/usr/bin/env node
// CommonJS, in syntax that any Node reads: it starts faster, and an old Node gets a sentence instead of a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
const [word, ...others] = process.argv.slice(2);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`cryptodata needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (others.length === 0 && (word === '--version' || word === '-V')) {
  // Ignore a closed stdout.
  process.stdout.on('error', () => {}).write(`${require('../package.json').version}\n`);
} else {
  const { enableCompileCache = () => {} } = require('node:module');
  enableCompileCache();
  // Positions in the sources, for bug reports.
  if (process.argv.includes('--debug')) process.setSourceMapsEnabled(true);
  import('../dist/main.js');
}
