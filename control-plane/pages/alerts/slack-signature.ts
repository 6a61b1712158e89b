/** That a request comes from Slack: HMAC-SHA-256 of its time and body under the app's signing secret (Slack's "v0" scheme). Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** What was sent longer ago was recorded and is sent again. */
const replayMs = 5 * 60_000

type SignedRequest = { timestamp: string | undefined; signature: string | undefined; body: Buffer }

export const isFromSlack = (
  { timestamp = '', signature = '', body }: SignedRequest,
  secret: string,
  now: number,
): boolean => {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > replayMs) return false
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest()
  const given = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1]
  return given !== undefined && timingSafeEqual(Buffer.from(given, 'hex'), expected)
}
