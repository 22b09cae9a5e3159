import * as vscode from 'vscode';

/** Registers completion of variables in team template files. The completion code is loaded on first use. */
export function registerTemplateCompletion(): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    { pattern: '**/.docs-agent/prompts/*.md' },
    {
      provideCompletionItems: async (document, at) =>
        (await import('./templateVariables')).completeVariables(document, at),
    },
    '{',
  );
}
