import type { Test } from 'tap'
import type { Static, TSchema } from 'typebox'
import { Observation } from '../../protocol/result.ts'
import { compile } from '../../protocol/validate.ts'

const validObservation = compile(Observation)

/** Holds what a runner saw to the wire's schemas, as it would be sent, and gives its detail the type of `Detail`. */
export const fitsProtocol = <T extends TSchema>(Detail: T) => {
  const validDetail = compile(Detail)
  return (t: Test, observation: Observation): Omit<Observation, 'detail'> & { detail: Static<T> } => {
    t.ok(validObservation(JSON.parse(JSON.stringify(observation))).ok, 'the observation fits the protocol')
    const detail = JSON.parse(JSON.stringify(observation.detail)) as Static<T>
    t.same(validDetail(detail), { ok: true, value: detail }, 'the detail fits the protocol')
    return { ...observation, detail }
  }
}
