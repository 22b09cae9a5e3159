// A scripted stand-in for an agent that speaks the Agent Client Protocol (version 1, one JSON message per line): no model,
// no network. It edits Markdown files by the rules of scriptedAgent.mjs, stores its sessions next to its working folder,
// and follows these directives in the prompt, in order:
//
//   [scripted: wait 2000]           waits this many milliseconds, unless it is canceled
//   [scripted: stall MS TITLE]      begins a tool call with this title, which completes when this time is over
//   [scripted: spin MS]             keeps a processor busy, and says nothing
//   [scripted: fail]                answers the prompt with an error
//   [scripted: change nothing]      succeeds without an edit
//   [scripted: limit WORDS]         unless there is half.md: writes it, and sends the words as its answer
//   [scripted: limited WORDS]       unless there is half.md: writes it, and answers with the words as an error
//   [scripted: refuse]              ends with the stop reason `refusal`
//   [scripted: die]                 prints the reason to standard error and exits with code 9
//   [scripted: garbage]             prints lines that are not messages
//   [scripted: hang]                never answers and ignores cancellation and SIGTERM
//   [scripted: run COMMAND]         asks for permission to run the command, and runs it if allowed
//   [scripted: insist COMMAND]      asks for permission to run the command until it is allowed or the turn is canceled
//   [scripted: edit PATH]           asks for permission to edit the file, edits it if allowed, and ends its turn
//   [scripted: both PATH PATH]      asks to edit both at once, and edits neither if one is refused
//   [scripted: escape FILE]         leaves a process in a session of its own, and writes its id to the file
//   [scripted: leave MS FILE]       leaves a process in a session of its own, which writes the file later and ends
//   [scripted: exit MS FILE]        the same, and exits after its answer
//   [scripted: begin MS FILE]       begins a tool call that writes the file and completes later, and ends its turn
//   [scripted: plan]                sends a plan
//   [scripted: login WORDS]         sends the words and requires a login
//   [scripted: say WORDS]           sends the words and succeeds
//   [scripted: usage JSON]          reports the fields as its usage, such as {"used":100}
//   [scripted: recall]              lists the prompts that it remembers, and changes nothing
//
// Opens no session while the variable is set that `--breaks-with NAME` names.
//
// `run` and `edit` ask for permission in the mode `default` and in sessions without modes, but in no other mode.
//
// Options:
//   --modes A,B                        the modes of a session, which starts and resumes in the last one (`default`)
//   --option VALUE                     has only a mode in its configuration options, as opencode does
//   --gives-up                         ends its turn when a command is refused, as Copilot does
//   --gives-up cancelled               ends it with the stop reason `cancelled`, as Codex does
//   --denies                           refuses commands by itself, as Copilot does
//   --offers resume | load | neither   how sessions can be continued (default: resume)
//   --forgets                          loads a session without its history
//   --lost MESSAGE                     resumes any session, and answers a prompt in one from before with this error
//   --mute                             resumes any session, and ends a prompt in one from before without a word
//   --login WORDS                      requires a login first, and says this about it
//   --opens-when-stopped               opens a session only when it is asked to exit
//   --silent METHOD                    does not answer this method
//   --slow MS                          answers `initialize` and `session/new` after this time
//   --dies METHOD                      exits when this method is called
//   --version N                        the protocol version
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const EDITOR = fileURLToPath(new URL('./scriptedAgent.mjs', import.meta.url));
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : process.argv[at + 1];
};
const offers = option('--offers', 'resume');
const sessions = join(process.cwd(), '..', `sessions-${process.cwd().split('/').at(-1)}.json`);
const pending = new Map();
const onlyOption = option('--option');
const modes = onlyOption === undefined ? option('--modes', 'default').split(',') : undefined;
let mode = modes?.at(-1);
const modeState = () =>
  modes === undefined
    ? { configOptions: [{ id: 'mode', currentValue: onlyOption }] }
    : { modes: { currentModeId: mode, availableModes: modes.map((id) => ({ id, name: id })) } };
