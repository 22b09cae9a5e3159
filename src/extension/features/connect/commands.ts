import * as vscode from 'vscode';
import { type CommandHandlers, EXTENSION_ID, WALKTHROUGH } from '../../ids';
import { readConnect } from '../../platform/commandArguments';
import { type ApiKeyOptions, checkConnection, clearApiKey, setApiKey } from './apiKey';
import type { ConnectOptions } from './ask';
import type { WizardStart } from './connect';

/** Runs the setup, which is loaded on first use. */
export type Connect = (beginning?: WizardStart) => Promise<boolean>;

export function startConnect(options: ConnectOptions): Connect {
  return async (beginning) => (await import('./connect')).connect(options, beginning);
}

export function connectCommands(options: ApiKeyOptions & { connect: Connect }): CommandHandlers {
  return {
    'docsAgent.connect': (argument) => options.connect(readConnect(argument)),
    'docsAgent.setApiKey': () => setApiKey(options),
    'docsAgent.clearApiKey': () => clearApiKey(options),
    'docsAgent.getStarted': () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${EXTENSION_ID}#${WALKTHROUGH}`, false),
    'docsAgent.openSettings': () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${EXTENSION_ID}`),
    'docsAgent.checkConnection': () => checkConnection(options),
  };
}
