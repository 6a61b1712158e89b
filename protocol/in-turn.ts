/**
 * The requests of one connection, answered one after the other. HTTP/1.1 lets a client send requests without waiting for
 * answers (pipelining, RFC 9112 section 9.3.2), and Node hands over all that arrive in one read at once: hundreds of
 * answers would be made side by side and kept in memory until the first has been read. Here the next answer is begun when
 * the one before it has been handed to the kernel, after a turn of the event loop for everybody else, and a connection that
 * has sent more than `maxWaiting` requests ahead is closed after those; its client sends the others again (section 9.3.2).
 */

type Request = { socket: { destroyed: boolean } }
type Response = {
  once(event: 'close', listener: () => void): unknown
  /** False: the connection is closed after this answer. */
  shouldKeepAlive: boolean
}

type Handler<Q, S> = (request: Q, response: S) => void

/** `nextTurn` is `setImmediate`. */
type Bounds = { maxWaiting: number; nextTurn(task: () => void): void }

type Line<Q, S> = { waiting: Array<{ request: Q; response: S }>; isClosing: boolean }

export const inTurn = <Q extends Request, S extends Response>(
  handler: Handler<Q, S>,
  { maxWaiting, nextTurn }: Bounds,
): Handler<Q, S> => {
  const lines = new WeakMap<object, Line<Q, S>>()

  const begin = (line: Line<Q, S>, request: Q, response: S): void => {
    response.once('close', () => {
      // Nobody is there any more for those that wait.
      const next = request.socket.destroyed ? undefined : line.waiting.shift()
      if (next === undefined) lines.delete(request.socket)
      else nextTurn(() => begin(line, next.request, next.response))
    })
    handler(request, response)
  }

  return (request, response) => {
    const line = lines.get(request.socket)
    if (line === undefined) {
      const own = { waiting: [], isClosing: false }
      lines.set(request.socket, own)
      begin(own, request, response)
    } else if (!line.isClosing) {
      line.waiting.push({ request, response })
      line.isClosing = line.waiting.length >= maxWaiting
      if (line.isClosing) response.shouldKeepAlive = false
    }
  }
}
