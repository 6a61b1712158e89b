import { isIP } from 'node:net'
import { prepareQuestion, type QueryAttempt, type Reply, tryOnce } from './reply.ts'

/** Asks over UDP. The socket is connected, so that only the server's own datagrams and refusals reach it. */
export const askByDatagram = (attempt: QueryAttempt): Promise<Reply> =>
  tryOnce(attempt, (finish, ignore) => {
    const { address, port } = attempt.server
    const { bytes, judge } = prepareQuestion(attempt)
    const socket = attempt.io.datagrams(isIP(address) === 6 ? 'udp6' : 'udp4')
    const fail = (error: Error): void => finish({ kind: 'error', error })
    socket.on('error', fail)
    socket.on('message', (message) => {
      const reply = judge(message)
      if (reply === 'ignored') ignore()
      else finish(reply)
    })
    socket.once('connect', () => {
      socket.send(bytes, (error) => {
        if (error) fail(error)
      })
    })
    // Without a callback, so that what goes wrong is an 'error' like any other.
    socket.connect(port, address)
    return () => {
      socket.removeAllListeners('connect').removeAllListeners('message')
      socket.close()
    }
  })
