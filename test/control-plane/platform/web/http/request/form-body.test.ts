import t from 'tap'
import { readForm } from '../../../../../../control-plane/platform/web/http/request/form-body.ts'
import { fc } from '../../../../../support/fast-check.ts'

const form = (...fields: Array<[name: string, value: string]>): string =>
  new URLSearchParams(fields).toString()

const statusOf = (run: () => unknown): number | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    return (error as { status?: number }).status
  }
}

t.test('names are paths into the body', async (t) => {
  t.strictSame(
    readForm(
      form(
        ['name', 'shop & more'],
        ['request.url', 'https://shop.example/?a=1'],
        ['request.assertions.1.target', '200'],
        ['request.assertions.0.source', 'STATUS_CODE'],
        ['tags[]', 'a'],
        ['tags[]', 'b'],
        ['tags[]', ''],
      ),
    ),
    {
      name: 'shop & more',
      request: {
        url: 'https://shop.example/?a=1',
        assertions: [{ source: 'STATUS_CODE' }, { target: '200' }],
      },
      tags: ['a', 'b'],
    },
  )
})

t.test('of a name that comes twice the last one counts; what is empty is left out', async (t) => {
  t.strictSame(readForm(form(['muted', 'false'], ['muted', 'true'], ['description', ''])), { muted: 'true' })
  t.strictSame(readForm(form(['description', 'a'], ['description', ''])), {})
  t.strictSame(readForm(form(['rows.0.a', ''], ['rows.1.a', 'x'])), { rows: [{ a: 'x' }] })
  t.strictSame(readForm(''), {})
})

t.test('a list that was emptied is an empty list', async (t) => {
  t.strictSame(readForm(form(['tags[]', ''])), { tags: [] })
})

t.test('what is no path is refused, and nothing reaches a prototype', async (t) => {
  for (const name of ['__proto__.a', 'a.constructor', 'a..b', '.a', 'a b', `${'a.'.repeat(20)}a`])
    t.equal(
      statusOf(() => readForm(form([name, 'x']))),
      400,
      name,
    )
  t.equal(
    statusOf(() => readForm('a=1&'.repeat(3000))),
    400,
  )
  t.equal(({} as { a?: unknown }).a, undefined)
})

t.test('any text at all is a body or a 400', async () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 20 }), (fields) => {
      try {
        readForm(form(...fields))
      } catch (error) {
        if ((error as { status?: number }).status !== 400) throw error
      }
    }),
  )
})
