import { equal, ok } from 'node:assert/strict';
import { BlockedAccess } from '../../../../src/local-service/agents/blockedAccess';
import { toEnglish } from '../../../../src/local-service/codedText';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { coded } from '../../../../src/protocol/codedText';

describe('what the sandbox has refused', () => {
  // As srt 0.0.78 with --debug and programs write it.
  const ERRORS: [string, string | undefined][] = [
    ['[SandboxDebug] Connection blocked to api.example.org:443', 'hosts: “api.example.org”.'],
    ['[SandboxDebug] HTTP request blocked to api.example.org:80', 'hosts: “api.example.org”.'],
    ['[SandboxDebug] Connection blocked to gpu:8000', '“srt” can’t allow the host “gpu”, because its name has no dot.'],
    ['[SandboxDebug] Connection blocked to localhost:80', 'hosts: “localhost:80”.'],
    ['[SandboxDebug] Connection blocked to 10.0.0.7:8080', 'hosts: “10.0.0.7:8080”.'],
    [
      '[SandboxDebug] Denied address(es) for llm.example.org:8443: 127.0.0.1 (a loopback address)',
      'hosts: “llm.example.org:8443”.',
    ],
    ['[SandboxDebug] Allowed by config rule: api.example.org:443', undefined],
    ['Connection blocked to api.example.org:443', undefined],
    [
      "Error: EROFS: read-only file system, open '/home/robin/.agent/state.json'",
      'files: “/home/robin/.agent/state.json”.',
    ],
    ["touch: cannot touch '/home/robin/x': Read-only file system", 'files: “/home/robin/x”.'],
    ["touch: cannot touch '/home/robin/my dir/x': Read-only file system", 'files: “/home/robin/my dir/x”.'],
    ['touch: cannot touch ‘/home/robin/my dir/x’: Read-only file system', 'files: “/home/robin/my dir/x”.'],
    ["Error: EROFS: read-only file system, open '/home/robin/my dir/x'", 'files: “/home/robin/my dir/x”.'],
    ['/home/robin/x: Read-only file system', 'files: “/home/robin/x”.'],
    ['sh: 1: cannot create /home/robin/my dir/x: Read-only file system', undefined],
    ['sh: 1: cannot create ../sub/x: Read-only file system', undefined],
    ["touch: cannot touch 'sub/x': Read-only file system", undefined],
    ["Error: EROFS: read-only file system, open 'sub/x'", undefined],
    ['bash: line 1: /home/robin/x: Read-only file system', 'files: “/home/robin/x”.'],
    ["OSError: [Errno 30] Read-only file system: '/home/robin/x'", 'files: “/home/robin/x”.'],
    ["Error: EPERM: operation not permitted, mkdir '/Users/robin/.agent'", 'files: “/Users/robin/.agent”.'],
    ['{"text":"sh: 1: cannot create /home/robin/x: Read-only file system\\n"}', 'files: “/home/robin/x”.'],
  ];
  for (const [line, expected] of ERRORS) {
    it(`is read from: ${line}`, () => {
      const blocked = new BlockedAccess();
      const rest = [line.slice(0, 20), line.slice(20), '\nnext\n'].map((part) => blocked.errors(Buffer.from(part)));
      equal(Buffer.concat(rest).toString(), line.startsWith('[SandboxDebug]') ? 'next\n' : `${line}\nnext\n`);
      const text = blocked.text && toEnglish(blocked.text);
      ok(expected === undefined ? text === undefined : text?.includes(expected), text);
    });
  }

  it('is read without what else the sandbox says', () => {
    const lines = ['[SandboxDebug] {', '  "allowedHosts": [', '    "a.example"', '  ]', '}', 'Error: own', ''];
    equal(new BlockedAccess().errors(Buffer.from(lines.join('\n'))).toString(), 'Error: own\n');
  });

  it('is added to a failure, with what to do', () => {
    const blocked = new BlockedAccess();
    const failure = new TurnFailure(coded('agentError', { words: 'Read-only file system' }));
    equal(blocked.explain(failure), failure);
    blocked.errors(Buffer.from('[SandboxDebug] Connection blocked to api.example.org:443\n'));
    blocked.output(Buffer.from("EROFS: read-only file system, open '/x/y'"));
    equal(
      (blocked.explain(failure) as Error).message,
      `${failure.message}. The sandbox blocked these hosts: “api.example.org”. If the agent needs one, add it to docsAgent.local.allowedHosts (or --allow-host). The sandbox blocked writing to these files: “/x/y”. If the agent needs one, add its folder to docsAgent.local.writableFolders (or --allow-folder).`,
    );
  });
});
