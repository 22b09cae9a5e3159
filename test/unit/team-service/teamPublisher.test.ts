import assert from 'node:assert/strict';
import { toEnglish } from '../../../src/local-service/codedText';
import type { BranchToPush, Publisher, PublishResult } from '../../../src/local-service/forges/publisher';
import { HostHasMore, TurnFailure } from '../../../src/local-service/turnFailure';
import { coded } from '../../../src/protocol/codedText';
import { teamPublisher } from '../../../src/team-service/workerJobs';

const CONNECT = coded('connectCodeHost');

describe('teamPublisher', () => {
  let pushed: string[];
  const publish = async (
    result: () => Promise<PublishResult>,
    push: <T>(branch: T) => T = (branch) => branch,
  ): Promise<PublishResult> => {
    const pushedBranch = { openPullRequest: result };
    const own: Publisher = {
      destination: async () => ({
        ...{ name: 'origin', url: null, references: [] },
        look: async () => ({ branch: null }),
        push: async () => push(pushedBranch),
      }),
    };
    pushed = [];
    const onPushed = async (at: { folder: string; branch: string }): Promise<void> =>
      void pushed.push(`${at.folder} ${at.branch}`);
    const { signal } = new AbortController();
    const destination = await teamPublisher(own, onPushed).destination('/folder', 'main', signal);
    const branch = await destination?.push({ branch: 'docs-agent/j1' } as BranchToPush);
    return branch?.openPullRequest({ body: '' }) ?? { prLink: null };
  };
  const wordsOf = ({ note }: PublishResult) => note && toEnglish(note);

  it('says why there is no pull request when the repository is a folder', async () => {
    const found = await publish(async () => ({ prLink: null }));
    assert.match(wordsOf(found) ?? '', /^Branch docs-agent\/j1 was pushed, but no pull request was opened/);
  });

  it('says where the workers get their tokens from', async () => {
    const why = coded('noToken', { connect: CONNECT });
    const note = coded('pushedWithoutPullRequest', { branch: 'b', host: 'h', why });
    const found = await publish(async () => ({ prLink: 'https://h/compare', note }));
    assert.equal(found.prLink, 'https://h/compare');
    assert.match(wordsOf(found) ?? '', /No access token was found\. Update DOCS_AGENT_TOKENS on the workers, then/);
    const failure = new TurnFailure(
      coded('pushNotAllowed', { host: 'h', repository: 'r', said: '.', connect: CONNECT }),
    );
    await assert.rejects(
      publish(
        async () => ({ prLink: null }),
        () => {
          throw failure;
        },
      ),
      (error) => error instanceof TurnFailure && error.message.includes('DOCS_AGENT_TOKENS'),
    );
  });

  it('passes on everything else unchanged', async () => {
    const result: PublishResult = { prLink: 'https://h/pull/1' };
    assert.deepEqual(await publish(async () => result), result);
    assert.deepEqual(pushed, ['/folder docs-agent/j1']);
    for (const error of [new Error('stopped'), new HostHasMore(coded('plain', { text: 'x' }))]) {
      const failing = publish(
        async () => result,
        () => {
          throw error;
        },
      );
      await assert.rejects(failing, (found) => found === error);
      assert.deepEqual(pushed, []);
    }
  });
});
