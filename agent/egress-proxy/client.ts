import type { Socket } from 'node:net'
import type { Session } from './dial.ts'

/** `understood` is called once it has said what it wants; `signal` aborts when it has gone. */
export type Client = { socket: Socket; session: Session; signal: AbortSignal; understood(): void }

/** What a client or its target sends must never be an error of this program. */
export const safely = async (
  client: Client,
  serve: (client: Client) => Promise<void> | void,
): Promise<void> => {
  try {
    await serve(client)
  } catch (error) {
    client.session.io.log.warn({ err: error }, 'a connection of a script was given up')
    client.socket.destroy()
  }
}
