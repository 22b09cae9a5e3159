import ignore, { type Ignore } from 'ignore';

/** What the `.gitignore` files of a tree say, where git can't be asked. */
export class IgnoreRules {
  private readonly rules = new Map<string, Promise<Ignore | undefined>>();

  /** @param read the text of the `.gitignore` in a folder, named by its path from the root of the tree; undefined without one */
  constructor(private readonly read: (folder: string) => Promise<string | undefined>) {}

  /** By the rules of each folder from the root down; what is inside of an ignored folder stays ignored (gitignore(5)). */
  async isIgnored(path: string, isFolder: boolean): Promise<boolean> {
    const parts = path.split('/').filter(Boolean);
    for (let depth = 1; depth <= parts.length; depth++) {
      let ignored = false;
      for (let from = 0; from < depth; from++) {
        const rules = await this.rulesOf(parts.slice(0, from).join('/'));
        const rest = parts.slice(from, depth).join('/') + (depth < parts.length || isFolder ? '/' : '');
        const answer = rules?.test(rest);
        ignored = answer?.ignored === true || (ignored && answer?.unignored !== true);
      }
      if (ignored) {
        return true;
      }
    }
    return false;
  }

  private rulesOf(folder: string): Promise<Ignore | undefined> {
    const known = this.rules.get(folder);
    const rules = known ?? this.read(folder).then((text) => (text === undefined ? undefined : ignore().add(text)));
    this.rules.set(folder, rules);
    return rules;
  }
}
