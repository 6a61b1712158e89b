// Runs in test:all only: it loads hundreds of packages.
/** The packages of runtimes/2026-04 as scripts use them; `npm run runtime 2026-04` installs them. */
import t from 'tap'
import { findRuntimes, installedModules, ownRuntimes } from '../../../agent/sandbox/runtimes.ts'
import { agentIo } from '../../support/agent-io.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'

const run = runScriptWith(agentIo())
const runtime = findRuntimes(ownRuntimes).find(({ id }) => id === '2026.04')!
const skip = installedModules(runtime) === null && 'the packages of runtimes/2026-04 are not installed'

t.test('the packages that scripts use most do their work', { skip }, async (t) => {
  const { lines, problem } = await run(`
console.log(require('moment').utc(0).add(1, 'day').format('YYYY-MM-DD'), require('lodash').chunk([1, 2, 3], 2).length)
const { v5, validate, v4 } = require('uuid')
console.log(v5('a', v5.URL), validate(v4()))
const CryptoJS = require('crypto-js')
console.log(CryptoJS.HmacSHA256('a', 'key').toString(), CryptoJS.AES.decrypt(CryptoJS.AES.encrypt('b', 'k'), 'k').toString(CryptoJS.enc.Utf8))
const jwt = require('jsonwebtoken')
console.log(jwt.verify(jwt.sign({ sub: 'ann' }, 'key', { algorithm: 'HS256' }), 'key').sub)
const { SignJWT, jwtVerify } = await import('jose')
const key = Buffer.alloc(32, 1)
const token = await new SignJWT({ a: 1 }).setProtectedHeader({ alg: 'HS256' }).sign(key)
console.log((await jwtVerify(token, key)).payload.a, new (require('xml-crypto').SignedXml)().constructor.name)
console.log(require('zod').z.number().safeParse('1').success, require('csv-parse/sync').parse('a,b')[0].length)
process.env.TOKEN = token`)
  t.equal(problem, null)
  t.same(lines, [
    'INFO 1970-01-02 2',
    'INFO e1407479-3136-56c0-9908-bb02fb0339e2 true',
    'INFO 780c3db4ce3de5b9e55816fba98f590631d96c075271b26976238d5f4444219b b',
    'INFO ann',
    'INFO 1 SignedXml',
    'INFO false 2',
  ])
})

t.test('a script in TypeScript imports them as its compiler would', { skip }, async (t) => {
  const { lines, problem } = await run(`import { createHmac } from 'node:crypto'
import type { AxiosResponse } from 'axios'
import axios from 'axios'
import { chunk } from 'lodash'
import * as _ from 'lodash'
import moment from 'moment'
import jwt, { verify } from 'jsonwebtoken'
import { v5, validate } from 'uuid'
const key: string = createHmac('sha256', 'key').update('a').digest('hex')
const claims = verify(jwt.sign({ sub: 'ann' }, key), key) as { sub: string }
console.log(claims.sub, chunk([1, 2, 3], 2).length, _.map([1], (n: number) => n + 1))
console.log(moment.utc(0).format('YYYY'), typeof axios.get, validate(v5('a', v5.URL)))`)
  t.equal(problem, null)
  t.same(lines, ['INFO ann 2 [ 2 ]', 'INFO 1970 function true'])
})

t.test('axios and ws connect through the guarded sockets', { skip }, async (t) => {
  const seen: string[] = []
  const { origin } = await httpServer(t, (request, response) => {
    seen.push(`${request.method} ${request.headers['x-from'] ?? ''}`)
    response.setHeader('content-type', 'application/json')
    response.end('{"token":"t1"}')
  })
  const code = `const axios = require('axios')
const { data } = await axios.post('${origin}/token', { user: 'ann' }, { headers: { 'x-from': 'axios' } })
process.env.TOKEN = data.token`
  t.same((await run(code)).changes?.variables, { TOKEN: 't1' })
  t.same(seen, ['POST axios'])
  const guarded = runScriptWith(agentIo({ blockedNetworks: ['127.0.0.0/8'] }))
  const socket = `await new Promise((done, fail) => new (require('ws'))('${origin.replace('http', 'ws')}').on('error', fail))`
  for (const refused of [await guarded(code), await guarded(socket)]) {
    t.match(refused.problem, /EACCES/)
    t.match(refused.lines.join(), /127\.0\.0\.1 may not be reached/)
  }
  t.equal(seen.length, 1)
})
