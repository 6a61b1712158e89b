/** What the checks of a container look at: servers of this machine that listen on every address. */
import dgram from 'node:dgram'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { decode, encode } from 'dns-packet'
import type { Test } from 'tap'
import { address } from './name-server.ts'

export type Targets = {
  http: number
  tcp: number
  dns: number
  /** Requests of `/slow` that wait for their answer. */
  waiting: (() => void)[]
}

const page = `<!doctype html><title>Shop</title><h1>Shop</h1><form action="/account"><input name="name"><button>Sign in</button></form>`

const portOf = (server: net.Server): number => (server.address() as AddressInfo).port

const listen = async (t: Test, server: net.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  t.teardown(() => server.close())
  return portOf(server)
}

/** `/` is a page, `/account` what its form leads to, `/slow` answers when the test says so. */
export const containerTargets = async (t: Test): Promise<Targets> => {
  const waiting: (() => void)[] = []
  const web = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    if (request.url === '/slow') waiting.push(() => response.end('at last'))
    else response.end(request.url?.startsWith('/account') ? '<h1>Account</h1>' : page)
  })
  t.teardown(() => web.closeAllConnections())
  const tcp = net.createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', () => socket.end('PONG 7\n'))
  })
  const dns = dgram.createSocket('udp4')
  dns.on('message', (bytes, from) => {
    const { id = 0, questions = [] } = decode(bytes)
    const answers = [address('shop.example', '192.0.2.1')]
    dns.send(encode({ type: 'response', id, flags: 0x0180, questions, answers }), from.port, from.address)
  })
  await new Promise<void>((resolve) => dns.bind(0, '0.0.0.0', resolve))
  t.teardown(() => dns.close())
  return { http: await listen(t, web), tcp: await listen(t, tcp), dns: dns.address().port, waiting }
}
