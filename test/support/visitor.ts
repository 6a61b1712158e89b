/** Somebody in a browser without a browser: forms, the cookies that answers set, and what a browser says of where a form comes from. */
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { openSession } from '../../control-plane/platform/web/http/auth/session.ts'
import type { Answer, TestApp } from './app.ts'

export type Visitor = {
  cookies: Map<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Answer>
}

export const visitorOf = ({ url }: TestApp, cookies = new Map<string, string>()): Visitor => {
  const send = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      body: undefined,
    }
  }
  return {
    cookies,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, fields = {}, headers = {}) =>
      send(
        'POST',
        path,
        { origin: url, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(fields).toString(),
      ),
  }
}

/** Signed in with a key: the test's owner's unless told otherwise. */
export const signedIn = async (t: Test, plane: TestApp, key = plane.apiKey): Promise<Visitor> => {
  const visitor = visitorOf(plane)
  const answer = await visitor.post('/sign-in', { key })
  t.equal(answer.status, 303, answer.text)
  return visitor
}

/** Signed in as themselves, not with a key. */
export const signedInAs = async (plane: TestApp, userId: string): Promise<Visitor> => {
  const { app, accountId } = plane
  const session = { accountId, userId, apiKeyId: null, address: '127.0.0.1', browser: 'test' }
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(await openSession(app, session)) ?? []
  return visitorOf(plane, new Map([[name, value]]))
}

/** `fetch` does not let a caller say the host. */
export const hosted = async (
  { url }: TestApp,
  path: string,
  host: string,
): Promise<{ status: number; text: string }> => {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { headers: { host } }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
        resolve({ status: answer.statusCode ?? 0, text: text.toString() })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
