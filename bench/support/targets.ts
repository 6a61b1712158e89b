import { once } from 'node:events'
import net from 'node:net'
import { endsWith, startProgram, type Teardown } from '../../test/support/programs.ts'

export type TargetKind = 'http' | 'https' | 'json' | 'hole' | 'full'

/** Starts a target (target-program.ts); resolves with its origin. */
export const startTarget = async (b: Teardown, kind: TargetKind): Promise<string> => {
  const program = endsWith(b, startProgram('bench/support/target-program.ts', { args: [kind] }))
  const [, port] = await program.line(/^port (\d+)$/)
  if (kind === 'full') await fillQueue(b, Number(port))
  return `${kind === 'https' ? 'https' : 'http'}://127.0.0.1:${port}`
}

/** A backlog of 1 holds two connections; the third one's SYN is dropped and stays unanswered. */
const fillQueue = async (b: Teardown, port: number): Promise<void> => {
  for (let held = 0; held < 2; held++) {
    const socket = net.connect(port, '127.0.0.1')
    socket.on('error', () => socket.destroy())
    b.teardown(() => socket.destroy())
    await once(socket, 'connect')
  }
}
