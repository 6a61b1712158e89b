import t from 'tap'
import { Type } from 'typebox'
import { createAnswerValidators } from '../../../../../../control-plane/platform/web/http/answers/answer-validator.ts'

const Circle = Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() })
const Square = Type.Object({ kind: Type.Literal('square'), side: Type.Number() })
const Shape = Type.Union([Circle, Square])

t.test('of a union with a constant field the named branch judges, and only that', async (t) => {
  const validate = createAnswerValidators()(Shape)
  t.ok(validate({ kind: 'square', side: 1 }).ok)
  t.match(validate({ kind: 'square', radius: 1 }), {
    ok: false,
    violations: [{ path: 'side', rule: 'required' }],
  })
  t.match(validate({ kind: 'triangle' }), { ok: false, violations: [{ path: 'kind' }] })
  for (const nothing of [null, undefined, 1, []]) t.notOk(validate(nothing).ok)
})

t.test('a list of such a union names the item', async (t) => {
  const validate = createAnswerValidators()(Type.Array(Shape))
  t.ok(validate([]).ok)
  const items = [{ kind: 'circle', radius: 1 }, { kind: 'circle' }]
  t.match(validate(items), { ok: false, violations: [{ path: '1.radius' }] })
  t.notOk(validate({}).ok)
})

t.test('other schemas are judged as a whole', async (t) => {
  const validatorOf = createAnswerValidators()
  t.ok(validatorOf(Type.Union([Type.String(), Type.Null()]))(null).ok)
  t.notOk(validatorOf(Type.Array(Type.String()))([1]).ok)
})
