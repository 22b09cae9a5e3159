#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { unescape } from 'node:querystring';
import { Redactor } from '../base/redact';
import { UsageError } from '../local-service/options';
import { orExit, runCommandLine } from '../local-service/runCommandLine';
import { streamLogger } from '../local-service/streamLogger';
import { parseApi, parseManage, parseWorker, PROGRAM_NAME, teamHelp } from './teamCommandLine';

await orExit(() => main(process.argv.slice(2), fileURLToPath(import.meta.url)).catch(explain));

/** Runs the commands for a team. Any other arguments, or none, are for the local service. */
async function main(args: string[], program: string): Promise<void> {
  const [command = '', ...rest] = args;
  const help = teamHelp(args);
  if (help !== undefined) {
    process.stdout.write(help);
    return;
  }
  switch (command) {
    case 'api': {
      const options = parseApi(rest, process.env);
      await (await import('./api')).api(options, logging(options).log);
      return;
    }
    case 'worker': {
      const settings = parseWorker(rest, process.env);
      await (await import('./worker')).workerProcess(settings, program, logging(settings));
      return;
    }
    case 'key':
    case 'project': {
      const options = parseManage([command, ...rest], process.env, Date.now());
      process.stdout.write(await (await import('./manage')).manage(options, logging(options).log));
      return;
    }
    case 'serve':
      return runCommandLine(rest, program, PROGRAM_NAME);
    default:
      return runCommandLine(args, program, PROGRAM_NAME);
  }
}

/** Says of an error of the database what to check: the words of a server or the system don't even name it. */
async function explain(error: unknown): Promise<never> {
  if (error instanceof UsageError) {
    throw error;
  }
  const [{ NothingDone }, { DatabaseError }] = await Promise.all([import('./store/connectDatabase'), import('pg')]);
  if (error instanceof NothingDone || error instanceof DatabaseError) {
    const advice =
      'Check its URL (--database or DOCS_AGENT_DATABASE), that PostgreSQL is running, and that the URL’s user owns the database.';
    throw new Error(`Couldn’t use the database (${error.message}). ${advice}`, { cause: error });
  }
  throw error;
}

function logging({ database }: { database: string }) {
  const redactor = new Redactor();
  redactor.add(database);
  const { password } = new URL(database);
  redactor.add(password);
  redactor.add(unescape(password));
  return { redactor, log: streamLogger(process.stderr, redactor) };
}
