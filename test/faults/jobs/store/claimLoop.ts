// One of several processes that claim the same names: reports that it is ready, waits for a line on standard input so
// that all start together, and prints the names that it won.
import { once } from 'node:events';
import { claim } from '../../../../src/jobs/store/writeDurably';

const [folder = '', count = '0'] = process.argv.slice(2);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const won: string[] = [];
for (let index = 0; index < Number(count); index++) {
  for (const name of [`claim-${index}`, `notice-${index}`]) {
    if (await claim(folder, name)) {
      won.push(name);
    }
  }
}
process.stdout.write(JSON.stringify(won));
