// Stands in for the service's bundle when it checks a repository: prints the file `output` of the folder, then does what
// the file `then` says.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , mode, folder = '', ...rest] = process.argv;
const read = (name) => readFileSync(join(folder, name), 'utf8');

writeFileSync(join(folder, 'arguments'), JSON.stringify([mode, ...rest]));
process.stdout.write(read('output'));
switch (read('then')) {
  case 'hang': {
    // With a child, as git is one; both ignore a polite request to end.
    process.on('SIGTERM', () => undefined);
    const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
      stdio: 'inherit',
    });
    writeFileSync(join(folder, 'pids'), JSON.stringify([process.pid, child.pid]));
    process.stdout.write('{"type":"progress","done":1,"total":2}\n');
    break;
  }
  case 'fail':
    process.stderr.write('docs-agent-check: The folder is not a Git repository.\n');
    process.exitCode = 2;
    break;
  default:
    process.exitCode = Number(read('then'));
}
