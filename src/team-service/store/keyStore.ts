import { createHash, randomBytes } from 'node:crypto';
import type { AuthScope, Keys } from '../../local-service/http/authentication';
import { bearerToken } from '../../local-service/http/authentication';
import type { Query } from '../../local-service/store/database';

/** Which requests a key allows: all to its projects, only those that change nothing, or only those for metrics. */
export const ROLES = ['admin', 'read', 'metrics'] as const;
export type Role = (typeof ROLES)[number];

/** 256 random bits in hexadecimal digits, with a prefix so that a key is recognized wherever it appears. */
const KEY = /^team_[0-9a-f]{64}$/;

const ADD = `
  INSERT INTO api_keys (id, hash, role, projects, created_at, expires_at) VALUES ($1, $2, $3, $4, now_ms(), $5)`;

const LIST = `
  SELECT id, role, projects, created_at, expires_at, revoked_at, coalesce(expires_at <= now_ms(), false) AS is_expired
  FROM api_keys ORDER BY created_at, id`;

/** Returns when it was revoked before; null if it wasn't. */
const REVOKE = `
  UPDATE api_keys SET revoked_at = coalesce(before.revoked_at, now_ms())
  FROM (SELECT id, revoked_at FROM api_keys WHERE id = $1 FOR UPDATE) AS before
  WHERE api_keys.id = before.id RETURNING before.revoked_at`;

const FIND = `
  SELECT role, projects FROM api_keys
  WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now_ms())`;

/** What is known of a key. Times are milliseconds since the epoch. */
export interface KeyRecord {
  id: string;
  role: Role;
  projects: string[];
  createdAt: number;
  expiresAt: number | null;
  state: 'valid' | 'expired' | 'revoked';
}

/**
 * The keys of the service. Only their hashes are stored. A key that is revoked or has expired is refused from then on,
 * and its open streams send nothing more.
 */
export class KeyStore implements Keys {
  constructor(private readonly database: Query) {}

  /** Returns the new key, which can't be read again. */
  async create(key: { role: Role; projects: readonly string[]; expiresAt?: number | undefined }) {
    const [id, secret] = [randomBytes(4).toString('hex'), `team_${randomBytes(32).toString('hex')}`];
    await this.database.query(ADD, [id, keyHash(secret), key.role, key.projects, key.expiresAt ?? null]);
    return { id, key: secret };
  }

  async list(): Promise<KeyRecord[]> {
    return (await this.database.query(LIST)).map((row) => ({
      id: row['id'] as string,
      role: row['role'] as Role,
      projects: row['projects'] as string[],
      createdAt: row['created_at'] as number,
      expiresAt: row['expires_at'] as number | null,
      state: row['revoked_at'] !== null ? 'revoked' : row['is_expired'] === true ? 'expired' : 'valid',
    }));
  }

  /** Returns when it was revoked before, null if it wasn't, and undefined if there is no such key. */
  async revoke(id: string): Promise<number | null | undefined> {
    const [row] = await this.database.query(REVOKE, [id]);
    return row?.['revoked_at'] as number | null | undefined;
  }

  async find(authorization: string | undefined): Promise<AuthScope | undefined> {
    const presented = bearerToken(authorization) ?? '';
    // Anything that can't be a key is refused without a query.
    const [row] = KEY.test(presented) ? await this.database.query(FIND, [keyHash(presented)]) : [];
    if (row === undefined) {
      return undefined;
    }
    const [role, projects] = [row['role'] as Role, row['projects'] as string[]];
    return {
      opens: (projectId) => role !== 'metrics' && projects.includes(projectId),
      isServiceWide: role === 'metrics',
      mayWrite: role === 'admin',
      isStillValid: async () => (await this.find(authorization)) !== undefined,
    };
  }
}

/** A key has 256 random bits, so a plain hash can't be reversed, and looking it up by time reveals nothing. */
function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
