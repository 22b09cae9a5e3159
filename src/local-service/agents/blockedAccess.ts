import { coded, type CodedText } from '../../protocol/codedText';
import { joinTexts } from '../codedText';
import { TurnFailure, UsageLimit } from '../turnFailure';
import { SessionNotOpenedError } from './acpErrors';

/** What `srt --debug` writes to standard error, among it which hosts it has refused. */
const OWN_LINE = '[SandboxDebug] ';
const HOST =
  /^\[SandboxDebug\] (?:(?:Connection|HTTP request) blocked to|Denied address\(es\) for) (localhost:\d+|\S{1,260}?)(?::80|:443)?(?:: .*)?$/;

/** `srt` takes no such name. */
const WITHOUT_DOT = /^(?!localhost:)([\w-]+)(?::\d+)?$/;

/** What programs say when they couldn't write to a file. A path may contain spaces only in quotes. */
const FILE =
  /(?:['"‘](\/[^'"’\\\n]{1,300})['"’]|(?<=\s)(\/[^\s'"’:\\]{1,300})): (?:read-only file system|operation not permitted)|(?:read-only file system|operation not permitted)[^\n/]{0,30}['"](\/[^'"\\\n]{1,300})['"]/gi;

/** Longer than a match of FILE. */
const OVERLAP = 700;

/** How many of each kind are named. */
const MOST = 5;

/** Finds in a sandboxed agent's output what the sandbox has refused it. */
export class BlockedAccess {
  private readonly hosts = new Set<string>();
  private readonly files = new Set<string>();
  private line = '';
  private before = '\n';
  /** It shows the allowed hosts on several lines. */
  private isInBlock = false;

  /** Returns the error output without what the sandbox program says. */
  errors(chunk: Buffer): Buffer {
    const lines = (this.line + chunk.toString('latin1')).split(/(?<=\n)/);
    this.line = lines.at(-1)?.endsWith('\n') === false ? (lines.pop() ?? '') : '';
    lines.forEach((line) => this.add(this.hosts, HOST.exec(line.trimEnd())?.[1]));
    const rest = Buffer.from(lines.filter((line) => !this.isOwn(line)).join(''), 'latin1');
    this.output(rest);
    return rest;
  }

  private isOwn(line: string): boolean {
    const isOwn = this.isInBlock || line.startsWith(OWN_LINE);
    this.isInBlock = line === `${OWN_LINE}{\n` || (this.isInBlock && line !== '}\n');
    return isOwn;
  }

  output(chunk: Buffer): void {
    const text = this.before + chunk.toString('utf8');
    this.before = text.slice(-OVERLAP);
    for (const [, ...paths] of text.matchAll(FILE)) {
      this.add(this.files, paths.find(Boolean));
    }
  }

  private add(found: Set<string>, name: string | undefined): void {
    if (name !== undefined && found.size < MOST) {
      found.add(name);
    }
  }

  /** What was refused, and how to allow it; undefined if nothing was. */
  get text(): CodedText | undefined {
    const names = (found: readonly string[]) => ({ names: found.map((name) => `“${name}”`).join(', ') });
    const hosts = [...this.hosts].filter((host) => !WITHOUT_DOT.test(host));
    const beyond = [...this.hosts].flatMap((host) => WITHOUT_DOT.exec(host)?.[1] ?? []);
    return joinTexts(
      hosts.length === 0 ? undefined : coded('hostsBlocked', names(hosts)),
      ...beyond.map((host) => coded('sandboxBeyond', { host })),
      this.files.size === 0 ? undefined : coded('filesBlocked', names([...this.files])),
    );
  }

  /** The error of a turn, with what was refused. */
  explain(error: unknown): unknown {
    const isPlain = error instanceof TurnFailure && !(error instanceof UsageLimit);
    if (!isPlain || this.text === undefined) {
      return error;
    }
    const all = coded('both', { first: error.coded, second: this.text });
    return error instanceof SessionNotOpenedError ? new SessionNotOpenedError(all) : new TurnFailure(all);
  }
}
