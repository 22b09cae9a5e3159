import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { client, MessageTooLargeError } from '@agentclientprotocol/sdk';
import type { ActivityEntry } from '../../protocol/activity';
import { coded } from '../../protocol/codedText';
import { TurnFailure, UsageLimit } from '../turnFailure';
import { settleAfterAbort, withTimeout } from '../../base/async';
import { notificationSchema, type PermissionOption, permissionSchema, promptedSchema } from './acpMessages';
import {
  isSessionGone,
  type OpenSession,
  openSession,
  type Request,
  SessionLost,
  unlessErrorResponse,
} from './acpSession';
import { AcpActivityLog } from './acpActivityLog';
import { isSignInRequired, toReportedFailure, toUserError, oneLine, refusalText, stopProblem } from './acpErrors';
import type { AgentOutcome, AgentTask } from './agentDriver';
import { agentMessages } from './agentMessages';
import { durationText, endedSaying, ProcessNotRecordedError, type SupervisedAgent } from './agentProcess';
import { ticksNow } from './descendants';
import { findKnownAgent, type KnownAgent } from './knownAgents';
import { locatePath } from './pathLocation';
import { decide, optionFor, type PermissionSettings } from './permissions';
import { ToolCalls } from './toolCalls';
import { isLimitMessage, unlessLimit } from './usageLimit';

/** How long to wait for an agent, in milliseconds, and how large a message may be. */
export interface AcpLimits {
  /** For its first answer. */
  startMs: number;
  /** For its answer to each request about its session, before it is prompted. */
  sessionMs: number;
  /** For its response after it was told to stop. */
  cancelMs: number;
  /** After its response, for its open tool calls, and then for the processes that it has left. */
  finishMs?: number;
  /** For it to exit after that. What still runs is then told to stop and gets a little longer. */
  endMs: number;
  /** The largest message, in bytes. A longer one ends the turn. */
  messageBytes: number;
  /** How long the agent may do nothing before the job says so. */
  idleMs?: number;
}

/** Noticed within two minutes. */
const IDLE_MS = 110_000;

/** How often to look whether the agent does something in that time. */
const LOOKS = 12;

/** An agent that waits for its model, or forever, uses less of one processor than this. */
const IDLE_SHARE = 0.05;

/** How long an agent may take to exit after it has closed its output, in milliseconds. */
const EXIT_GRACE_MS = 5_000;

/**
 * Runs one turn with a running agent, over the Agent Client Protocol on its standard streams. Throws TurnFailure,
 * SessionLost or ProcessNotRecordedError.
 *
 * @param limited aborts to stop the agent, which is killed if it doesn't stop
 */
