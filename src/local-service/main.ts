import { fileURLToPath } from 'node:url';
import { orExit, runCommandLine } from './runCommandLine';

await orExit(() => runCommandLine(process.argv.slice(2), fileURLToPath(import.meta.url)));
