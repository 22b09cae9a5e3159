import {
  type RegisterProject,
  type RegisteredProject,
  localRoutes,
  registeredProjectSchema,
} from '../shared/protocol/localService';
import { parseErrorBody } from '../shared/protocol/errorBody';
import { ServiceError } from '../shared/protocol/serviceError';
import { decodeJson } from '../shared/util/decodeJson';
import type { HttpAnswer, Transport } from './transport';

/** Where the local service listens, and its key. */
export interface LocalTarget {
  baseUrl: string;
  apiKey: string;
}

/** What the local service offers beyond the hosted API. Each throws {@link ServiceError}. */
export class LocalServiceClient {
  constructor(private readonly transport: Transport) {}

  /** Makes the repository that holds a folder a project. */
  async registerProject(target: LocalTarget, project: RegisterProject): Promise<RegisteredProject> {
    const answer = await this.send(target, 'PUT', localRoutes.projects, JSON.stringify(project));
    const parsed = registeredProjectSchema.safeParse(decodeJson(answer.body));
    if (answer.status === 200 && parsed.success) {
      return parsed.data;
    }
    throw refusal(answer);
  }

  /** Asks it to end; resolves when it agreed. */
  async shutdown(target: LocalTarget): Promise<void> {
    const answer = await this.send(target, 'POST', localRoutes.shutdown, '{}');
    if (answer.status !== 202) {
      throw refusal(answer);
    }
  }

  private send(target: LocalTarget, method: 'PUT' | 'POST', path: string, body: string): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${target.apiKey}`, 'content-type': 'application/json' };
    return this.transport.send({ method, url: target.baseUrl + path, headers, body });
  }
}

function refusal(answer: HttpAnswer): ServiceError {
  const { detail } = parseErrorBody(answer.body);
  const kind = answer.status === 401 ? 'unauthorized' : answer.status === 400 ? 'rejected' : 'notUnderstood';
  return new ServiceError(kind, { effect: 'refused', status: answer.status, detail });
}
