import * as vscode from 'vscode';
import { type AskOptions, ask } from './ask';
import { end } from './end';
import { gatherFacts } from './facts';
import { type Flow, back, begin, failed, keep, keepUnchecked, next, retry } from './flow';
import { tellDone } from './tellDone';

/** How the flow begins. */
export interface Beginning {
  /** Answered already; the user can go back to it. */
  service?: 'hosted' | 'local' | undefined;
  /** The folder that a command is about, where several are open. */
  folder?: string | undefined;
  /** A command goes on after it: no notice offers the first job. */
  goesOn?: boolean;
}

/**
 * Leads through the set-up: service, project, key, or the agent on this machine; then checks the connection and writes
 * what was answered. Nothing is written before, and Escape leaves all as it was. True when it came to its end.
 */
export async function connect(options: AskOptions, { service, folder, goesOn }: Beginning = {}): Promise<boolean> {
  let flow = begin({ ...(service !== undefined && { service }), ...(folder !== undefined && { folder }) });
  let facts = await gatherFacts(options, flow.draft);
  let to: Flow | 'check' = service === undefined ? flow : next(flow, facts);
  for (;;) {
    if (to === 'check') {
      const ended = await end(options, flow, facts);
      if (ended.way === 'done') {
        tellDone(options.store, ended.text, goesOn === true).catch((error: unknown) =>
          options.log.error('what comes after the set-up could not be offered', error),
        );
        return true;
      }
      if (ended.way === 'cancel') {
        return false;
      }
      flow = ended.flow;
    } else {
      flow = to;
    }
    const move = await ask(options, flow, facts);
    if (move.way === 'cancel') {
      return false;
    }
    if (move.way === 'leave') {
      await vscode.commands.executeCommand(move.command, ...(move.argument === undefined ? [] : [move.argument]));
      return false;
    }
    if (move.way === 'failed') {
      to = failed(flow, move.problem, facts);
      continue;
    }
    flow = keep(flow, move.change);
    facts = await gatherFacts(options, flow.draft);
    if (move.way === 'keep') {
      flow = keepUnchecked(flow);
    }
    to = { next, keep: next, back, retry }[move.way](flow, facts);
  }
}
