import http from 'node:http'

export type Load = {
  origin: string
  path: string
  requests: number
  connections: number
  keys: readonly string[]
}

/** GETs a path over kept-alive connections, a key after the other; throws for any answer but 200. */
export const getLoad = async ({ origin, path, requests, connections, keys }: Load): Promise<void> => {
  const { hostname, port } = new URL(origin)
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  let sent = 0
  const one = (key: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` }
      const request = http.get({ hostname, port, path, agent, headers }, (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode}`)),
        )
      })
      request.on('error', reject)
    })
  const work = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1
      await one(keys[sent % keys.length] ?? '')
    }
  }
  await Promise.all(Array.from({ length: connections }, work)).finally(() => agent.destroy())
}
