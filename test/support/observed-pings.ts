/** Ping checks in a network of their own; what is observed holds to the wire's schemas. */
import type { Test } from 'tap'
import { IcmpSpec } from '../../protocol/checks/icmp.ts'
import { IcmpCheckResult } from '../../protocol/checks/icmp-result.ts'
import { Observation } from '../../protocol/result.ts'
import { compile } from '../../protocol/validate.ts'
import { type LabRan, type LabRun, labProblem, type Permission, runInLab } from './ping-lab.ts'

const validSpec = compile(IcmpSpec)
const validObservation = compile(Observation)
const validDetail = compile(IcmpCheckResult)

export type Change = Partial<IcmpSpec['request']> & Partial<Omit<IcmpSpec, 'request'>>

const specOf = ({
  degradedPacketLossThreshold = 10,
  maxPacketLossThreshold = 20,
  shouldFail = false,
  ...request
}: Change = {}): IcmpSpec => ({
  request: { hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 2, assertions: [], ...request },
  degradedPacketLossThreshold,
  maxPacketLossThreshold,
  shouldFail,
})

type Case = Omit<LabRun, 'spec'> & { change?: Change }

/** Runs the checks in a namespace of their own; holds each observation to the wire's schemas. */
export const observe = (t: Test, permission: Permission, cases: Case[], prepare: string[] = []) => {
  const runs = cases.map(({ change, ...more }) => ({ fast: true, ...more, spec: specOf(change) }))
  for (const { spec } of runs) t.match(validSpec(spec), { ok: true })
  return runInLab(permission, runs, prepare).ran.map((ran) => {
    t.equal(ran.leakedDescriptors, 0, 'no socket stays open')
    return ran
  })
}

export const seen = (t: Test, { outcome }: LabRan) => {
  if (outcome.kind !== 'observed') throw new Error(`${outcome.kind}: ${JSON.stringify(outcome)}`)
  const { observation } = outcome
  t.match(validObservation(observation), { ok: true })
  const detail = observation.detail as IcmpCheckResult
  t.match(validDetail(detail), { ok: true })
  return { ...observation, detail, response: detail.response }
}

/** Why no such network can be made here; false: it can. */
export const skip = labProblem() ?? false