let [nextId, cancelled, stopWaiting] = [1, false, () => undefined];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, fields) => send({ method: 'session/update', params: { sessionId, update: fields } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const stored = () => (existsSync(sessions) ? JSON.parse(readFileSync(sessions, 'utf8')) : {});
const failure = (code, message, data) => Object.assign(new Error(message), { code, data });

const methods = {
  initialize: () => ({
    protocolVersion: Number(option('--version', '1')),
    agentCapabilities: {
      loadSession: offers === 'load',
      sessionCapabilities: offers === 'resume' ? { resume: {} } : {},
    },
    authMethods: [],
  }),
  'session/new': async () => {
    if (process.argv.includes('--opens-when-stopped')) {
      writeFileSync('opening', '');
      await new Promise((stopped) => process.on('SIGTERM', stopped));
    }
    if (process.env[option('--breaks-with', 'none')] !== undefined) {
      throw failure(-32603, 'Internal error', { details: 'process exited with code 1' });
    }
    if (process.argv.includes('--login')) {
      throw failure(-32000, option('--login') ?? 'Authentication required');
    }
    const all = stored();
    const sessionId = `session-${Object.keys(all).length + 1}`;
    writeFileSync(sessions, JSON.stringify({ ...all, [sessionId]: [] }));
    return { sessionId, ...modeState() };
  },
  'session/set_mode': ({ modeId }) => {
    mode = modeId;
    return {};
  },
  'session/resume': ({ sessionId }) => reopened(sessionId),
  'session/load': ({ sessionId }) => {
    const answer = reopened(sessionId);
    for (const text of process.argv.includes('--forgets') ? [] : stored()[sessionId]) {
      update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text } });
      say(sessionId, 'a message of the past');
    }
    return answer;
  },
  'session/prompt': async ({ sessionId, prompt }) => {
    cancelled = false;
    const text = prompt.map((block) => block.text).join('');
    const all = stored();
    if (resumed.has(sessionId) && process.argv.includes('--mute')) {
      return { stopReason: 'end_turn' };
    }
    if (resumed.has(sessionId) && process.argv.includes('--lost')) {
      throw failure(-32603, option('--lost'));
    }
    writeFileSync(sessions, JSON.stringify({ ...all, [sessionId]: [...(all[sessionId] ?? []), text] }));
    const stopReason = await work(sessionId, text);
    return { stopReason: cancelled ? 'cancelled' : stopReason };
  },
};

const resumed = new Set();

function reopened(sessionId) {
  resumed.add(sessionId);
  if (process.argv.includes('--lost') || process.argv.includes('--mute')) {
    return modeState();
  }
  if (!(sessionId in stored())) {
    throw failure(-32002, 'Resource not found');
  }
  return modeState();
}

/** What a directive does. Returns a stop reason when the turn is over. */
const directives = {
  wait: (_, ms) => Promise.race([delay(Number(ms)), new Promise((done) => (stopWaiting = done))]).then(() => undefined),
  stall: async (sessionId, argument) => {
    const [, ms, title] = /^(\d+) (.+)$/.exec(argument);
    const call = { toolCallId: `stall-${nextId++}`, title, kind: 'think' };
    update(sessionId, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
    await directives.wait(sessionId, ms);
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed' });
  },
  spin: (_, ms) => {
    for (const until = Date.now() + Number(ms); Date.now() < until;);
  },
  fail: () => {
    throw failure(-32603, 'Internal error', { details: 'told to fail' });
  },
  change: (sessionId) => {
    say(sessionId, 'There is nothing to change.');
    return 'end_turn';
  },
  login: (sessionId, words) => {
    say(sessionId, words);
    throw failure(-32000, 'Authentication required');
  },
  say: (sessionId, words) => {
    say(sessionId, words);
    return 'end_turn';
  },
  limit: (sessionId, words) => {
    if (existsSync('half.md')) {
      return undefined;
    }
    say(sessionId, 'I will write half a page.');
    writeFileSync('half.md', 'half\n');
    say(sessionId, words);
    return 'end_turn';
  },
  limited: (_, words) => {
    if (existsSync('half.md')) {
      return;
    }
    writeFileSync('half.md', 'half\n');
    throw failure(-32603, 'Internal error', { details: words });
  },
  refuse: () => 'refusal',
  die: () => {
    process.stderr.write('told to die\n');
    process.exit(9);
  },
  garbage: () => {
    process.stdout.write('no message\n{"jsonrpc":\n[1,2]\n"text"\n{"jsonrpc":"2.0","id":"stranger","result":1}\n\n');
  },
  hang: () => {
    process.on('SIGTERM', () => undefined);
    stopWaiting = () => undefined;
    return new Promise(() => undefined);
  },
  run: async (sessionId, command) => {
    const call = { toolCallId: `run-${nextId}`, title: command, kind: 'execute', rawInput: { command } };
    const isAllowed = await ask(sessionId, call);
    if (!isAllowed && process.argv.includes('--gives-up')) {
      return gaveUp(sessionId);
    }
    say(sessionId, isAllowed ? `ran: ${execFileSync('sh', ['-c', command], { encoding: 'utf8' })}` : 'may not run it');
  },
  insist: async (sessionId, command) => {
    while (!cancelled) {
      const call = { toolCallId: `run-${nextId}`, title: 'Build', kind: 'execute', rawInput: { command } };
      if (await ask(sessionId, call)) {
        return 'end_turn';
      }
      say(sessionId, 'I will try it again.');
    }
    return 'cancelled';
  },
  edit: async (sessionId, path) => {
    const call = { toolCallId: `edit-${nextId}`, title: `Edit ${path}`, kind: 'edit', locations: [{ path }] };
    if (await ask(sessionId, call)) {
      mkdirSync(dirname(resolve(path)), { recursive: true });
      appendFileSync(path, 'An edit that was asked for.\n');
    }
    return 'end_turn';
  },
  both: async (sessionId, argument) => {
    const calls = argument.split(' ').map((path) => {
      return { toolCallId: `both-${path}`, title: 'write', kind: 'edit', locations: [{ path }] };
    });
    const answers = [];
    for (const call of calls) {
      answers.push(await ask(sessionId, call, ''));
    }
    const status = answers.every((each) => each) ? 'completed' : 'failed';
    for (const { toolCallId, locations } of calls) {
      update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status });
      if (status === 'completed') {
        writeFileSync(locations[0].path, 'both\n');
      }
    }
    say(sessionId, 'I will go on.');
  },
  escape: (_, file) => {
    const script = `trap "" TERM; echo $$ > ${file}.new; mv ${file}.new ${file}; while :; do sleep 0.05; done`;
    spawn('setsid', ['sh', '-c', script], { detached: true, stdio: 'ignore' }).unref();
  },
  leave: (sessionId, argument) => {
    const [ms, file] = argument.split(' ');
    spawn('sh', ['-c', `sleep ${ms / 1000}; echo later > ${file}`], { detached: true, stdio: 'ignore' }).unref();
    say(sessionId, 'It is being built in the background.');
    return 'end_turn';
  },
  exit: (sessionId, argument) => {
    setTimeout(() => process.exit(0), 50);
    return directives.leave(sessionId, argument);
  },
  begin: (sessionId, argument) => {
    const [ms, file] = argument.split(' ');
    const call = { toolCallId: `begin-${nextId++}`, title: `Build ${file}`, kind: 'edit', locations: [{ path: file }] };
    update(sessionId, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
    setTimeout(() => {
      writeFileSync(file, 'later\n');
      update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed' });
    }, Number(ms));
    say(sessionId, 'It is being built in the background.');
    return 'end_turn';
  },
  plan: (sessionId) => {
    const entries = [{ content: 'Look round', priority: 'medium', status: 'in_progress' }];
    update(sessionId, { sessionUpdate: 'plan', entries });
  },
  usage: (sessionId, fields) => {
    update(sessionId, { sessionUpdate: 'usage_update', size: 200_000, ...JSON.parse(fields) });
  },
  recall: (sessionId) => {
    say(sessionId, JSON.stringify(stored()[sessionId]));
    return 'end_turn';
  },
};

