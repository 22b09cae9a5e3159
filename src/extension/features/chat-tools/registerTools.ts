import vscode = require('vscode');
import { type ToolName, TOOLS } from '../../ids';

/** The implementation of the tools, loaded on first use. */
export interface Tools {
  prepare(tool: ToolName, input: unknown): Promise<vscode.PreparedToolInvocation | undefined>;
  invoke(tool: ToolName, input: unknown, token: vscode.CancellationToken): Promise<string>;
}

/** Registers the language model tools, in editors that support them. */
export function registerTools(tools: () => Promise<Tools>): vscode.Disposable {
  // Forks of VS Code may lack this API.
  const { lm } = vscode as { lm?: Partial<typeof vscode.lm> };
  if (typeof lm?.registerTool !== 'function') {
    return vscode.Disposable.from();
  }
  const { registerTool } = lm;
  const registered = Object.values(TOOLS).map((tool) =>
    registerTool<unknown>(tool, {
      prepareInvocation: async ({ input }) => (await tools()).prepare(tool, input),
      invoke: async ({ input }, token) => {
        const text = await (await tools()).invoke(tool, input, token);
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    }),
  );
  return vscode.Disposable.from(...registered);
}
