import { dirname, join } from 'node:path';
import { findAgentSettings, giveBackAgentSettings, namesOf, withholdAgentSettings } from '../agents/repositorySettings';
import type { JobFolders } from '../git/jobClone';
import type { TurnStory } from './turnStory';

/**
 * Runs an agent without the settings of coding agents that the repository brings, unless the user allows them, and notes
 * them in the story: they would run programs of the repository, or send the user's key elsewhere, and nobody asks. They
 * are back when it returns, so that the commit knows nothing of it.
 *
 * @param run gets the paths that are left out
 */
export async function withoutRepositorySettings<T>(
  { work }: JobFolders,
  isAllowed: boolean,
  story: Pick<TurnStory, 'note'>,
  run: (leftOut: readonly string[]) => Promise<T>,
): Promise<T> {
  const aside = join(dirname(work), 'agent-settings');
  // A run of the service that was killed may have left them there.
  await giveBackAgentSettings(work, aside);
  if (isAllowed) {
    const found = await findAgentSettings(work);
    if (found.length > 0) {
      story.note(`This repository brings settings of coding agents, and they are in force: ${namesOf(found)}.`);
    }
    return run([]);
  }
  const found = await withholdAgentSettings(work, aside);
  if (found.length > 0) {
    story.note(
      `This repository brings settings of coding agents. They are left out: ${namesOf(found)}. To use them, switch on docsAgent.local.repositoryAgentSettings (or --allow-repository-agent-settings).`,
    );
  }
  try {
    return await run(found);
  } finally {
    try {
      const written = await findAgentSettings(work);
      if (written.length > 0) {
        story.note(`The agent wrote settings of coding agents: ${namesOf(written)}. Look at them before you merge.`);
      }
    } finally {
      await giveBackAgentSettings(work, aside);
    }
  }
}
