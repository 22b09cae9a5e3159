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
 * Returns a name for the branch of a new job that says what it is about: the first line of the prompt in ASCII, and the
 * start of the job's id.
 *
 * @param prompt without secrets, because branches are pushed
 * @param isTaken whether another branch has the name
 */
export function newBranchName(prompt: string, jobId: string, isTaken: (name: string) => boolean): string {
  const words = slug(prompt.trim().split('\n', 1)[0] ?? '') || 'job';
  for (let length = MIN_ID; length < jobId.length; length += 2) {
    const name = `${BRANCHES}/${words}-${jobId.slice(0, length)}`;
    if (!isTaken(name)) {
      return name;
    }
  }
  return `${BRANCHES}/${words}-${jobId}`;
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
