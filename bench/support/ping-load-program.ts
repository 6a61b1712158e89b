/**
 * A client in a process of its own: `node ping-load-program.ts <origin> <connections> <requests> <paths, as JSON>`. GETs
 * the paths in turn over kept-alive connections, one request at a time on each; prints one line of JSON when every answer
 * was a 200. Written on bare sockets, so that it costs less than what it measures.
 */
import net from 'node:net'

const [origin = '', connections = '1', requests = '1', json = '["/"]'] = process.argv.slice(2)
const { hostname, port, host } = new URL(origin)
const paths = JSON.parse(json) as string[]
const total = Number(requests)
const latencies = new Float64Array(total)
let sent = 0

const connection = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname)
    socket.setNoDelay(true)
    let received = ''
    let index = 0
    let startedAt = 0
    const next = (): void => {
      if (sent >= total) {
        socket.end()
        resolve()
        return
      }
      index = sent
      sent += 1
      startedAt = performance.now()
      socket.write(
        `GET ${paths[index % paths.length]} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: curl/8.5.0\r\n\r\n`,
      )
    }
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      if (!received.startsWith('HTTP/1.1 200')) return reject(new Error(received.slice(0, 500)))
      latencies[index] = performance.now() - startedAt
      received = received.slice(headEnd + 4 + length)
      next()
    })
  })

const startedAt = performance.now()
await Promise.all(Array.from({ length: Number(connections) }, connection))
const seconds = (performance.now() - startedAt) / 1000
latencies.sort()
const at = (share: number): number => latencies[Math.min(total - 1, Math.floor(total * share))] ?? 0
process.stdout.write(`${JSON.stringify({ perSecond: total / seconds, p50Ms: at(0.5), p99Ms: at(0.99) })}\n`)
