import http from 'node:http'

export type Post = (path: string, body: string) => Promise<unknown>

/** POSTs JSON with a bearer key on a connection of its own that is kept alive; throws for any answer but 2xx. */
export const poster = (origin: string, key: string, agent: http.Agent): Post => {
  const { hostname, port } = new URL(origin)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return (path, body) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(body) }
      const options = { hostname, port, path, method: 'POST', agent, headers: { ...headers, ...length } }
      const request = http.request(options, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          const { statusCode = 0 } = response
          if (statusCode >= 200 && statusCode < 300) resolve(JSON.parse(text))
          else reject(new Error(`${path} answered ${statusCode}: ${text.slice(0, 500)}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
}
