/** A cause as its reader reads it: in their language where it is of our rules, as it was written where it is of others. Pure. */
import type { Content } from '../../platform/web/html/html.ts'
import { say, sayAll, sayTold, withCode } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import type { Told } from '../../platform/words/told.ts'
import type { Cause } from './cause.ts'

const longest = 4000

const shown = (text: string): string => cut(withoutCredentials(text), longest)

/** What targets said may hold what nobody else is to read. */
const safe = (told: Told): Told => ({
  ...told,
  values: told.values.map((value) =>
    typeof value === 'string' ? shown(value) : 'at' in value ? value : safe(value),
  ),
})

type CauseInWords = { rootCause: Content; userImpact: Content; codeFix: Content }

export const causeInWords = ({ analysis, told }: Pick<Cause, 'analysis' | 'told'>): CauseInWords =>
  told === null
    ? {
        rootCause: withCode(shown(analysis.rootCause)),
        userImpact: withCode(shown(analysis.userImpact)),
        codeFix: analysis.codeFix === null ? null : withCode(shown(analysis.codeFix)),
      }
    : {
        rootCause: sayAll(told.rootCause.map(safe)),
        userImpact: sayTold(safe(told.userImpact)),
        codeFix: sayTold(safe(told.codeFix)),
      }

const kinds: { readonly [classification: string]: string } = {
  APPLICATION_ERROR: 'An error of the application',
  ASSERTION_FAILED: 'Not what is expected',
  AUTHENTICATION_ERROR: 'An error of signing in',
  CERTIFICATE_ERROR: 'An error of the certificate',
  CONFIGURATION_ERROR: 'An error of the settings',
  DNS_ERROR: 'An error of name resolution',
  INFRA_ERROR: 'An error of the infrastructure',
  JOB_DID_NOT_RUN: 'The job did not run',
  LOCATION_NETWORK_ERROR: 'An error of the network at the location',
  MONITORING_ERROR: 'An error of the monitoring',
  NETWORK_ERROR: 'An error of the network',
  PAGE_CHANGED: 'The page was changed',
  PERFORMANCE: 'Too slow',
  RATE_LIMITED: 'Too many requests',
  SCRIPT_ERROR: 'An error of the script',
  TIMEOUT: 'Too long',
  TLS_ERROR: 'An error of TLS',
  UNKNOWN: 'Not known',
}

/** Others name kinds as they like. */
export const classificationInWords = (classification: string): Content => {
  const words = Object.hasOwn(kinds, classification) ? kinds[classification] : undefined
  return words === undefined ? classification : say(words)
}
