// Runs in a process of its own: it measures the processor time of templates.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { fill } from '../../../../control-plane/alerting/templates/fill.ts'
import {
  nothingSpent,
  notificationBudget,
} from '../../../../control-plane/alerting/templates/template-meter.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'
import { worstTemplates } from '../../../support/worst-templates.ts'

const context = { A: 1, B: 2, a: { a: 1 }, TAGS: ['a', 'b', 'c'], LONG: 'é'.repeat(1000), TOKEN: 'token' }
const now = Date.UTC(2026, 0, 1)
const filled = (...texts: string[]) =>
  fill({
    texts: texts.map((text) => ({ text, encoding: 'uri' })),
    context,
    budget: notificationBudget,
    spent: nothingSpent,
    now,
    seed: randomBytes(32),
  })

t.test('no template costs more than a moment, however short it is', async (t) => {
  for (const [name, text] of Object.entries(worstTemplates)) {
    const before = cpuTimeMs()
    const [made] = filled(text)
    const cost = cpuTimeMs() - before
    t.ok(
      cost < 1500,
      `${name}, ${text.length} characters: ${Math.round(cost)} ms, ${JSON.stringify(made).slice(0, 60)}`,
    )
  }
})

t.test('work is counted by the length of the text that it goes through', async (t) => {
  const { joined, searched, tagged } = worstTemplates
  for (const text of [joined, searched, tagged])
    t.match(filled(text ?? ''), [{ fault: 'it goes through more than 3000000 characters' }])
  t.match(filled(`{{or ${'A '.repeat(250)}}}`), [{ fault: 'a tag has more than 200 words' }])
})

t.test('texts of one task have one budget, in their order', async (t) => {
  const { searched = '' } = worstTemplates
  t.match(filled('{{#if A}}{{TOKEN}}{{/if}}', searched, '{{#if A}}{{TOKEN}}{{/if}}'), [
    { text: 'token' },
    { fault: /goes through more/ },
    { fault: /goes through more/ },
  ])
  t.match(filled(...Array(3).fill(`${'{{#if A}}{{/if}}'.repeat(499)}`)), [
    { text: '' },
    { text: '' },
    { fault: 'the templates have more than 2000 placeholders together' },
  ])
})

t.test('random values are others each time, and the same for the same seed', async (t) => {
  const texts = [{ text: '{{$UUID}} {{$UUID}}', encoding: 'plain' as const }]
  const task = { texts, context, budget: notificationBudget, spent: nothingSpent, now, seed: randomBytes(32) }
  const [first, other] = [fill(task), fill({ ...task, seed: randomBytes(32) })]
  t.strictSame(fill(task), first)
  t.notSame(first, other)
  const [one = '', two = ''] = (first[0] as { text: string }).text.split(' ')
  t.not(one, two)
})
