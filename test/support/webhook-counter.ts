import { localHttp } from './local-http.ts'
import type { Teardown } from './programs.ts'

export type Arrival = {
  checkId: string
  alertType: string
  /** Of the message: the same for every copy of it, and for all that it names. */
  id: string
  resultId: string
  /** Epoch milliseconds. */
  at: number
}

export type WebhookCounter = {
  origin: string
  /** Of each check that a message names, in the order they came in. */
  arrivals: Arrival[]
  /** Called with how many arrived, before the answer is sent. */
  onArrival(look: (count: number) => void): void
}

/** A receiver of default webhook bodies that writes down what arrives and answers at once. */
export const webhookCounter = async (t: Teardown): Promise<WebhookCounter> => {
  const arrivals: Arrival[] = []
  let looking: (count: number) => void = () => {}
  const origin = await localHttp(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const told = { id: String(request.headers['x-service-notification-id']), at: Date.now() }
    for (const one of body.members ?? [body])
      arrivals.push({
        ...told,
        checkId: one.check_id,
        alertType: one.alert_type,
        resultId: one.check_result_id,
      })
    looking(arrivals.length)
    response.end('ok')
  })
  return {
    origin,
    arrivals,
    onArrival: (look) => {
      looking = look
    },
  }
}