export async function acpTurn(
  task: AgentTask,
  agent: SupervisedAgent,
  limited: AbortSignal,
  limits: AcpLimits,
): Promise<AgentOutcome> {
  const deadline = Date.now() + task.timeoutMs - LAST_MS;
  const stuck = new AbortController();
  const stopping = AbortSignal.any([limited, stuck.signal]);
  const known = findKnownAgent(task.command[0] ?? '');
  const calls = new ToolCalls(known);
  const listener = {
    onEntry: (entry: ActivityEntry) => task.onEntry(agent.secrets.redactDeep(entry)),
    onUsage: task.onUsage,
  };
  const activity = new AcpActivityLog(task.folder, calls, listener, (call) =>
    stuck.abort(new TurnFailure(refusalText(call))),
  );
  const { mayRunCommands, mayWriteSettings } = task;
  const permissionContext = {
    folder: await realpath(task.folder),
    mayRunCommands,
    mayWriteSettings,
    calls,
    activity,
    stopping,
  };
  const session: { id: string | undefined; isPrompted: boolean } = { id: undefined, isPrompted: false };
  const onUpdate = (params: unknown): void => {
    const { data } = notificationSchema.safeParse(params);
    if (data !== undefined && data.sessionId === session.id) {
      activity.apply(data.update);
    }
  };
  const connection = client({ name: 'docs-agent-jobs' })
    // Not parsed by the library, so that a request in a form that it does not know is answered too.
    .onRequest(
      'session/request_permission',
      (params: unknown) => params,
      ({ params }) => answerPermission(permissionContext, params),
    )
    .connect(agentMessages(agent, limits.messageBytes, onUpdate));
  const request: Request = (method, params) => connection.agent.request(method, params);
  const stop = (): void => {
    if (session.id === undefined || !session.isPrompted) {
      agent.stop();
      return;
    }
    connection.agent.notify('session/cancel', { sessionId: session.id }).catch(() => undefined);
    const hard = setTimeout(() => agent.stop(), limits.cancelMs);
    connection.signal.addEventListener('abort', () => clearTimeout(hard));
  };
  stopping.addEventListener('abort', stop, { once: true });
  try {
    stopping.throwIfAborted();
    await agent.started;
    stopping.throwIfAborted();
    const timely: Request = (method, params) => {
      const ms = method === 'initialize' ? limits.startMs : limits.sessionMs;
      const tooSlow = coded('agentTooSlow', { seconds: Math.round(ms / 1000) });
      return withTimeout(request(method, params), ms, () => new TurnFailure(tooSlow));
    };
    const opened = await openSession(timely, task, activity, (id) => (session.id = id));
    await setApprovalMode(timely, known, task, opened, activity);
    stopping.throwIfAborted();
    await task.onSession(opened.id);
    stopping.throwIfAborted();
    session.isPrompted = true;
    const promptedAt = ticksNow();
    const prompt = [{ type: 'text', text: opened.prompt }];
    const endWatch = watchIdleness(task, agent, calls, activity, limits.idleMs ?? IDLE_MS);
    const answer = await request('session/prompt', { sessionId: opened.id, prompt })
      .catch((error: unknown) => {
        throw opened.isReopened && !activity.hasActed && isSessionGone(error) ? new SessionLost('not found') : error;
      })
      .finally(endWatch);
    const stopReason = promptedSchema.safeParse(answer).data?.stopReason;
    if (opened.isReopened && !activity.hasActed && stopReason === 'end_turn' && !stopping.aborted) {
      throw new SessionLost('nothing was said in the session');
    }
    stopping.throwIfAborted();
    const left =
      stopReason === 'end_turn'
        ? await finish(agent, calls, { promptedAt, deadline }, stopping, connection.signal)
        : undefined;
    stopping.throwIfAborted();
    agent.stdin?.end();
    await Promise.race([agent.end(), delay(limits.endMs, undefined, { ref: false })]);
    const summary = agent.secrets.redactDeep(activity.end());
    const { refusedLast } = activity;
    // Codex reports `cancelled` when it ends because of a refusal.
    const problem = stopReason === 'cancelled' && refusedLast !== undefined ? undefined : stopProblem(stopReason);
    const isLimit = isLimitMessage(summary);
    if (problem !== undefined && !isLimit) {
      throw new TurnFailure(problem);
    }
    if (isLimit || known?.failure?.test(summary) === true) {
      throw toReportedFailure({
        program: task.command[0] ?? '',
        environment: agent.start.agentEnvironment,
        said: summary,
      });
    }
    const endedEarly = refusedLast === undefined ? left && agent.endedEarly(left) : refusalText(refusedLast);
    const { denied } = activity;
    return { summary, ...(endedEarly && { endedEarly }), ...(denied && { denied }) };
  } catch (error) {
    stuck.signal.throwIfAborted();
    const failure = await explained(error, task, agent, session.isPrompted ? activity.end() : undefined);
    const isStopped = stopping.aborted && !(stopping.reason instanceof TurnFailure);
    const isUseless = session.isPrompted && !activity.hasActed && !isStopped;
    if (isUseless && !isSignInRequired(error) && !(failure instanceof UsageLimit)) {
      await task.onSession(undefined);
    }
    throw failure;
  } finally {
    stopping.removeEventListener('abort', stop);
    activity.end();
    connection.close();
  }
}

/** How long before the time limit of its turn an agent that has answered has to end, in milliseconds. */
const LAST_MS = 1_000;

/** How often to look whether the agent's tool calls have ended, in milliseconds. */
const LOOK_MS = 50;

/**
 * Waits for the tool calls of an agent that has answered, unless it exits, and then for its processes. Returns the name
 * of one that has not ended in time.
 */
async function finish(
  agent: SupervisedAgent,
  calls: ToolCalls,
  { promptedAt, deadline }: { promptedAt: number; deadline: number },
  stopping: AbortSignal,
  exited: AbortSignal,
): Promise<string | undefined> {
  // Within the time limit of the turn, whose work is done.
  const ms = Math.max(0, Math.min(agent.finishMs, deadline - Date.now()));
  const over = AbortSignal.any([stopping, AbortSignal.timeout(ms)]);
  while (calls.open !== undefined && !over.aborted && !exited.aborted) {
    agent.noteFinishing(calls.open);
    await delay(LOOK_MS);
  }
  await settleAfterAbort(agent.finish(promptedAt), over, 0).catch(() => undefined);
  return calls.open ?? agent.left;
}

/**
 * Says so when the agent reports nothing for some time and, on Linux, hardly uses a processor: it may wait for nobody, as
 * for a permission that it has not asked for. It is not ended, because a slow model looks the same. Returns a function
 * that stops this.
 */
