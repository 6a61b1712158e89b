import type { Socket } from 'node:net'
import { type Client, safely } from './client.ts'
import type { Session } from './dial.ts'
import { readMessage } from './read-message.ts'
import { startHttp } from './serve-http.ts'
import { serveSocks } from './serve-socks.ts'

/** One client, from its first byte to its end, within what its run may still use. */
export const serveClient = (socket: Socket, session: Session): void => {
  const { allowance, sockets, limits, io, tell } = session
  const refusal = allowance.take()
  if (refusal !== null) {
    tell('WARN', refusal)
    socket.destroy()
    return
  }
  const gone = new AbortController()
  const late = io.clock.at(limits.greetingMs, () => socket.destroy())
  sockets.add(socket)
  socket.setTimeout(limits.idleMs, () => socket.destroy())
  socket.once('close', () => {
    late()
    sockets.delete(socket)
    allowance.giveBack()
    gone.abort()
  })
  void safely({ socket, session, signal: gone.signal, understood: late }, talk)
}

const talk = async (client: Client): Promise<void> => {
  const { socket } = client
  const first = await readMessage(socket, ([byte]) => ({ value: byte as number, length: 0 }), 1)
  if (first === 5) await serveSocks(client)
  else if (first !== null && first >= 0x41 && first <= 0x5a) startHttp(client)
  else socket.destroy()
}
