import assert from 'node:assert/strict';
import type { ActivityEntry } from '../../../../src/protocol/activity';
import { existsSync } from 'node:fs';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { scriptedAs, startScripted, SUPERVISOR } from '../../../support/agentTask';
import { inEnglish } from '../../../support/codedText';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { notOnWindows } from '../../../support/machine';

describe('AcpAgent permissions', function () {
  notOnWindows();
  const agent = new AcpAgent(SUPERVISOR, process.env);

  const start = (prompt: string, more: Partial<AgentTask> = {}, ...options: string[]) =>
    startScripted(agent, prompt, more, options);

  describe('for an agent that starts in a mode without permission requests', () => {
    const OUTSIDE = '[scripted: run touch ../ran] [scripted: edit docs/new.md]';
    const asClaude = async (...options: string[]) => [await scriptedAs('claude-agent-acp'), ...options];

    it('switches the agent to a mode that asks and refuses its commands', async () => {
      const command = await asClaude('--modes', 'default,plan,auto');
      const { work, entries, inFolder, text } = await start(OUTSIDE, { command });
      await work;
      assert.equal(existsSync(inFolder('../ran')), false);
      assert.deepEqual(answersIn(entries), ['refused touch ../ran', 'allowed Edit docs/new.md']);
      assert.equal(await text('docs/new.md'), 'An edit that was asked for.\n');
    });

    for (const offer of ['resume', 'load']) {
      it(`switches the mode again after session/${offer}`, async () => {
        const command = await asClaude('--modes', 'default,auto', '--offers', offer);
        const first = await start('First [scripted: change nothing]', { command });
        await first.work;
        const more = { command, folder: first.task.folder, session: first.sessions[0] };
        const { work, entries } = await start(OUTSIDE, more);
        await work;
        assert.deepEqual(answersIn(entries), ['refused touch ../ran', 'allowed Edit docs/new.md']);
      });
    }

    it('adds a note when the agent lists no such mode', async () => {
      const { work, entries } = await start('', { command: await asClaude('--modes', 'plan,auto') });
      await work;
      assert.match(JSON.stringify(entries[0]), /^\{"kind":"note","text":"Couldn’t switch Claude Code to/);
    });

    const unknown: [string, string[], Partial<AgentTask>, string[]][] = [
      ['switches an unknown agent to the mode `default`', ['--modes', 'default,auto'], {}, []],
      ['names the mode of one that has no such mode', ['--modes', 'plan,auto'], {}, ['(mode: auto)']],
      ['names the mode of one that has it in an option', ['--option', 'build'], {}, ['(mode: build)']],
      ['says nothing when commands are allowed', ['--modes', 'plan,auto'], { mayRunCommands: true }, []],
    ];
    for (const [what, options, more, words] of unknown) {
      it(what, async () => {
        const { work, entries, inFolder } = await start(
          '[scripted: run touch ran] [scripted: say Done.]',
          more,
          ...options,
        );
        await work;
        const notes = entries.flatMap((entry) => (entry.kind === 'note' ? [entry.text] : []));
        assert.equal(notes.length, words.length, notes.join());
        assert.ok(
          words.every((each, index) => notes[index]?.includes(each)),
          notes.join(),
        );
        assert.equal(existsSync(inFolder('ran')), options[1] !== 'default,auto' && options[0] !== '--option');
      });
    }
  });

  describe('for an agent whose request is refused', () => {
    const early = async (...options: string[]) => {
      const { work, entries } = await start('[scripted: run ls] Go on', {}, ...options);
      return { outcome: await work, entries };
    };

    for (const how of [['--gives-up'], ['--gives-up', 'cancelled']]) {
      it(`reports that the agent gave up after the refusal (${how.join(' ')})`, async () => {
        const { outcome } = await early(...how);
        assert.match(
          inEnglish(outcome.endedEarly),
          /^The agent stopped when permission for “ls” was denied\. Allow commands \(docsAgent/,
        );
      });
    }

    for (const options of [[], ['--denies']]) {
      it(`is stopped when it asks for the same command again and again ${options.join()}`, async () => {
        const { work, entries } = await start('[scripted: insist npm run docs:build]', {}, ...options);
        const words =
          'The agent stopped when permission for “npm run docs:build” was denied. Allow commands (docsAgent.local.permissions,';
        await assert.rejects(work, (error) => error instanceof TurnFailure && error.message.startsWith(words));
        const refused = answersIn(entries).filter((answer) => answer === 'refused npm run docs:build');
        // With `--denies`, it doesn't wait for answers.
        assert.equal(Math.min(refused.length, options.length === 0 ? Infinity : 5), 5);
      });
    }

    it('does not report an early end when the agent continued', async () => {
      const { outcome, entries } = await early();
      assert.equal(outcome.endedEarly, undefined);
      assert.deepEqual(answersIn(entries), ['refused ls']);
    });

    it('reports requests that the agent itself refused', async () => {
      const { outcome, entries } = await early('--denies');
      assert.equal(outcome.endedEarly, undefined);
      assert.deepEqual(answersIn(entries), ['refused ls']);
    });
  });

  const answersIn = (entries: readonly ActivityEntry[]): string[] =>
    entries.flatMap((entry) => (entry.kind === 'permission' ? [`${entry.answer} ${entry.title}`] : []));
});
