import { setTimeout as delay } from 'node:timers/promises';
import { installedPrograms, PostgresServer } from './postgresServer';
import { DatabaseRelay } from './storeBackends';

/**
 * Two servers with PostgreSQL's own settings: a primary, whose commits wait for the standby, and a relay in front, which
 * leads to one of them.
 */
export class ReplicatedPostgres {
  private constructor(
    private readonly primary: PostgresServer,
    private readonly standby: PostgresServer,
    private readonly relay: DatabaseRelay,
  ) {}

  /** Creates a database in them as well. */
  static async start(database: string): Promise<ReplicatedPostgres> {
    const primary = await PostgresServer.create(await installedPrograms());
    await primary.start();
    await primary.administer(`CREATE DATABASE ${database}`);
    const standby = await primary.createStandby('standby');
    await standby.start();
    // Without it, the last commits before a fail-over can be lost.
    await primary.administer("ALTER SYSTEM SET synchronous_standby_names = 'standby'", 'SELECT pg_reload_conf()');
    const isSafe = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'";
    while ((await primary.administer(isSafe)).length === 0) {
      await delay(50);
    }
    return new ReplicatedPostgres(primary, standby, await DatabaseRelay.start(primary.url(database)));
  }

  get version(): string {
    return this.primary.version;
  }

  /** The address of the relay. */
  get url(): string {
    return this.relay.url;
  }

  /**
   * The primary is lost, and the relay leads to the standby, which refuses changes.
   *
   * @param isSilent whether its connections just go dead, as if its machine was lost
   */
  async failOver(isSilent: boolean): Promise<void> {
    if (isSilent) {
      this.relay.loseAll();
    }
    await this.primary.crash();
    this.relay.target = this.standby.port;
  }

  /** Makes the standby accept changes. */
  promote(): Promise<void> {
    return this.standby.promote();
  }

  async close(): Promise<void> {
    this.relay.close();
    await Promise.allSettled([this.primary.crash(), this.standby.crash()]);
  }
}
