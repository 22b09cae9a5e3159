import vscode = require('vscode');
import { type ToolName, TOOLS } from '../../ids';

/** What stands behind the tools; loaded at the first use of one. */
export interface Tools {
  prepare(tool: ToolName, input: unknown): Promise<vscode.PreparedToolInvocation | undefined>;
  invoke(tool: ToolName, input: unknown, token: vscode.CancellationToken): Promise<string>;
}

/** Offers the tools to chat agents, in editors that have some. */
export function registerTools(tools: () => Promise<Tools>): vscode.Disposable {
  // Editors made of VS Code leave out what they do otherwise.
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
