import { basename } from 'node:path';
import { systemClock } from '../base/async';
import type { Logger } from '../base/logger';
import { showInvisible } from '../base/text';
import { UsageError } from '../local-service/options';
import type { Database } from '../local-service/store/database';
import type { SqlJobStore } from '../local-service/store/sqlJobStore';
import { projectIdOf } from '../protocol/localIds';
import { projectSettingsSchema } from '../protocol/localService';
import { identityOf } from './repositoryAddress';
import { connectDatabase } from './store/connectDatabase';
import { KeyStore } from './store/keyStore';
import { openTeamStore } from './store/teamStore';
import type { ManageCommand } from './teamCommandLine';

/** Runs a command that manages keys or projects. Returns what to print. Throws UsageError. */
export async function manage(command: ManageCommand, log: Logger): Promise<string> {
  const database = connectDatabase({ url: command.database, connections: 1, clock: systemClock, log });
  try {
    const store = await openTeamStore(database, async () => undefined);
    return await run(command, database, store, log);
  } finally {
    await database.close();
  }
}

async function run(command: ManageCommand, database: Database, store: SqlJobStore, log: Logger): Promise<string> {
  const keys = new KeyStore(database);
  switch (command.command) {
    case 'key create': {
      const known = new Set((await store.projects()).map(({ id }) => id));
      const unknown = command.projects.filter((id) => !known.has(id));
      if (unknown.length > 0) {
        throw new UsageError(`There is no project “${unknown.join('”, “')}”. “project list” lists them.`);
      }
      const { id, key } = await keys.create(command);
      // Only the key is for standard output, where scripts read it.
      log.info(`created key ${id}; it won’t be shown again, so copy it now`);
      return `${key}\n`;
    }
    case 'key list': {
      const list = await keys.list();
      return table(
        ['ID', 'ROLE', 'STATE', 'CREATED', 'EXPIRES', 'PROJECTS'],
        list.map(({ createdAt, expiresAt, projects, ...key }) => {
          return [key.id, key.role, key.state, day(createdAt), day(expiresAt), projects.join(' ')];
        }),
      );
    }
    case 'key revoke': {
      const before = await keys.revoke(command.id);
      if (before === undefined) {
        throw new UsageError(`There is no key “${command.id}”. “key list” lists them.`);
      }
      return before === null
        ? `Revoked key ${command.id}.\n`
        : `Key ${command.id} was already revoked on ${day(before)}.\n`;
    }
    case 'project add': {
      const { repository, settings, webhook } = command;
      const identity = identityOf(repository);
      const id = projectIdOf(identity);
      const known = await store.project(id);
      const name = command.name ?? known?.name ?? basename(identity);
      const before = known?.settings ?? projectSettingsSchema.parse({});
      await store.putProject({ id, name, folder: repository, settings: { ...before, ...settings } });
      if (webhook !== undefined) {
        const set = 'webhook_url = $2, webhook_secret = $3, webhook_since = now_ms()';
        await database.query(`UPDATE projects SET ${set} WHERE id = $1`, [
          id,
          webhook?.url ?? null,
          webhook?.secret ?? null,
        ]);
      }
      // Only the ID is for standard output, where scripts read it.
      log.info(`${known === undefined ? 'added' : 'changed'} project ${id}`);
      if (known !== undefined && known.folder !== repository) {
        log.warn(`project ${id} had the address ${known.folder}, and has ${repository} from now on`);
      }
      return `${id}\n`;
    }
    case 'project list':
      return table(
        ['ID', 'NAME', 'REPOSITORY', 'AGENT'],
        (await store.projects()).map(({ id, name, folder, settings }) => [id, name, folder, settings.agent]),
      );
  }
}

function day(at: number | null): string {
  return at === null ? '-' : new Date(at).toISOString().slice(0, 10);
}

/** Makes all columns but the last as wide as their longest entry. What a row holds can't look like another row. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map((text) => showInvisible(text).replace(/\s+/g, ' ')))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const padded = (row: readonly string[]) => row.map((text, column) => text.padEnd(widths[column] ?? 0));
  return all.map((row) => `${padded(row).join('  ').trimEnd()}\n`).join('');
}
