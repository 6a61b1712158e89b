import type { Test } from 'tap'
import { httpServer } from './servers.ts'

const page = (title: string, body: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`

/** A shop with a login, a page that is broken in several ways, and requests as they came: `path user-agent`. */
export const shop = async (t: Test, password: string) => {
  const requests: string[] = []
  const server = await httpServer(t, async (request, response) => {
    const { url = '', headers, method } = request
    requests.push(`${method} ${url} ${headers['user-agent']}`)
    response.setHeader('content-type', 'text/html')
    const isMember = headers.cookie?.includes('session=ann') === true
    if (url === '/login' && method === 'POST') {
      let body = ''
      for await (const part of request) body += part
      const isRight = new URLSearchParams(body).get('password') === password
      if (isRight) response.setHeader('set-cookie', 'session=ann-and-her-session')
      response.writeHead(303, { location: isRight ? '/account' : '/' }).end()
    } else if (url === '/account')
      response.end(page('Account', isMember ? '<p>Hello Ann</p>' : '<p>Who?</p>'))
    else if (url === '/broken')
      response.end(
        page(
          'Broken',
          '<img src="/none.png"><script>console.error("oh"); setTimeout(() => { throw new Error("x") })</script>',
        ),
      )
    else if (url === '/api/orders') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ orders: 3, token: headers.authorization ?? null }))
    } else if (url === '/forever') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const more = (): void => {
        while (response.writable && response.write(Buffer.alloc(64 * 1024)));
      }
      response.on('drain', more)
      more()
    } else if (url === '/')
      response.end(
        page(
          'Shop',
          '<form action="/login" method="post"><input name="password" type="password"><button>Sign in</button></form>',
        ),
      )
    else response.writeHead(404).end('nothing')
  })
  return { ...server, requests }
}
