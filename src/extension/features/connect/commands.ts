import type { CommandHandlers } from '../../ids';
import { readConnect } from '../../platform/commandArguments';
import { type ApiKeyOptions, checkConnection, clearApiKey, setApiKey } from './apiKey';
import type { AskOptions } from './ask';
import type { Beginning } from './connect';

/** Runs the setup, which is loaded on first use. */
export type Connect = (beginning?: Beginning) => Promise<boolean>;

export function startConnect(options: AskOptions): Connect {
  return async (beginning) => (await import('./connect')).connect(options, beginning);
}

export function connectCommands(options: ApiKeyOptions & { connect: Connect }): CommandHandlers {
  return {
    'docsAgent.connect': (argument) => options.connect(readConnect(argument)),
    'docsAgent.setApiKey': () => setApiKey(options),
    'docsAgent.clearApiKey': () => clearApiKey(options),
    'docsAgent.checkConnection': () => checkConnection(options),
  };
}
