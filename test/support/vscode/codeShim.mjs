#!/usr/bin/env node
// The executable face of codeShim.ts, for tools that want a path of `code`.
import { register } from 'tsx/esm/api';
import './exitWithParent.mjs';

process.once('SIGINT', () => process.exit(130));
register();
const { codeShim } = await import('./codeShim.ts');
process.exit(await codeShim(process.argv.slice(2)));
