import { type Told, tell } from '../../../platform/words/told.ts'
import type { Facts } from '../facts.ts'
import type { Evidence, ReferenceLink } from '../schema.ts'

/**
 * One thing that can be wrong. `applies` looks at facts only; the sentences are for a person on call: what broke, who
 * notices, what to look at first. A rule says no more than the facts do.
 */
export type Rule = {
  id: string
  classification: string
  applies: (facts: Facts) => boolean
  rootCause: (facts: Facts) => Told
  userImpact: (facts: Facts) => Told
  /** The first things to look at and do. */
  fix: (facts: Facts) => Told
  evidence?: (facts: Facts) => Evidence[]
  links?: ReferenceLink[]
}

export const rfc = (number: number, section: string, title: string): ReferenceLink => ({
  url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
  title: `RFC ${number} section ${section}: ${title}`,
})

export const artifact = {
  request: { name: 'HTTP_REQUEST', type: 'REQUEST' },
  response: { name: 'HTTP_RESPONSE', type: 'RESPONSE' },
  timings: { name: 'TIMING_PHASES', type: 'TIMINGS' },
  certificate: { name: 'CERTIFICATE', type: 'CERTIFICATE' },
  assertions: { name: 'ASSERTIONS', type: 'ASSERTIONS' },
  redirects: { name: 'REDIRECTS', type: 'REQUEST' },
  metrics: { name: 'METRICS', type: 'TIMINGS' },
  log: { name: 'RUN_LOG', type: 'LOG' },
} as const

export const evidence = (description: string, ...artifacts: Evidence['artifacts']): Evidence => ({
  description,
  artifacts,
})

export const nobodyGetsIn = (what: string): Told => tell`Users cannot reach ${what} at all.`
