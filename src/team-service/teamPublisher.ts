import type { BranchToPush, Publisher } from '../local-service/forges/publisher';
import { TurnFailure } from '../local-service/turnFailure';
import { coded, type CodedText, type Parameter } from '../protocol/codedText';

/**
 * Tells the users of a team's service what they need to know: why there is no pull request, because they have no review
 * page either, and where the workers get their tokens from.
 *
 * @param onPushed called when a branch was pushed for the user's work tree in this folder
 */
export function teamPublisher(
  own: Publisher,
  onPushed: (pushed: { folder: string } & Pick<BranchToPush, 'branch' | 'commit'>) => Promise<void>,
): Publisher {
  return {
    async destination(folder, baseBranch, signal) {
      const destination = await own.destination(folder, baseBranch, signal);
      return (
        destination && {
          ...destination,
          async push(branch) {
            const pushed = await destination.push(branch).catch((error: unknown) => {
              throw error instanceof TurnFailure ? new TurnFailure(forTeam(error.coded)) : error;
            });
            await onPushed({ folder, ...branch });
            return {
              async openPullRequest(text) {
                const { prLink, note } = await pushed.openPullRequest(text);
                if (note !== undefined) {
                  return { prLink, note: forTeam(note) };
                }
                return prLink === null
                  ? { prLink, note: coded('pushedToFolder', { branch: branch.branch }) }
                  : { prLink };
              },
            };
          },
        }
      );
    },
  };
}

/** Replaces the name of the command with which a user provides a token. */
function forTeam(text: CodedText): CodedText {
  if (text.code === 'connectCodeHost') {
    return coded('connectWorkers');
  }
  const params = Object.entries(text.params ?? {}).map(([name, value]): [string, Parameter] => [
    name,
    typeof value === 'object' ? forTeam(value) : value,
  ]);
  return params.length === 0 ? text : { code: text.code, params: Object.fromEntries(params) };
}
