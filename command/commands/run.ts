/** Runs checks now, tells what comes of each as soon as it is over, and fails where one does: for the step of a pipeline. */
import { createClient } from '../client.ts'
import { type Command, CommandError, exitCodes, type Io, type Options } from '../io.ts'
import { numberOf } from '../line.ts'
import { junitOf, markdownOf } from '../run/reports.ts'
import { type Ended, type Session, watchSessions } from '../run/watch-sessions.ts'

export const run: Command = {
  name: 'run',
  takes: '',
  summary: 'run checks now and wait for their results; fails when one of them does',
  options: {
    tag: { value: 'tag', meaning: 'those with the tag; "a,!b": with a and without b; given again: or these' },
    check: { value: 'id', meaning: 'the check with the id; may be given again' },
    all: { meaning: 'every active check' },
    junit: { value: 'file', meaning: 'write JUnit’s XML there' },
    summary: { value: 'file', meaning: 'write a summary in Markdown there, behind what is there already' },
    timeout: { value: 'seconds', meaning: 'cancel what has not ended by then (600)' },
    json: { meaning: 'print one JSON value' },
  },
  run: async (io, options) => {
    const begun = io.now()
    const client = createClient(io)
    const target = targetOf(options)
    const { status, body } = await client.post('/v2/check-sessions/trigger', { target }, { also: [404] })
    if (status === 404) throw new CommandError(['no active check matches'])
    const sessions = body.sessions as Session[]
    io.progress(`${sessions.length} ${sessions.length === 1 ? 'check runs' : 'checks run'}`)
    const isJson = options.switches.has('json')
    const ended = await watchSessions(io, client, {
      sessions,
      timeoutMs: numberOf(options, 'timeout', 600) * 1000,
      told: (one) => tell(io, one, isJson),
    })
    await report(io, options, { ended, ms: io.now() - begun })
    return ended.every(({ isPassed }) => isPassed) ? exitCodes.done : exitCodes.failed
  },
}

/** @throws CommandError where nothing says which: to run everything is to be meant */
const targetOf = ({ all, switches }: Options): object => {
  const { tag = [], check = [] } = all
  if (tag.length + check.length === 0 && !switches.has('all'))
    throw new CommandError(['say which checks: --tag, --check or --all'])
  return {
    ...(tag.length > 0 ? { matchTags: tag.map((one) => one.split(',').map((name) => name.trim())) } : {}),
    ...(check.length > 0 ? { checkId: check } : {}),
  }
}

const marks: Readonly<Record<string, string>> = { PASSED: '✓', DEGRADED: '!' }

const tell = (
  io: Io,
  { name, checkType, status, timeElapsed, reasons, link, isPassed }: Ended,
  isJson: boolean,
) => {
  const say = isJson ? io.progress : io.say
  say(`${marks[status] ?? '✗'} ${name} (${checkType}) ${(timeElapsed / 1000).toFixed(1)} s`)
  for (const reason of reasons) say(`    ${reason}`)
  if (!isPassed) say(`    ${link}`)
}

const report = async (
  io: Io,
  { values, switches }: Options,
  { ended, ms }: { ended: Ended[]; ms: number },
) => {
  const { junit, summary } = values
  if (junit !== undefined) await io.writeText(io.path(junit), junitOf(ended, ms))
  if (summary !== undefined) await io.appendText(io.path(summary), markdownOf(ended, ms))
  const failed = ended.filter(({ isPassed }) => !isPassed).length
  if (!switches.has('json'))
    io.say(`${ended.length - failed} passed, ${failed} failed in ${(ms / 1000).toFixed(1)} s`)
  else
    io.say(
      JSON.stringify(
        {
          passed: ended.length - failed,
          failed,
          checks: ended.map(({ checkId, name, checkType, status, isPassed, reasons, link }) => ({
            ...{ checkId, name, checkType, status, isPassed, reasons },
            link,
          })),
        },
        null,
        2,
      ),
    )
}
