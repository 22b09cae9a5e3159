import { readdir, readFile } from 'node:fs/promises';

/** A process and its command line, with the arguments separated by spaces. */
export interface SeenProcess {
  pid: number;
  command: string;
}

/** The processes (Linux) that have this variable in their environment. A process that has ended has none. */
export async function processesWith(name: string, value: string): Promise<SeenProcess[]> {
  const all = await Promise.all(
    (await readdir('/proc'))
      .filter((entry) => /^\d+$/.test(entry))
      .map(async (entry) => {
        const read = (file: string) => readFile(`/proc/${entry}/${file}`, 'latin1').catch(() => '');
        const isOne = (await read('environ')).split('\0').includes(`${name}=${value}`);
        return isOne
          ? { pid: Number(entry), command: (await read('cmdline')).replaceAll('\0', ' ').trim() }
          : undefined;
      }),
  );
  return all.filter((each) => each !== undefined);
}
