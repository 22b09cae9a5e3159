/** The pull requests of one branch, on one code host. */
export interface BranchPullRequests {
  /** The link of an open one. */
  find: () => Promise<string | undefined>;
  /** The branch into which it goes: the wanted one where the host has it, else its default branch. */
  base: () => Promise<string>;
  /** @returns the link of the new one */
  create: (base: string) => Promise<string>;
}

/**
 * The open pull request of the branch, or a new one. When opening fails, one may have been opened all the same: another
 * was first, or the answer got lost. So it looks again before it says so.
 */
export async function openOnce(requests: BranchPullRequests): Promise<string> {
  const open = await requests.find();
  if (open !== undefined) {
    return open;
  }
  const base = await requests.base();
  try {
    return await requests.create(base);
  } catch (error) {
    const found = await requests.find().catch(() => undefined);
    if (found === undefined) {
      throw error;
    }
    return found;
  }
}