function watchIdleness(
  task: AgentTask,
  agent: SupervisedAgent,
  calls: ToolCalls,
  activity: AcpActivityLog,
  ms: number,
): () => void {
  let [update, ticks, looks] = [activity.lastUpdate, agent.ticksUsed(), 0];
  const timer = setInterval(() => {
    const before = { update, ticks, looks };
    [update, ticks] = [activity.lastUpdate, agent.ticksUsed()];
    const isIdle = update === before.update && ticks - before.ticks < (IDLE_SHARE * ms) / LOOKS / 10;
    looks = isIdle ? looks + 1 : 0;
    if (looks === LOOKS) {
      const time = durationText(ms);
      activity.note(
        calls.open === undefined ? coded('agentIdle', { time }) : coded('agentIdleIn', { time, name: calls.open }),
      );
      task.onPhase('idle');
    } else if (looks === 0 && before.looks >= LOOKS) {
      task.onPhase(null);
    }
  }, ms / LOOKS);
  return () => clearInterval(timer);
}

/**
 * Converts the error of a turn into a TurnFailure that explains it to the user. Returns TurnFailure, SessionLost and
 * ProcessNotRecordedError unchanged.
 *
 * @param said the agent's last message; undefined before it was prompted
 */
async function explained(
  error: unknown,
  task: AgentTask,
  agent: SupervisedAgent,
  said: string | undefined,
): Promise<unknown> {
  if ([TurnFailure, SessionLost, ProcessNotRecordedError].some((own) => error instanceof own)) {
    return error;
  }
  if (error instanceof MessageTooLargeError) {
    const megabytes = Math.round(error.maxMessageBytes / 1024 / 1024);
    return new TurnFailure(coded('messageTooLarge', { megabytes }));
  }
  const words = toUserError(error, { program: task.command[0] ?? '', environment: agent.start.agentEnvironment, said });
  if (words !== error) {
    return words;
  }
  // The connection is dead: the agent has exited or is about to.
  const hasEnded = await Promise.race([agent.end().then(() => true), delay(EXIT_GRACE_MS, false, { ref: false })]);
  const lastWords = oneLine(agent.problemLine());
  const early = endedSaying(lastWords, coded('agentEndedEarly'));
  return unlessLimit(new TurnFailure((hasEnded ? agent.problem() : undefined) ?? early), lastWords);
}

/** The mode in which agents ask that have modes for that: Claude Code, Gemini CLI, and Qwen Code. */
const ASKING_MODE = 'default';

/**
 * Switches a session to the mode in which the agent asks before it acts. An agent may start in another mode, such as
 * Claude Code in `auto`, and a resumed session keeps its mode. If the mode cannot be set, the activity log says so.
 */
async function setApprovalMode(
  request: Request,
  agent: KnownAgent | undefined,
  task: Pick<AgentTask, 'mayRunCommands'>,
  { id, modes }: OpenSession,
  activity: AcpActivityLog,
): Promise<void> {
  const { mode, gap } = agent?.asking ?? {};
  const isUntested = agent?.asking === undefined && agent?.tested?.with !== 'model';
  const wanted = isUntested ? ASKING_MODE : mode?.[task.mayRunCommands ? 'commands' : 'edits'];
  if (!task.mayRunCommands && gap !== undefined) {
    activity.note(gap);
  }
  if (wanted === undefined || modes?.currentModeId === wanted) {
    return;
  }
  const isListed = modes?.availableModes.some((each) => each.id === wanted) === true;
  const setMode = () => unlessErrorResponse(request('session/set_mode', { sessionId: id, modeId: wanted }));
  const isSet = isListed && (await setMode()) !== undefined;
  if (!isSet && !isUntested) {
    activity.note(coded('modeNotSet', { title: agent.title, mode: wanted }));
  } else if (!isSet && !task.mayRunCommands) {
    activity.note(modes === undefined ? coded('mayNotAsk') : coded('mayNotAskIn', { mode: modes.currentModeId }));
  }
}

/** Answers a permission request, even a malformed one, and records the answer in the activity log. */
async function answerPermission(
  context: PermissionSettings & { folder: string; calls: ToolCalls; activity: AcpActivityLog; stopping: AbortSignal },
  raw: unknown,
) {
  const cancelled = { outcome: { outcome: 'cancelled' } };
  const asked = permissionSchema.safeParse(raw);
  if (!asked.success) {
    context.activity.note(coded('unknownRequest'));
    return cancelled;
  }
  const { options } = asked.data;
  const call = context.calls.ask(asked.data.toolCall);
  const places = await Promise.all(call.places.map((place) => locatePath(context.folder, place)));
  if (context.stopping.aborted) {
    context.activity.permission(call, 'cancelled', coded('beingStopped'));
    return cancelled;
  }
  const { isAllowed, why } = decide({ kind: call.kind, places }, context);
  const option = isAllowed ? optionFor(options, true) : undefined;
  if (option !== undefined) {
    context.activity.permission(call, 'allowed', why);
    return selected(option);
  }
  context.activity.permission(call, 'refused', isAllowed ? coded('notAskedOnce') : why);
  const refusal = optionFor(options, false);
  return refusal === undefined ? cancelled : selected(refusal);
}

function selected({ optionId }: PermissionOption) {
  return { outcome: { outcome: 'selected', optionId } };
}
