#!/usr/bin/env node
// Runs on any Node, so that an old one gets a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`cryptodata needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  const module = await import('node:module');
  module.enableCompileCache?.();
  await import('../dist/main.js');
}
