import { localHttp } from './local-http.ts'
import type { Teardown } from './programs.ts'

export type Arrival = {
  checkId: string
  alertType: string
  /** Of the notification: the same for every copy of it. */
  id: string
  resultId: string
  /** Epoch milliseconds. */
  at: number
}

export type WebhookCounter = {
  origin: string
  /** In the order they came in. */
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
    arrivals.push({
      checkId: body.check_id,
      alertType: body.alert_type,
      id: String(request.headers['x-service-notification-id']),
      resultId: body.check_result_id,
      at: Date.now(),
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
