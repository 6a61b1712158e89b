import { pino } from 'pino'
import t from 'tap'
import { createReportError, errorEvent } from '../../../agent/program/report-error.ts'
import { ErrorEvent } from '../../../protocol/agent-api.ts'
import { compile } from '../../../protocol/validate.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const about = { platform: 'linux-x64', runtime: 'node v24', at: () => 1.5 }

t.test(
  'an event has the fields of the allow-list and nothing that a check, a target or the environment holds',
  async (t) => {
    const secrets = [
      'https://user:hunter2@shop.example/cart?token=abc',
      '"{\\"password\\":1}"',
      `pl_${'0a'.repeat(16)}`,
      'Bearer abcdef',
      '10.20.30.40:8443',
      'fd00:1:2:3:4:5:6:7',
      'ops@shop.example',
      'getaddrinfo ENOTFOUND db.internal',
      'QWxhZGRpbjpvcGVuIHNlc2FtZUFsYWRkaW46b3BlbiBzZXNhbWU=',
    ]
    for (const secret of secrets) {
      const event = errorEvent(
        Object.assign(new TypeError(`bad ${secret}`), { url: secret, headers: { secret } }),
        about,
      )
      t.ok(compile(ErrorEvent)(event).ok)
      t.match(event, { message: /^TypeError: bad .*\[removed\]/, at: 1 })
      const core = secret.split(' ').at(-1) ?? ''
      t.notOk(JSON.stringify(event).includes(core), secret)
    }
  },
)

t.test('the stack says where in the code, without the folder that it is in', async (t) => {
  const { stack } = errorEvent(
    Object.assign(new Error('x'), {
      stack:
        'Error: https://a.b/\n    at run (file:///srv/app/agent/jobs/run-job.ts:10:3)\n    at node:internal/x:1:1',
    }),
    about,
  )
  t.equal(stack, '    at run (agent/jobs/run-job.ts:10:3)\n    at node:internal/x:1:1')
})

t.test('at most ten events a minute leave, and none when observability is off', async (t) => {
  const clock = fakeClock()
  const io = { clock, log: pino({ level: 'silent' }) }
  let sent = 0
  const send = async (): Promise<void> => {
    sent += 1
  }
  const report = createReportError({ ...about, enabled: true, io, send })
  for (let index = 0; index < 25; index += 1) report(new Error('again'))
  t.equal(sent, 10)
  clock.advance(61_000)
  report(new Error('again'))
  t.equal(sent, 11)
  createReportError({ ...about, enabled: false, io, send })(new Error('quiet'))
  t.equal(sent, 11)
})
