/** That a request comes from Slack: HMAC-SHA-256 of its time and body under the app's signing secret (Slack's "v0" scheme). Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** What was sent longer ago was recorded and is sent again. */
const replayMs = 5 * 60_000

type Signature = { timestamp: string; given: Buffer }

/** What the headers say, which is enough to refuse most before their body is read; null: nothing that Slack sends now. */
export const slackSignature = (
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): Signature | null => {
  const timestamp = headers['x-slack-request-timestamp'] ?? ''
  const given = /^v0=([0-9a-f]{64})$/.exec(headers['x-slack-signature'] ?? '')?.[1]
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > replayMs) return null
  return given === undefined ? null : { timestamp, given: Buffer.from(given, 'hex') }
}

export const isSignatureOf = ({ timestamp, given }: Signature, body: Buffer, secret: string): boolean =>
  timingSafeEqual(given, createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest())
