import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { waitUntil } from '../../../contract/contractBench';
import { inEnglish } from '../../../support/codedText';
import { agentTask, SCRIPTED_ACP, startScripted, SUPERVISOR, untilGone } from '../../../support/agentTask';

describe('AcpAgent', function () {
  const LIMITS = { startMs: 60_000, sessionMs: 60_000, cancelMs: 1_000, endMs: 200, messageBytes: 1_000_000 };
  const agent = new AcpAgent(SUPERVISOR, process.env, LIMITS);

  const start = (prompt: string, more: Partial<AgentTask> = {}, ...options: string[]) =>
    startScripted(agent, prompt, more, options);

  it('completes the task, reports its progress, and reports its process and session', async () => {
    const { work, text, entries, sessions, started } = await start('Explain retries [scripted: plan]');
    assert.deepEqual(await work, { summary: 'Done: wrote docs/retries.md.' });
    assert.match(await text('docs/retries.md'), /^# Retries/);
    assert.deepEqual(entries, [
      { kind: 'plan', steps: [{ text: 'Look round', state: 'in_progress' }] },
      { kind: 'message', text: 'I will see to it.' },
      tool('Write the page', 'edit', 'in_progress', []),
      tool('Write the page', 'edit', 'completed', ['docs/retries.md']),
      { kind: 'message', text: 'Done: wrote docs/retries.md.' },
    ]);
    assert.deepEqual(sessions, ['session-1']);
    assert.equal(started.length, 1);
    await untilGone(started[0]?.pid);
  });

  const tool = (title: string, kind: string, state: string, files: string[]) => {
    return { kind: 'tool', call: 'call-1', title, tool: kind, state, files };
  };

  describe('in the session of the previous turn', () => {
    const followUp = async (...options: string[]) => {
      const first = await start('First [scripted: change nothing]', { guidance: 'House rules' }, ...options);
      await first.work;
      const second = await start(
        'Second [scripted: recall]',
        {
          folder: first.task.folder,
          session: first.sessions[0],
          earlier: [{ prompt: 'First', finished: true, isInSession: true }],
          guidance: 'House rules',
        },
        ...options,
      );
      const { summary } = await second.work;
      return { ...second, remembered: JSON.parse(summary) as string[] };
    };

    for (const offer of ['resume', 'load']) {
      it(`resumes through session/${offer} and sends the rules once and no history`, async () => {
        const { remembered, entries, sessions } = await followUp('--offers', offer);
        assert.deepEqual(remembered, [
          'House rules\n\n--- New message ---\nFirst [scripted: change nothing]',
          'Second [scripted: recall]',
        ]);
        assert.deepEqual(sessions, ['session-1']);
        assert.deepEqual(
          entries.map(({ kind }) => kind),
          ['message'],
        );
      });
    }

    it('sends the messages the session has not seen and the notice for this turn', async () => {
      const first = await start('First [scripted: change nothing]');
      await first.work;
      const { work } = await start('Third [scripted: recall]', {
        folder: first.task.folder,
        session: first.sessions[0],
        earlier: [
          { prompt: 'First', finished: true, isInSession: true },
          { prompt: 'Second', finished: false, isInSession: false },
        ],
        guidance: 'House rules',
        notice: 'Interrupted',
      });
      const [, last = ''] = JSON.parse((await work).summary) as string[];
      assert.match(last, /^Interrupted\n\nThis is a follow-up\.[^]+ 1 \(not finished\) ---\nSecond\n[^]+\nThird \[/);
      assert.doesNotMatch(last, /First|House rules/);
    });

    it('sends the whole history and a note when the agent cannot reopen sessions', async () => {
      const { remembered, entries, sessions } = await followUp('--offers', 'neither');
      assert.equal(remembered.length, 1);
      assert.match(
        remembered[0]!,
        /^House rules\n[^]+The folder contains the work[^]+\nFirst\n[^]+\nSecond \[scripted/,
      );
      assert.deepEqual(sessions, ['session-2']);
      assert.match(JSON.stringify(entries[0]), /^\{"kind":"note","text":"The agent couldn’t resume its session/);
    });

    it('sends the whole history when the session has lost its content', async () => {
      const { remembered, entries, sessions } = await followUp('--offers', 'load', '--forgets');
      assert.match(remembered.at(-1) ?? '', /^House rules\n[^]+\nFirst\n[^]+\nSecond \[scripted/);
      assert.deepEqual(sessions, ['session-1']);
      assert.equal(entries[0]?.kind, 'note');
    });

    for (const fault of ['--silent', '--dies']) {
      it(`sends the whole history to a new process when the first fails to reopen the session (${fault})`, async () => {
        const limits = { ...LIMITS, sessionMs: 1_000 };
        const earlier = [{ prompt: 'First', finished: true, isInSession: true }];
        const command = [process.execPath, SCRIPTED_ACP, fault, 'session/resume'];
        const given = await agentTask({ prompt: 'Second [scripted: recall]', session: 'session-9', command, earlier });
        const { summary } = await new AcpAgent(SUPERVISOR, process.env, limits).run(given.task);
        const [first = '', ...rest] = JSON.parse(summary) as string[];
        assert.match(first, /\nFirst\n[^]+\nSecond \[scripted/);
        assert.deepEqual([rest, given.sessions, given.entries[0]?.kind], [[], ['session-1'], 'note']);
        assert.equal(given.started.length, 2);
        await untilGone(given.started[0]?.pid);
      });
    }

    for (const lost of [
      ['--lost', 'Session not found: session-7'],
      ['--lost', 'No conversation found with session ID: 7'],
      ['--mute'],
    ]) {
      it(`sends the whole history in a new session when the agent only seems to reopen it (${lost.join(' ')})`, async () => {
        const { work, sessions, entries, started } = await start(
          'Go on [scripted: recall]',
          { session: 'session-7', earlier: [{ prompt: 'Before', finished: true, isInSession: true }] },
          ...lost,
        );
        assert.match((await work).summary, /Before/);
        assert.deepEqual(sessions, ['session-7', undefined, 'session-1']);
        assert.deepEqual([entries[0]?.kind, entries.length, started.length], ['note', 2, 2]);
      });
    }

    it('forgets a session in which the agent does nothing but fail, and keeps others', async () => {
      const fails = async (prompt: string, ...options: string[]) => {
        const { work, sessions } = await start(prompt, { session: 'session-7' }, ...options);
        await assert.rejects(work, TurnFailure);
        return sessions;
      };
      assert.deepEqual(await fails('', '--lost', 'Overloaded'), ['session-7', undefined]);
      assert.deepEqual(await fails('[scripted: plan] [scripted: fail]', '--offers', 'neither'), ['session-1']);
      assert.deepEqual(await fails('[scripted: fail]', '--offers', 'neither'), ['session-1', undefined]);
      assert.deepEqual(await fails('[scripted: login No]', '--offers', 'neither'), ['session-1']);
    });

    it('sends the whole history when the session no longer exists', async () => {
      const { work, sessions, entries } = await start('Go on [scripted: recall]', {
        session: 'gone',
        earlier: [{ prompt: 'Before', finished: true, isInSession: true }],
      });
      assert.match((await work).summary, /Before/);
      assert.deepEqual(sessions, ['session-1']);
      assert.equal(entries[0]?.kind, 'note');
    });
  });

  it('may edit inside its folder, and run commands only when that is enabled; the log says why', async () => {
    const answers = async (prompt: string, more: Partial<AgentTask> = {}) => {
      const { work, inFolder, entries } = await start(prompt, more);
      await work;
      assert.deepEqual(
        [existsSync(inFolder('new.md')), existsSync(inFolder('../new.md'))],
        [!prompt.includes('../'), false],
      );
      return entries.flatMap((entry) => (entry.kind === 'permission' ? [`${entry.answer}: ${entry.why}`] : []));
    };
    const [inside, outside] = ['allowed: It’s inside the job folder.', 'refused: It’s outside the job folder.'];
    assert.deepEqual(await answers('[scripted: edit ../new.md]'), [outside]);
    const both = '[scripted: run echo 42] [scripted: edit new.md]';
    const [refused, allowed] = [await answers(both), await answers(both, { mayRunCommands: true })];
    assert.deepEqual([refused[1], allowed[1]], [inside, inside]);
    assert.match([refused[0], allowed[0]].join(' '), /^refused: .+ allowed: /);
  });

  const failures: [string, string, string[], RegExp][] = [
    ['an error', '[scripted: fail]', [], /^The agent reported an error: Internal error: told to fail$/],
    ['a refusal', '[scripted: refuse]', [], /^The agent declined this request\. /],
    ['its death', '[scripted: die]', [], /^told to die\. The agent failed with exit code 9\.$/],
    ['a login that is missing', '', ['--login'], /^The agent “.+” requires you to sign in\. Start it in a terminal/],
    ['another version', '', ['--version', '2'], /^The agent doesn’t support version 1 of the Agent Client Protocol\./],
  ];
  for (const [name, prompt, options, words] of failures) {
    it(`fails with a clear message for ${name}`, async () => {
      const { work, started } = await start(prompt, {}, ...options);
      await assert.rejects(work, (error) => error instanceof TurnFailure && words.test(error.message));
      await untilGone(started[0]?.pid);
    });
  }

  it('reports a program that is missing or does not speak ACP', async () => {
    const absent = await start('', { command: ['no-such-agent'] });
    await assert.rejects(absent.work, /^Error: The agent “no-such-agent” wasn’t found/);
    const other = await start('', { command: ['sh', '-c', 'echo usage: none; exit 0'] });
    await assert.rejects(other.work, /^Error: The agent exited before it finished\.$/);
  });

  it('lets the agent take its time for the start and then for the session', async () => {
    const limits = { ...LIMITS, startMs: 4_000, sessionMs: 4_000 };
    const command = [process.execPath, SCRIPTED_ACP, '--slow', '2500'];
    const { task } = await agentTask({ prompt: '[scripted: say Done.]', command });
    assert.equal((await new AcpAgent(SUPERVISOR, process.env, limits).run(task)).summary, 'Done.');
    const late = new AcpAgent(SUPERVISOR, process.env, { ...limits, sessionMs: 1_000 }).run(task);
    await assert.rejects(late, /didn’t respond within 1 seconds/);
  });

  it('ignores output that is not a protocol message', async () => {
    const { work, text } = await start('Explain retries [scripted: garbage]');
    await work;
    assert.match(await text('docs/retries.md'), /^# Retries/);
  });

  it('cancels the agent and rejects with the signal’s reason', async () => {
    const stop = new AbortController();
    const { work, entries, started } = await start('[scripted: plan] [scripted: wait 600000]', { signal: stop.signal });
    await waitUntil(() => entries.length > 0);
    const reason = new Error('stopped');
    stop.abort(reason);
    await assert.rejects(work, (error) => error === reason);
    await untilGone(started[0]?.pid);
  });

  it('sends the agent nothing when its process cannot be recorded', async () => {
    let pid: number | undefined;
    const onStarted: AgentTask['onStarted'] = (process) => {
      pid = process.pid;
      throw new Error('disk full');
    };
    const { work, sessions, entries } = await start('Explain retries', { onStarted });
    await assert.rejects(work, /^Error: Couldn’t record the agent process: disk full$/);
    assert.deepEqual([sessions, entries], [[], []]);
    await untilGone(pid);
  });

  it('does not keep a session in which nothing was sent', async () => {
    const stop = new AbortController();
    const { work, sessions, inFolder } = await start('', { signal: stop.signal }, '--opens-when-stopped');
    await waitUntil(() => existsSync(inFolder('opening')));
    stop.abort(new Error('stopped'));
    await assert.rejects(work, /stopped/);
    assert.deepEqual(sessions, []);
  });

  it('kills an agent that does not stop, including processes it moved to another session', async () => {
    const stop = new AbortController();
    const { work, started, inFolder, text } = await start('[scripted: escape left] [scripted: hang]', {
      signal: stop.signal,
    });
    await waitUntil(() => existsSync(inFolder('left')));
    const left = Number(await text('left'));
    stop.abort(new Error('stopped'));
    await assert.rejects(work, /stopped/);
    await untilGone(started[0]?.pid);
    if (process.platform === 'linux') {
      await untilGone(left);
    }
  });

  describe('whose agent does nothing', () => {
    const idle = async (prompt: string) => {
      const phases: (string | null)[] = [];
      const patient = new AcpAgent(SUPERVISOR, process.env, { ...LIMITS, idleMs: 1_200 });
      const more: Partial<AgentTask> = { onPhase: (phase) => phases.push(phase) };
      const { work, entries } = await startScripted(patient, prompt, more, []);
      await work;
      return { phases, notes: entries.flatMap((entry) => (entry.kind === 'note' ? [entry.text] : [])) };
    };

    it('says so once, names the open call, and takes it back when the agent goes on', async () => {
      const { phases, notes } = await idle('[scripted: stall 3000 Explore] [scripted: wait 300] [scripted: say Done.]');
      assert.deepEqual(phases, ['idle', null]);
      assert.equal(notes.length, 1);
      assert.match(
        notes[0] ?? '',
        /^The agent has been idle for 1.2 seconds in “Explore”\. .+ stop the run and send a/,
      );
      assert.match(
        (await idle('[scripted: wait 2500] [scripted: say Done.]')).notes[0] ?? '',
        /^The agent has been idle for 1/,
      );
    });

    it('says nothing of one that computes', async function () {
      if (process.platform !== 'linux') {
        this.skip();
      }
      assert.deepEqual(await idle('[scripted: spin 2500] [scripted: say Done.]'), { phases: [], notes: [] });
    });
  });

  describe('whose agent has answered but still works', () => {
    const finishing = async (prompt: string, finishMs: number) => {
      let isFinishing = false;
      const onPhase: AgentTask['onPhase'] = (phase) => {
        isFinishing ||= phase === 'finishing';
      };
      const patient = new AcpAgent(SUPERVISOR, process.env, { ...LIMITS, finishMs });
      const { work, inFolder, entries } = await startScripted(patient, prompt, { onPhase }, []);
      const { summary, endedEarly } = await work;
      assert.equal(summary, 'It is being built in the background.');
      const notes = entries.flatMap((entry) => (entry.kind === 'note' ? [entry.text] : []));
      return {
        isWritten: existsSync(inFolder('a.md')),
        isFinishing,
        endedEarly: endedEarly && inEnglish(endedEarly),
        notes,
      };
    };
    const cases: [string, string, string][] = [
      ['a tool call', 'begin', 'Build a.md'],
      ['a process in a session of its own', 'leave', 'sh'],
      ['a process that outlives the agent', 'exit', 'sh'],
    ];
    for (const [what, directive, name] of cases) {
      it(`waits for ${what}`, async function () {
        if (name === 'sh' && process.platform !== 'linux') {
          this.skip();
        }
        const { isWritten, isFinishing, endedEarly, notes } = await finishing(
          `[scripted: ${directive} 1000 a.md]`,
          20_000,
        );
        assert.deepEqual([isWritten, isFinishing, endedEarly], [true, true, undefined]);
        const text = `The agent said it was done, but “${name}” is still running. Waiting for it for up to 20 seconds.`;
        assert.deepEqual(notes, [text]);
      });

      it(`says that the turn ended early if it has to end ${what}`, async function () {
        if (name === 'sh' && process.platform !== 'linux') {
          this.skip();
        }
        const { isWritten, isFinishing, endedEarly } = await finishing(`[scripted: ${directive} 60000 a.md]`, 500);
        assert.deepEqual([isWritten, isFinishing], [false, true]);
        assert.match(
          endedEarly ?? '',
          new RegExp(
            `^The agent said it was done while “${name}” was still running, which was ended after 0.5 seconds`,
          ),
        );
      });
    }

    it('says that the turn ended early, and not that it reached its time limit', async () => {
      const { work } = await start('[scripted: begin 60000 a.md]', { timeoutMs: 4_000 });
      assert.equal((await work).endedEarly?.code, 'processesEnded');
    });

    it('stops at once for the user', async () => {
      const stop = new AbortController();
      const { work, entries } = await start('[scripted: begin 60000 a.md]', { signal: stop.signal });
      await waitUntil(() => entries.some(({ kind }) => kind === 'note'));
      stop.abort(new Error('stopped'));
      await assert.rejects(work, /^Error: stopped$/);
    });
  });

  it('stops an agent that exceeds its time limit', async () => {
    const { work } = await start('[scripted: wait 600000]', { timeoutMs: 3_000 });
    await assert.rejects(
      work,
      /^Error: The agent reached its time limit \(3 seconds\)\. Send a follow-up to continue\.$/,
    );
  });
});
