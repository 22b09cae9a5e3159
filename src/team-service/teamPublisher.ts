import type { Publication, Publisher } from '../local-service/forges/publisher';
import { TurnFailure } from '../local-service/turnFailure';
import { coded, type CodedText, type Parameter } from '../protocol/codedText';

/**
 * Tells the users of a team's service what they need to know: why there is no pull request, because they have no review
 * page either, and where the workers get their tokens from.
 *
 * @param onPushed called when a branch was pushed
 */
export function teamPublisher(own: Publisher, onPushed: (publication: Publication) => Promise<void>): Publisher {
  return {
    destination: (...args) => own.destination(...args),
    async publish(publication) {
      try {
        const { prLink, note } = await own.publish(publication);
        await onPushed(publication);
        if (note !== undefined) {
          return { prLink, note: forTeam(note) };
        }
        return prLink === null ? { prLink, note: coded('pushedToFolder', { branch: publication.branch }) } : { prLink };
      } catch (error) {
        throw error instanceof TurnFailure ? new TurnFailure(forTeam(error.coded)) : error;
      }
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
