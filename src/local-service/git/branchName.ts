/** The folder of the job branches. */
export const BRANCHES = 'docs-agent';

/** Where the user's repository keeps the commits of jobs whose branches were deleted after the merge, by job id. */
export const KEPT = 'refs/docs-agent/merged';

/** The maximum length of the words in a branch name, in characters. */
const MAX_SLUG = 40;
/** How much of a line is read, in characters: normalizing a long one can take minutes. */
const MAX_LINE = 200;
/** How much of the job's id a branch name ends with, unless another branch has that name. */
const MIN_ID = 4;

/**
 * Returns names for the branch of a new job that say what it is about, best first: the first line of the prompt in
 * ASCII, and the start of the job's id. The last one has the whole id, which no other branch has.
 *
 * @param prompt without secrets, because branches are pushed
 */
export function newBranchNames(prompt: string, jobId: string): string[] {
  const words = slug(prompt.trim().split('\n', 1)[0] ?? '') || 'job';
  const names: string[] = [];
  for (let length = MIN_ID; length < jobId.length; length += 2) {
    names.push(`${BRANCHES}/${words}-${jobId.slice(0, length)}`);
  }
  return [...names, `${BRANCHES}/${words}-${jobId}`];
}

function slug(line: string): string {
  const words = line
    .slice(0, MAX_LINE)
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  let made = '';
  for (const word of words) {
    const longer = made === '' ? word.slice(0, MAX_SLUG) : `${made}-${word}`;
    if (longer.length > MAX_SLUG) {
      break;
    }
    made = longer;
  }
  return made;
}