function gaveUp(sessionId) {
  if (option('--gives-up') === 'cancelled') {
    return 'cancelled';
  }
  say(sessionId, 'Info: Operation cancelled by user');
  return 'end_turn';
}

async function ask(sessionId, toolCall, ended = 'completed') {
  update(sessionId, { sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
  if (process.argv.includes('--denies')) {
    const rawOutput = { message: 'Permission to run this tool was denied', code: 'denied' };
    update(sessionId, {
      sessionUpdate: 'tool_call_update',
      toolCallId: toolCall.toolCallId,
      status: 'failed',
      rawOutput,
    });
    return false;
  }
  if (mode !== undefined && mode !== 'default') {
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status: 'completed' });
    return true;
  }
  const options = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
  const id = nextId++;
  send({ id, method: 'session/request_permission', params: { sessionId, toolCall, options } });
  const { outcome } = await new Promise((answered) => pending.set(id, answered));
  const isAllowed = outcome.optionId === 'allow_once';
  if (ended !== '') {
    const status = isAllowed ? ended : 'failed';
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: toolCall.toolCallId, status });
  }
  return isAllowed;
}

async function work(sessionId, text) {
  const message = text.split('--- New message ---\n').at(-1);
  for (const [, name, argument] of message.matchAll(/\[scripted: (\w+) ?([^\]]*)\]/g)) {
    const stopReason = await directives[name](sessionId, argument);
    if (stopReason !== undefined || cancelled) {
      return stopReason ?? 'cancelled';
    }
  }
  say(sessionId, 'I will ');
  say(sessionId, 'see to it.');
  const call = { toolCallId: `call-${nextId++}`, title: 'Write the page', kind: 'edit', locations: [] };
  update(sessionId, { sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  const input = message.replace(/\[scripted: [^\]]+\]/g, '').trim();
  const { status, stdout, stderr } = spawnSync(process.execPath, [EDITOR], { input, encoding: 'utf8' });
  if (status !== 0) {
    throw failure(-32603, 'Internal error', { details: stderr.trim() });
  }
  const locations = [...stdout.matchAll(/^(?:wrote|extended|linked it in) (.+)$/gm)].map(([, path]) => ({ path }));
  update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed', locations });
  say(sessionId, `Done: ${stdout.trim().split('\n').join(', ')}.`);
  return 'end_turn';
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === 'session/cancel') {
      cancelled = true;
      stopWaiting();
    } else if (method === undefined) {
      pending.get(id)?.(result);
      pending.delete(id);
    } else if (id !== undefined) {
      try {
        if (method === option('--dies')) {
          process.exit(9);
        }
        if (method === option('--silent')) {
          return;
        }
        if (['initialize', 'session/new'].includes(method)) {
          await delay(Number(option('--slow', '0')));
        }
        const handler = methods[method];
        if (handler === undefined) {
          throw failure(-32601, `Method not found: ${method}`);
        }
        send({ id, result: await handler(params) });
      } catch ({ code = -32603, message, data }) {
        send({ id, error: { code, message, data } });
      }
    }
  })
  .on('close', () => process.exit(0));
