import t from 'tap'
import { Type } from 'typebox'
import { pickerFor } from '../../../../../../control-plane/platform/web/http/answers/serialize.ts'
import { nullable } from '../../../../../../control-plane/platform/words/shapes/nullable.ts'

const extra = { secret: 1 }

t.test('undeclared fields are dropped at every depth', async (t) => {
  const Inner = Type.Object({ a: Type.Integer() })
  const pick = pickerFor(
    Type.Object({
      inner: Inner,
      list: Type.Array(Inner),
      maybe: nullable(Inner),
      either: Type.Union([Inner, Type.Null()]),
      record: Type.Record(Type.String(), Inner),
      open: Type.Unknown(),
      left: Type.Optional(Type.String()),
    }),
  )
  const inner = { a: 1, ...extra }
  t.strictSame(
    pick({ inner, list: [inner], maybe: inner, either: inner, record: { x: inner }, open: extra, ...extra }),
    {
      inner: { a: 1 },
      list: [{ a: 1 }],
      maybe: { a: 1 },
      either: { a: 1 },
      record: { x: { a: 1 } },
      open: extra,
    },
  )
  t.strictSame(pick({ maybe: null, either: null }), { maybe: null, either: null })
})

t.test('branches of a union are told apart by a constant field, else by validating', async (t) => {
  const tagged = pickerFor(
    Type.Union([
      Type.Object({ kind: Type.Literal('a'), x: Type.Integer() }),
      Type.Object({ kind: Type.Literal('b'), y: Type.Integer() }),
    ]),
  )
  t.strictSame(tagged({ kind: 'a', x: 1, y: 2 }), { kind: 'a', x: 1 })
  t.strictSame(tagged({ kind: 'b', x: 1, y: 2 }), { kind: 'b', y: 2 })
  t.equal(tagged({ kind: 'c', ...extra }), undefined)
  const untagged = pickerFor(
    Type.Union([
      Type.Object({ x: Type.Integer() }),
      Type.Array(Type.Object({ y: Type.Integer() })),
      Type.String(),
    ]),
  )
  t.strictSame(untagged({ x: 1, ...extra }), { x: 1 })
  t.strictSame(untagged([{ y: 1, ...extra }]), [{ y: 1 }])
  t.equal(untagged('text'), 'text')
})
