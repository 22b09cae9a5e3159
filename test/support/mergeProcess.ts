// One merge in a process of its own, to be killed: node mergeProcess.mjs REPOSITORY DIRECTORY COMMIT [GIT]
import { Git } from '../../src/git/git';
import { branchName, readCheckout } from '../../src/service/review/merge/checkout';
import { mergeWork } from '../../src/service/review/merge/merge';

const [repo = '', directory = '', commit = '', program] = process.argv.slice(2);
const author = { name: 'Robin Example', email: 'robin@example.org' };
const checkout = await readCheckout(new Git(process.env), repo);
const base = { commit: (await checkout.run(['merge-base', checkout.head, commit])).trim(), branch: 'main' };
const shown = { into: branchName(checkout), head: checkout.head };
process.stdout.write('begun\n');
await mergeWork(new Git(process.env, program), repo, directory, {
  ...{ commit, author, branch: 'docs-agent/j1', jobId: 'j1', base, shown },
});
process.stdout.write('done\n');
