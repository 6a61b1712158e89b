import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientAddress } from '../limits/client-address.ts'
import type { Principal } from '../limits/enforce-rate-limit.ts'
import type { Access, Input } from '../route.ts'
import type { WaitSignals } from '../server/waiting.ts'
import type { ValidInput } from './validate.ts'

type Exchange = {
  request: IncomingMessage
  response: ServerResponse
  waiting: WaitSignals
  addressOf: ClientAddress
}

/** Signal and address are made only for handlers that look at them: few do, and they cost more than the rest of the input. */
export const inputOf = (
  { params, query, body }: ValidInput,
  principal: Principal,
  { request, response, waiting, addressOf }: Exchange,
) =>
  // The route's validators have made them what its types say (route.ts).
  ({
    params,
    query,
    body,
    principal,
    headers: request.headers,
    upload: request,
    get address() {
      return addressOf(request)
    },
    get signal() {
      return waiting.signalFor(response)
    },
  }) as unknown as Input<never, never, never, Access>
