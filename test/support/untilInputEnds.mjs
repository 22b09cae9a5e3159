// Runs a program until it ends or the standard input does: `node untilInputEnds.mjs PROGRAM ARGUMENTS…`.
import { spawn } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));
// SIGQUIT: PostgreSQL ends at once, without saving anything. Windows knows only one way to end a program.
process.stdin.on('end', () => child.kill(process.platform === 'win32' ? 'SIGKILL' : 'SIGQUIT'));
process.stdin.resume();
