import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from './enforce-rate-limit.ts'
import type { Access, Input } from './route.ts'
import type { ValidInput } from './validate.ts'
import type { WaitSignals } from './waiting.ts'

type Exchange = { request: IncomingMessage; response: ServerResponse; waiting: WaitSignals }

/** The signal is made only for handlers that look at it: few wait, and it costs more than the rest of the input. */
export const inputOf = (
  { params, query, body }: ValidInput,
  principal: Principal,
  { request, response, waiting }: Exchange,
) =>
  ({
    params,
    query,
    body,
    principal,
    headers: request.headers,
    upload: request,
    get signal() {
      return waiting.signalFor(response)
    },
  }) as unknown as Input<never, never, never, Access>
