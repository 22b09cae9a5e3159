import type { JobStore } from '../../jobs/jobStore';
import type { Logger } from '../../shared/util/logger';
import type { Milestones } from '../milestones';
import type { ApiKeys } from '../services/apiKeys';
import type { LocalAccess } from '../services/localAccess';
import type { ServiceAccess } from '../services/serviceAccess';
import { settings } from '../settings';
import { askForAddress, askForFolder, askForKey, askForProjectId, askForScope } from './askHosted';
import { askAtObstacle, askForAgent } from './askLocal';
import { askForService } from './askService';
import { type Place, askToWait } from './boxes';
import type { Facts, Flow } from './flow';
import { stepsOf } from './flow';
import { findAgents } from './local';
import { CANCEL, type Move } from './move';

export interface AskOptions {
  access: ServiceAccess;
  localAccess: LocalAccess;
  localAvailable: boolean;
  keys: ApiKeys;
  store: JobStore;
  milestones: Milestones;
  log: Logger;
}

/** Shows the box of the present step. */
export async function ask({ localAccess }: AskOptions, flow: Flow, facts: Facts): Promise<Move> {
  const place = placeOf(flow, facts);
  switch (flow.step) {
    case 'service':
      return askForService(flow, facts, settings.usesLocalService() ? 'local' : 'hosted', place);
    case 'address':
      return askForAddress(flow, place);
    case 'folder':
      return askForFolder(flow, facts, place);
    case 'project':
      return askForProjectId(flow, facts, place);
    case 'scope':
      return askForScope(flow, facts, place);
    case 'key':
      return askForKey(flow, facts, place);
    case 'agent':
      return askAmongAgents(localAccess, flow, place);
    case 'obstacle': {
      const problem = flow.problem ?? facts.blocked;
      return problem === undefined ? { way: 'retry', change: {} } : askAtObstacle(flow, facts, problem, place);
    }
  }
}

/** The check counts as the last step. */
export function placeOf(flow: Flow, facts: Facts, isCheck = false): Place {
  const steps = stepsOf(flow, facts);
  const totalSteps = steps.length + 1;
  return { title: '', step: isCheck ? totalSteps : steps.indexOf(flow.step) + 1, totalSteps };
}

/** Only the service on this machine can tell; it is started if need be. */
async function askAmongAgents(localAccess: LocalAccess, flow: Flow, place: Place): Promise<Move> {
  const { title, work } = findAgents(localAccess);
  const left = await askToWait({ ...place, title }, work);
  if (left?.value === undefined) {
    return left === undefined ? CANCEL : { way: 'back', change: {} };
  }
  return 'problem' in left.value
    ? { way: 'failed', problem: left.value.problem }
    : askForAgent(flow, left.value.answer, place);
}
