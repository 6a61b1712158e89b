import type { Dispatcher } from 'undici'
import type { Io } from '../net/io.ts'
import type { PostFallback } from './fallback-webhook.ts'

const answerWithinMs = 10_000

/** Posts to the operator's address, as the control plane is reached: through the operator's proxy, trusting whom the operator trusts. */
export const createPostFallback = (
  address: string,
  { dispatcher, clock }: { dispatcher: Dispatcher } & Pick<Io, 'clock'>,
): PostFallback => {
  const url = new URL(address)
  const credentials =
    url.username === '' && url.password === ''
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`,
        }
  return async (body, headers) => {
    const deadline = new AbortController()
    const cancel = clock.at(answerWithinMs, () => deadline.abort(new Error('no answer')))
    try {
      const response = await dispatcher.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { ...credentials, ...headers },
        body,
        signal: deadline.signal,
      })
      await response.body.dump()
      return response.statusCode
    } catch {
      // Whatever it was, nobody was told: the caller says so, and nothing of an address that may be a secret.
      return 0
    } finally {
      cancel()
    }
  }
}
