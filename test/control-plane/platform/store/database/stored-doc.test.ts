import t from 'tap'
import { Type } from 'typebox'
import { storedDoc, storedList } from '../../../../../control-plane/platform/store/database/stored-doc.ts'
import { nullable } from '../../../../../control-plane/platform/words/shapes/nullable.ts'

const Pet = Type.Object({
  name: Type.String(),
  tags: Type.Array(Type.String(), { default: [] }),
  owner: nullable(Type.String(), { default: 'nobody' }),
  tame: Type.Boolean({ default: true }),
  diet: Type.Object(
    { meals: Type.Integer({ default: 2 }), snacks: Type.Optional(Type.Integer()) },
    { default: {} },
  ),
})
const first = storedDoc({ name: 'pet', schema: Pet })

t.test('reading fills in what an older program did not write, and nothing else', async (t) => {
  t.strictSame(first.read('{"name":"Rex"}'), {
    name: 'Rex',
    tags: [],
    owner: 'nobody',
    tame: true,
    diet: { meals: 2 },
  })
  const whole = { diet: { meals: 0, snacks: 1 }, tame: false, owner: null, tags: ['a'], name: 'Rex' }
  t.equal(JSON.stringify(first.read(JSON.stringify(whole))), JSON.stringify(whole), 'the order stays')
  t.strictSame(first.read('{"name":"Rex","diet":{"snacks":3}}').diet, { snacks: 3, meals: 2 }, 'also inside')
  t.equal(first.read('{"name":"Rex","later":1}').name, 'Rex', 'a field that is not known stands in no way')
})

t.test('two documents do not share what one of them changes', async (t) => {
  const one = first.read('{"name":"Rex"}')
  t.throws(() => one.tags.push('wild'), TypeError, 'a default cannot be changed in place')
  t.throws(() => {
    one.diet.meals = 9
  }, TypeError)
  one.tame = false
  t.equal(first.read('{"name":"Tom"}').tame, true)
})

t.test('the first version writes no version; what it wrote is read by the second', async (t) => {
  t.equal(
    first.write(first.read('{"name":"Rex","tags":[],"owner":null,"tame":true,"diet":{"meals":1}}')),
    '{"name":"Rex","tags":[],"owner":null,"tame":true,"diet":{"meals":1}}',
  )
  const second = storedDoc({
    name: 'pet',
    version: 2,
    schema: Type.Object({ title: Type.String(), legs: Type.Integer({ default: 4 }) }),
    upgrade: ({ name, ...rest }, from) => ({ ...rest, title: `${name} of ${from}` }),
  })
  t.strictSame(second.read('{"name":"Rex"}'), { title: 'Rex of 1', legs: 4 })
  t.equal(second.write({ title: 'Tom', legs: 3 }), '{"v":2,"title":"Tom","legs":3}')
  t.strictSame(second.read('{"v":2,"title":"Tom","legs":3}'), { title: 'Tom', legs: 3 })
  t.throws(() => first.read(second.write({ title: 'Tom', legs: 3 })), {
    message: 'A stored pet has version 2, and this program knows none above 1',
  })
  t.throws(() => second.read('{"v":3}'), /version 3/)
  t.throws(() => second.read('{"v":"new"}'), /version new/)
  t.throws(() => storedDoc({ name: 'pet', version: 2, schema: Pet }), /needs a way up/)
})

t.test('a list is a list; what is none is of a newer program', async (t) => {
  const names = storedList({ name: 'names', items: Type.String() })
  t.equal(names.write(['a', 'b']), '["a","b"]')
  t.strictSame(names.read('["a","b"]'), ['a', 'b'])
  t.throws(() => names.read('{"v":2,"names":[]}'), {
    message: 'The stored names are no list, as this program knows them',
  })
})
