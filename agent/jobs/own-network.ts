/**
 * Keeps failures of this agent's own network from being told as failures of its targets. A failure in which somebody answered,
 * or of a target on this machine, passes at once. One in which nobody did is held while the control plane and, where that does
 * not decide, the name servers are asked: for a round trip where they answer, for 3 s where nobody does.
 */
import type { Job } from '../../protocol/job.ts'
import type { Observation } from '../../protocol/result.ts'
import type { Io } from '../net/io.ts'
import { type ControlPlaneAddress, controlPlaneQuestion } from '../own-network/ask-control-plane.ts'
import { nameServersQuestion } from '../own-network/ask-name-servers.ts'
import { contactedHost, isOnThisMachine } from '../own-network/contacted-host.ts'
import {
  type Evidence,
  type NameServers,
  type Neighbour,
  type Silence,
  verdictOf,
} from '../own-network/evidence.ts'
import { createRecentTargets, type RecentTargets } from '../own-network/recent-targets.ts'
import type { RouteTables } from '../own-network/route-tables.ts'
import { ownNetworkSentence } from '../own-network/sentence.ts'
import { sharedQuestion } from '../own-network/shared-question.ts'
import { isAnswer, silenceOf } from '../own-network/silence-of.ts'
import { type RouteWatch, watchRoutes } from '../own-network/watch-routes.ts'
import type { RunResult } from './run-job.ts'

export type OwnNetwork = {
  /** A run begins. The function that comes back takes its result once, and gives the one to tell. */
  begin(job: Job): (result: RunResult) => Promise<RunResult>
  /** An answer of the control plane has come. */
  heard(): void
}

export type OwnNetworkOptions = {
  /** `readRoutes`: the kernel's routes, where it tells them. */
  io: Io & { readRoutes(): RouteTables }
  controlPlane: ControlPlaneAddress
  /** A failure was not told as one. */
  onJudged(): void
}

type State = OwnNetworkOptions & {
  routes: RouteWatch
  targets: RecentTargets
  askControlPlane(since: number): Promise<Neighbour>
  askNameServers(since: number): Promise<NameServers>
  knowsNameServers: boolean
  heardAt: number | null
}

export const createOwnNetwork = (options: OwnNetworkOptions): OwnNetwork => {
  const { io, controlPlane } = options
  const targets = createRecentTargets(io.clock)
  const state: State = {
    ...options,
    routes: watchRoutes(io),
    targets,
    askControlPlane: sharedQuestion(controlPlaneQuestion(controlPlane, io), io.clock),
    askNameServers: sharedQuestion(nameServersQuestion(io, targets.names), io.clock),
    knowsNameServers: false,
    heardAt: null,
  }
  return {
    begin: (job) => {
      const began = io.clock.monotonic()
      state.routes.begin()
      return (result) => settle(state, { host: contactedHost(job), began }, result).finally(state.routes.end)
    },
    heard: () => {
      state.heardAt = io.clock.monotonic()
    },
  }
}

/** `host`: whom it spoke to first; `began` on the monotonic clock. */
type Run = { host: string; began: number }

const settle = async (state: State, run: Run, result: RunResult): Promise<RunResult> => {
  if (result.outcome.kind !== 'observed' || isOnThisMachine(run.host)) return result
  const { observation } = result.outcome
  const silence = silenceOf(observation, run.host)
  if (silence === null) {
    if (isAnswer(observation)) answered(state, run)
    return result
  }
  state.targets.silent(run.host)
  const { isOwn, evidence } = await judge(state, run, silence)
  if (!isOwn) {
    state.targets.isDown(run.host)
    return result
  }
  state.onJudged()
  return { ...result, outcome: { kind: 'could-not-run', reason: reasonOf(state, evidence, observation) } }
}

/** While all is well is the time to learn whether name servers answer at all. */
const answered = (state: State, { host }: Run): void => {
  state.targets.passed(host)
  state.routes.works()
  if (state.knowsNameServers) return
  state.knowsNameServers = true
  state.askNameServers(Number.NEGATIVE_INFINITY)
}

const judge = async (
  state: State,
  { host, began }: Run,
  silence: Silence,
): Promise<{ isOwn: boolean; evidence: Evidence }> => {
  const asked: Pick<Evidence, 'controlPlane' | 'nameServers'> = {
    controlPlane: 'unasked',
    nameServers: 'unasked',
  }
  const failedAt = state.io.clock.monotonic()
  while (true) {
    const evidence: Evidence = {
      silence,
      routes: state.routes.since(began),
      others: state.targets.others(host, began),
      ...asked,
    }
    const verdict = verdictOf(evidence)
    if (verdict === 'ask-control-plane') asked.controlPlane = await state.askControlPlane(failedAt)
    else if (verdict === 'ask-name-servers') asked.nameServers = await state.askNameServers(failedAt)
    else return { isOwn: verdict === 'own-network', evidence }
  }
}

const reasonOf = ({ io, heardAt }: State, evidence: Evidence, { failure }: Observation): string => {
  const silentForMs = heardAt === null ? null : io.clock.monotonic() - heardAt
  return ownNetworkSentence({ evidence, failure, silentForMs }).slice(0, 4096)
}
