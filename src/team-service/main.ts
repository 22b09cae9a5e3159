#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { unescape } from 'node:querystring';
import { Redactor } from '../base/redact';
import { orExit, runCommandLine } from '../local-service/runCommandLine';
import { streamLogger } from '../local-service/streamLogger';
import { parseApi, parseManage, parseWorker, PROGRAM_NAME, teamHelp } from './teamCommandLine';

await orExit(() => main(process.argv.slice(2), fileURLToPath(import.meta.url)));

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

function logging({ database }: { database: string }) {
  const redactor = new Redactor();
  redactor.add(database);
  const { password } = new URL(database);
  redactor.add(password);
  redactor.add(unescape(password));
  return { redactor, log: streamLogger(process.stderr, redactor) };
}
