import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Teardown } from './programs.ts'

/** An HTTP server on a free port, for tests and benchmarks; it and its connections are gone at the end. Its origin. */
export const localHttp = async (t: Teardown, listener: http.RequestListener): Promise<string> => {
  const server = http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
