import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { load, YAML11_SCHEMA } from 'js-yaml';
import pg from 'pg';
import { postgresServer } from './postgresServer';

/** What a test reads of a service in a Compose file. */
export interface ComposeService {
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { test: string[] };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  volumes?: string[];
}

/** Reads the services of a Compose file, with these values for its variables. Throws for one that is missing. */
export async function composeExample(
  file: string,
  values: Readonly<Record<string, string>>,
): Promise<Record<string, ComposeService>> {
  const text = (await readFile(file, 'utf8')).replace(
    /\$\{(\w+):([?-])(.*?)\}/g,
    (_, name: string, kind: string, fallback: string) => {
      assert.ok(kind === '-' || values[name] !== undefined, `${name} is missing`);
      return values[name] ?? fallback;
    },
  );
  // Compose merges `<<`, as YAML 1.1 does.
  return (load(text, { schema: YAML11_SCHEMA }) as { services: Record<string, ComposeService> }).services;
}

/**
 * Creates what the example's PostgreSQL creates, in the server of the tests: a database, and a role that owns it. Returns
 * the URL for that role.
 */
export async function createExampleDatabase(
  file: string,
  password: string,
): Promise<{ url: string; remove: () => Promise<void> }> {
  const server = await postgresServer();
  assert.ok(typeof server !== 'string', 'PostgreSQL doesn’t run here');
  const connect = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const as = (role: string, database: string) => {
    const url = new URL(server.url(database));
    [url.username, url.password] = [role, password];
    return url.href;
  };
  const administer = async (...statements: string[]): Promise<void> => {
    await connect(server.url('postgres'), async (client) => {
      for (const statement of statements) {
        await client.query(statement);
      }
    });
  };
  await administer(`CREATE ROLE administrator SUPERUSER LOGIN PASSWORD '${password}'`);
  const [first = '', ...lines] = (await readFile(file, 'utf8')).replaceAll(/^--.*\n/gm, '').split('\n');
  assert.equal(first, '\\getenv password POSTGRES_PASSWORD');
  await connect(as('administrator', 'postgres'), async (client) => {
    for (const line of lines) {
      await client.query(line.replace(":'password'", `'${password}'`));
    }
  });
  await assert.rejects(connect(as('administrator', 'postgres'), async () => undefined));
  const url = as('docs_agent', 'docs_agent');
  const rights = await connect(url, async (client) => {
    const { rows } = await client.query<Record<string, unknown>>(
      'SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user',
    );
    return Object.values(rows[0] ?? {});
  });
  assert.deepEqual(rights, [false, false, false, false, false]);
  return {
    url,
    remove: () =>
      administer('DROP DATABASE docs_agent WITH (FORCE)', 'DROP ROLE docs_agent', 'DROP ROLE administrator'),
  };
}
