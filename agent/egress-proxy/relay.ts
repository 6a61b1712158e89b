import type { Socket } from 'node:net'
import type { Session } from './dial.ts'

/** Carries bytes both ways, each as fast as the slower end takes them, until both have said it all or one breaks off. */
export const relay = (client: Socket, target: Socket, session: Session): void => {
  const both = [client, target]
  for (const [from, to] of [both, both.toReversed()] as [Socket, Socket][]) {
    from.on('data', (part: Buffer) => count(part.length, session))
    from.pipe(to)
    from.once('error', () => to.destroy())
    from.once('close', () => to.destroySoon())
  }
}

/** Counts what has passed; a run that has used up its allowance loses all its connections. */
export const count = (bytes: number, { allowance, sockets, tell }: Session): void => {
  const refusal = allowance.spend(bytes)
  if (refusal === null) return
  tell('WARN', refusal)
  for (const socket of sockets) socket.destroy()
}
