import type { Observation } from '../../protocol/result.ts'
import { CannotRun } from '../cannot-run.ts'
import type { Io } from '../io.ts'
import { requestFollowing } from '../net/redirects.ts'
import { type ApiJob, apiRequest } from './api-request.ts'
import { httpObservation, unsentObservation } from './http-observation.ts'
import { RequestProblem } from './request-problem.ts'

/** One HTTP request with the variables of its job filled in, judged by its status and assertions. */
export const runApi = async (job: ApiJob, io: Io, signal: AbortSignal): Promise<Observation> => {
  const { request, shouldFail, setupScripts, tearDownScripts } = job.spec
  if (setupScripts.length + tearDownScripts.length > 0)
    throw new CannotRun('This agent cannot run the setup and teardown scripts of API checks')
  const sent = prepared(job, io)
  if (sent instanceof RequestProblem) return unsentObservation(request, sent)
  const { assertions } = request
  return httpObservation(await requestFollowing(sent, io, signal), { assertions, shouldFail })
}

const prepared = (job: ApiJob, io: Io) => {
  try {
    return apiRequest(job, { now: io.clock.now, random: io.random, newId: io.newId })
  } catch (error) {
    if (error instanceof RequestProblem) return error
    throw error
  }
}
