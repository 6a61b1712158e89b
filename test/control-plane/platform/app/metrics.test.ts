import t from 'tap'
import { counter, createMetrics, gauge, histogram } from '../../../../control-plane/platform/app/metrics.ts'

const group = {
  things: counter({
    name: 'things_total',
    help: 'Things',
    labels: ['kind'],
    zeros: [{ kind: 'small' }, { kind: 'large' }],
  }),
  level: gauge({ name: 'level', help: 'Level' }),
  seconds: histogram({ name: 'seconds', help: 'Seconds', buckets: [1] }),
}

t.test('what is declared is shown before it is counted, with the series that begin at zero', async (t) => {
  const metrics = createMetrics([group])
  group.things({ metrics }).inc({ kind: 'large' })
  const text = await metrics.metrics()
  t.match(text, /^things_total\{kind="small"\} 0$/m)
  t.match(text, /^things_total\{kind="large"\} 1$/m)
  t.match(text, /^level 0$/m)
  t.match(text, /^seconds_count 0$/m)
})

t.test('two apps of one process share no numbers', async (t) => {
  const [one, other] = [createMetrics([group]), createMetrics([group])]
  group.level({ metrics: one }).set(5)
  t.match(await one.metrics(), /^level 5$/m)
  t.match(await other.metrics(), /^level 0$/m)
})

t.test('what is in no list is refused where it is fed', async (t) => {
  t.throws(() => group.level({ metrics: createMetrics([]) }), {
    message: /^level is not in the list of metrics/,
  })
})
