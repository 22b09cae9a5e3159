import type { Logger } from '../../base/logger';
import type { ServiceAbility } from '../../client';
import { LOCAL_SERVICE, type ServiceLocation } from '../../jobs/events';
import { DEFAULT_ORIGIN } from './apiKeys';

const ALL: ReadonlySet<ServiceAbility> = new Set(['follow', 'cancel', 'archive']);
const NONE: ReadonlySet<ServiceAbility> = new Set();

/** What a service is known to have without being asked. */
export function builtInAbilities({ service }: ServiceLocation): ReadonlySet<ServiceAbility> {
  return service === LOCAL_SERVICE ? ALL : NONE;
}

/** How long an answer counts, in milliseconds. */
const MAX_AGE_MS = 600_000;

/** Number of services whose answers are kept. */
const MAX_KNOWN = 20;

/** What each service offers beyond the agent job API. Each hosted one is asked when one of its jobs is looked at. */
export class ServiceAbilities {
  private readonly known = new Map<string, { at: number; abilities: ReadonlySet<ServiceAbility> }>();
  private readonly asking = new Map<string, Promise<ReadonlySet<ServiceAbility>>>();

  constructor(
    private readonly parts: {
      /** Asks the service. The base URL has been checked. */
      read: (home: ServiceLocation) => Promise<ReadonlySet<ServiceAbility>>;
      /** Milliseconds of a monotonic clock. */
      now: () => number;
      log: Logger;
    },
  ) {}

  /** What is known without asking. */
  of(home: ServiceLocation): ReadonlySet<ServiceAbility> {
    return this.known.get(home.baseUrl ?? '')?.abilities ?? builtInAbilities(home);
  }

  /** Asks the service, unless it was asked a short while ago. Keeps what was known if it doesn't answer. */
  async find(home: ServiceLocation): Promise<ReadonlySet<ServiceAbility>> {
    const { service, baseUrl = '' } = home;
    // That one is known to have nothing more, and needs no further request.
    if (service === LOCAL_SERVICE || service === DEFAULT_ORIGIN) {
      return this.of(home);
    }
    if (this.parts.now() - (this.known.get(baseUrl)?.at ?? -Infinity) < MAX_AGE_MS) {
      return this.of(home);
    }
    const asked = this.asking.get(baseUrl) ?? this.ask(home, baseUrl);
    this.asking.set(baseUrl, asked);
    return asked;
  }

  private async ask(home: ServiceLocation, baseUrl: string): Promise<ReadonlySet<ServiceAbility>> {
    const { read, now, log } = this.parts;
    try {
      const abilities = await read(home);
      this.known.delete(baseUrl);
      this.known.set(baseUrl, { at: now(), abilities });
      const [oldest] = this.known.keys();
      if (this.known.size > MAX_KNOWN && oldest !== undefined) {
        this.known.delete(oldest);
      }
      return abilities;
    } catch (error) {
      log.warn('couldn’t find out what a service can do', error);
      return this.of(home);
    } finally {
      this.asking.delete(baseUrl);
    }
  }
}
