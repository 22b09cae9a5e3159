// Agents that follow the protocol up to a point and then misbehave: `node misbehavingAgent.mjs MODE`.
import { createInterface } from 'node:readline';

const [mode, seed = '1'] = process.argv.slice(2);
const MEGABYTE = 1024 * 1024;

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (fields) => send({ method: 'session/update', params: { sessionId: 's', update: fields } });
const ask = (id, params) => send({ id, method: 'session/request_permission', params: { sessionId: 's', ...params } });
const keepAlive = () => setTimeout(() => undefined, 1_000_000);

const good = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': () => ({ sessionId: 's' }),
  'session/prompt': () => ({ stopReason: 'end_turn' }),
};

/** What a mode sends instead of the correct answer; a mode that returns nothing sends no answer. */
const bad = {
  silent: { initialize: keepAlive },
  'silent session': { 'session/new': keepAlive },
  'ends at once': { initialize: () => process.exit(0) },
  'greets with text': { initialize: () => 'hello' },
  'greets with null': { initialize: () => null },
  'greets with a list': { initialize: () => [1] },
  'names no session': { 'session/new': () => ({}) },
  'names a session by a number': { 'session/new': () => ({ sessionId: 7 }) },
  'ends its turn with null': { 'session/prompt': () => null },
  'long line': { 'session/prompt': () => void process.stdout.write(`${'x'.repeat(17 * MEGABYTE)}\n`) },
  'line without end': {
    'session/prompt': () => {
      const chunk = 'x'.repeat(MEGABYTE);
      const more = () => process.stdout.write(chunk, more);
      more();
    },
  },
  'closes its output': {
    'session/prompt': () => {
      process.stdout.end();
      process.stdout.destroy();
      keepAlive();
    },
  },
  'answers with an odd error': {
    'session/prompt': (id) => void send({ id, error: { code: 'x', message: 7 } }),
  },
  'answers twice': {
    'session/prompt': (id) => {
      send({ id, result: { stopReason: 'end_turn' } });
      return { stopReason: 'refusal' };
    },
  },
  'floods with updates': {
    'session/prompt': () => {
      for (let index = 0; index < 20_000; index++) {
        update({ sessionUpdate: 'plan', entries: [{ content: `Step ${index}`, status: 'pending' }] });
      }
      return { stopReason: 'end_turn' };
    },
  },
  'floods with garbage': {
    'session/prompt': () => {
      for (let index = 0; index < 20_000; index++) {
        process.stdout.write(`no message ${index}\n{"jsonrpc":"2.0","id":"${index}","result":{}}\n`);
      }
      return { stopReason: 'end_turn' };
    },
  },
  'asks in odd forms': {
    'session/prompt': () => {
      const toolCall = { toolCallId: 't', title: 'T', kind: 'edit', locations: [{ path: 'a' }] };
      ask(1, {});
      ask(2, { toolCall, options: 'all' });
      ask(3, { toolCall: { ...toolCall, locations: 'a', kind: 7 }, options: [{ optionId: 'o', kind: 'allow_once' }] });
      ask(4, { toolCall, options: [] });
      ask(5, { toolCall, options: [{ optionId: 'o', kind: 'allow_always' }] });
      send({ id: 6, method: 'fs/write_text_file', params: { sessionId: 's', path: 'a', content: 'x' } });
      send({ id: 7, method: 'terminal/create', params: { sessionId: 's', command: 'id' } });
      send({ id: 8, method: 'no/such', params: 3 });
    },
  },
  'does anything': {
    initialize: (id) => {
      for (const text of anything(id)) {
        process.stdout.write(text);
      }
    },
  },
};

/** Random lines of any kind, the same for the same seed, then the end. */
function* anything(id) {
  let state = Number(seed) >>> 0;
  // A linear congruential generator (Numerical Recipes) is random enough here.
  const dice = (count) => Math.floor(((state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32) * count);
  const values = [
    null,
    0,
    -1,
    '',
    'x',
    [],
    {},
    { a: 1 },
    true,
    'x'.repeat(5_000),
    { sessionId: 's' },
    { stopReason: 1 },
  ];
  const value = () => values[dice(values.length)];
  const names = ['session/update', 'session/request_permission', 'session/prompt', '', '$/cancel_request', 'x'];
  for (let index = 0; index < 30; index++) {
    const message = [
      { jsonrpc: '2.0', id: value(), method: names[dice(names.length)], params: value() },
      { jsonrpc: '2.0', method: names[dice(names.length)], params: { sessionId: 's', update: value() } },
      { jsonrpc: '2.0', id: dice(4), result: value() },
      { jsonrpc: '2.0', id: dice(4), error: value() },
      { jsonrpc: '1.0', id: index === 20 ? id : 99, result: value() },
      value(),
    ][dice(6)];
    yield dice(10) === 0 ? `{"cut":\n` : `${JSON.stringify(message)}\n`;
  }
  setTimeout(() => process.exit(dice(3)), 50);
}

const answers = [];
const awaited = { 'asks in odd forms': 8 }[mode];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, result, error } = JSON.parse(line);
  if (method === undefined && awaited !== undefined) {
    answers.push(`${id}:${error?.code ?? result?.outcome?.outcome ?? '?'}`);
    if (answers.length === awaited) {
      const text = answers.sort().join(' ');
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
      send({ id: 2, result: { stopReason: 'end_turn' } });
    }
    return;
  }
  const handler = bad[mode]?.[method] ?? good[method];
  const answer = handler?.(id);
  if (id !== undefined && answer !== undefined && typeof answer?.ref !== 'function') {
    send({ id, result: answer });
  }
});
