import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { App } from '../../app';
import { type CommandHandlers, EXTENSION_ID, WALKTHROUGH } from '../../ids';
import { reader } from '../../platform/commandArguments';
import { checkConnection, clearApiKey, setApiKey } from './apiKey';

/** The service to set up. */
const readService = reader(z.object({ service: z.optional(z.enum(['hosted', 'local'])) }));

export function register(app: App): CommandHandlers {
  return {
    'docsAgent.connect': (argument) => app.connect(readService(argument)),
    'docsAgent.setApiKey': () => setApiKey(app),
    'docsAgent.clearApiKey': () => clearApiKey(app),
    'docsAgent.getStarted': () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${EXTENSION_ID}#${WALKTHROUGH}`, false),
    'docsAgent.openSettings': () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${EXTENSION_ID}`),
    'docsAgent.checkConnection': () => checkConnection(app),
  };
}
