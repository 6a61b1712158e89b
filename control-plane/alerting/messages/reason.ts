/**
 * Why a check is not well, as a colleague would say it: of the one text that results, alerts and groups of errors keep. What no rule
 * here knows is said as it is. Pure.
 */
import { readAssertionSentence } from '../../../protocol/assertion-sentence.ts'
import { englishSpeech, type Speech } from '../../platform/web/html/speech.ts'
import { type Reason, reasonOfAssertion, shownMs } from './reason-of-assertion.ts'

type Rule = { pattern: RegExp; text: string; valuesOf?: (found: readonly string[]) => Reason['values'] }

const unitMs: { readonly [unit: string]: number } = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** A host with its port, its address and the proxy on the way to it. */
const endpoint = String.raw`(\S+(?: \([^()]*\))?(?: through the proxy \S+)?)`
const sentence = (parts: readonly string[]): RegExp => new RegExp(`^${parts.join(endpoint)}$`, 's')

/** By the sentences of agents and of the control plane; a part of a sentence is what stands between two endpoints. */
const rules: readonly Rule[] = [
  {
    pattern: sentence([String.raw`The response time of (\d+) ms is over the limit of (\d+) ms`]),
    text: 'Took {0}, more than {1}',
    valuesOf: ([took, limit]) => [shownMs(Number(took)), shownMs(Number(limit))],
  },
  { pattern: sentence([String.raw`The server answered with status (\d+)`]), text: 'Status {0}' },
  {
    pattern: sentence([String.raw`No ping for (\d+) (second|minute|hour|day)s?`]),
    text: 'No ping for {0}',
    valuesOf: ([count, unit]) => [{ ms: Number(count) * (unitMs[unit ?? ''] ?? 0) }],
  },
  { pattern: sentence(['No ping came before the end of the grace period']), text: 'No ping in time' },
  { pattern: sentence(['', ' refused the connection after .*']), text: '{0} refused the connection' },
  { pattern: sentence(['', ' did not answer the connection after .*']), text: '{0} did not answer' },
  {
    pattern: sentence(['', String.raw` had not answered when the limit of ([\d.]+ s) was over`]),
    text: '{0}: no answer within {1}',
  },
  {
    pattern: sentence([
      '',
      String.raw` had not accepted the connection when the limit of ([\d.]+ s) was over`,
    ]),
    text: '{0}: no connection within {1}',
  },
  {
    pattern: sentence(['', String.raw` was still sending its answer when the limit of ([\d.]+ s) was over`]),
    text: '{0}: the answer was not complete within {1}',
  },
  {
    pattern: sentence([
      String.raw`The address of (\S+) was still being looked up when the limit of ([\d.]+ s) was over`,
    ]),
    text: 'The name {0} was not found within {1}',
  },
  {
    pattern: sentence([String.raw`The name (\S+) does not exist or has no address`]),
    text: 'The name {0} does not exist or has no address',
  },
  {
    pattern: sentence([String.raw`The name server did not answer for (\S+) after .*`]),
    text: 'The name server did not answer for {0}',
  },
  {
    pattern: sentence([String.raw`The name server answered (SERVFAIL|REFUSED) for ([^\s:]+).*`]),
    text: 'The name server answered {0} for {1}',
  },
  {
    pattern: sentence(['', ' closed the connection without an answer after .*']),
    text: '{0} closed the connection without an answer',
  },
  {
    pattern: sentence(['', ' closed the connection in the middle of its answer after .*']),
    text: '{0} closed the connection in the middle of its answer',
  },
  {
    pattern: sentence(['', ' closed the connection during the TLS handshake after .*']),
    text: '{0} closed the connection during the TLS handshake',
  },
  {
    pattern: sentence(['There is no route to ', ', or a firewall .*']),
    text: 'There is no route to {0}, or a firewall is in between',
  },
  {
    pattern: sentence(['The network of ', ' cannot be reached']),
    text: 'The network of {0} cannot be reached',
  },
  { pattern: sentence(['The certificate of ', ' has expired']), text: 'The certificate of {0} has expired' },
  {
    pattern: sentence(['The certificate of ', ' is not valid yet']),
    text: 'The certificate of {0} is not valid yet',
  },
  {
    pattern: sentence(['The certificate of ', ' is self-signed']),
    text: 'The certificate of {0} is self-signed',
  },
  {
    pattern: sentence(['The certificate of ', String.raw` is for another name than (\S+)`]),
    text: 'The certificate of {0} is for another name than {1}',
  },
  {
    pattern: sentence(['The issuer of the certificate of ', ' is not trusted.*']),
    text: 'The issuer of the certificate of {0} is not trusted',
  },
  {
    pattern: sentence([String.raw`(\S+) answered none of (\d+) pings within .*`]),
    text: '{0} answered none of {1} pings',
  },
  {
    pattern: sentence([String.raw`(\d+) of (\d+) pings of (\S+) were lost within .*`]),
    text: '{0} of {1} pings of {2} were lost',
  },
  {
    pattern: sentence([String.raw`The name server (\S+) answered ([A-Z]+) for (\S+) ([A-Z]+)`]),
    text: '{0} answered {1} for {2} {3}',
  },
]

/** Longer texts are logs, not sentences. */
const longest = 20_000

/** Null: no rule knows it. */
export const reasonIn = (error: string): Reason | null => {
  if (error.length > longest) return null
  const assertion = readAssertionSentence(error)
  if (assertion !== null) return reasonOfAssertion(assertion)
  for (const { pattern, text, valuesOf } of rules) {
    const found = pattern.exec(error)?.slice(1)
    if (found !== undefined) return { text, values: valuesOf?.(found) ?? found }
  }
  return null
}

/** For messages. */
export const reasonInWords = (error: string, speech = englishSpeech): string => {
  const reason = reasonIn(error)
  return reason === null ? error : written(reason, speech)
}

const written = ({ text, values }: Reason, speech: Speech): string =>
  speech.said(
    text,
    ...values.map((value) => {
      if (typeof value === 'string') return value
      return 'ms' in value ? speech.duration(value.ms) : written(value, speech)
    }),
  )
