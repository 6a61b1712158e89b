import t from 'tap'
import { causesOf, type Failure, type RunnerStep } from '../../../agent/browser/child/failure-cause.ts'

const isOwn = (file: string): boolean => file.startsWith('/run/') && !file.includes('/node_modules/')
const step = (title: string, more: Partial<RunnerStep> = {}): RunnerStep => ({
  ...{ category: 'pw:api', title, startTime: new Date(0), duration: 1, steps: [] },
  ...more,
})
const at = (line: number, file = '/run/a.ts') => ({ file, line })
const causes = (errors: Failure[], steps: RunnerStep[] = [], status = 'failed') =>
  causesOf({ status, errors, steps }, isOwn).map(
    ({ message, location }) => `${message} ${location?.file}:${location?.line}`,
  )

t.test('the action that the time ended is the cause', async (t) => {
  const timeUp = { message: 'Test timeout of 9ms exceeded.' }
  const click = { message: 'click: \u001b[31mTest timeout of 9ms exceeded.\u001b[39m\n- #a', location: at(4) }
  t.same(causes([timeUp, click]), ['click: Test timeout of 9ms exceeded.\n- #a /run/a.ts:4'])
  const hook = { message: 'Test timeout of 9ms exceeded while running "beforeEach" hook.', location: at(2) }
  t.match(causes([hook, click]), [/^click: /, /^Test timeout/])
})

t.test('where nothing says it, the step that was under way, or the last, does', async (t) => {
  const timeUp = [{ message: 'Test timeout of 9ms exceeded.' }]
  const goto = step('goto', { location: at(3) })
  const box = step('box', {
    ...{ category: 'test.step', location: at(5), duration: -1 },
    steps: [step('wait', { location: at(7, '/run/pages/b.ts'), duration: -1 })],
  })
  t.same(causes(timeUp, [goto, box]), [
    'Test timeout of 9ms exceeded while "wait" was under way /run/pages/b.ts:7',
  ])
  t.same(causes(timeUp, [goto]), ['Test timeout of 9ms exceeded after "goto" /run/a.ts:3'])
  t.same(causes(timeUp), ['Test timeout of 9ms exceeded. undefined:undefined'])
  t.same(causes([], [box], 'interrupted'), [
    'It was interrupted while "wait" was under way /run/pages/b.ts:7',
  ])
})

t.test('a boxed step hides its lines, and what failed in it has its own', async (t) => {
  const failure = { message: 'click: no #a', location: at(5) }
  const inner = step('click', { location: at(7, '/run/pages/b.ts'), error: { message: 'click: no #a' } })
  const box = step('box', { category: 'test.step', location: at(5), steps: [inner], error: failure })
  t.same(causes([failure], [box]), ['click: no #a /run/pages/b.ts:7'])
})

t.test('an error of a package points at the line that called it', async (t) => {
  const stack = `Error: no
    at get (/run/node_modules/x/index.js:1:1)
    at Object.open (file:///run/pages/b.ts:8:2)
    at /run/a.ts:9:3`
  const location = at(1, '/run/node_modules/x/index.js')
  t.same(causes([{ message: 'Error: no', stack, location }]), ['Error: no /run/pages/b.ts:8'])
})
