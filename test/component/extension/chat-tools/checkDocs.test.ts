import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ChatTools } from '../../../../src/extension/features/chat-tools/chatTools';
import { TOOLS } from '../../../../src/extension/ids';
import { coverage, goneName } from '../../../support/findings';
import { temporaryFolder } from '../../../support/temporaryRepository';

const program = fileURLToPath(new URL('../../../support/scriptedCheck.mjs', import.meta.url));

describe('the chat tool that checks documentation', () => {
  const check = (folders: readonly string[]): Promise<string> => {
    const repositories = { ofFolders: async () => folders.map((fsPath) => ({ rootUri: { fsPath } })) };
    const token = { isCancellationRequested: false, onCancellationRequested: () => undefined };
    return new ChatTools({ repositories, program } as never).invoke(TOOLS.checkDocs, {}, token as never);
  };

  it('checks the repository of each folder with the code of the others, and returns a line per problem', async () => {
    const folders = [await temporaryFolder(), await temporaryFolder()];
    const finding = { type: 'finding', finding: goneName({ name: 'max\u200BRetries' }) };
    for (const [index, folder] of folders.entries()) {
      const lines = [...(index === 0 ? [finding] : []), { type: 'end', coverage: coverage(2) }];
      await writeFile(join(folder, 'output'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await writeFile(join(folder, 'then'), '0');
    }
    const [first = '', problem = '', second = '', ...rest] = (await check(folders)).split('\n');
    match(first, /^[\w-]+: 1 problem was found\. /);
    match((JSON.parse(problem) as { problem: string }).problem, /“maxRetries”/);
    match(second, /^[\w-]+: 0 problems were found\. /);
    deepStrictEqual(rest, []);
    const used = JSON.parse(await readFile(join(folders[0] ?? '', 'arguments'), 'utf8')) as string[];
    strictEqual(used[used.indexOf('--code') + 1], folders[1]);
  });

  it('says that no repository is open', async () => {
    await rejects(check([]), /^Error: Nothing was checked: no trusted folder/);
  });
});
