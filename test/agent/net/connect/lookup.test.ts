import t from 'tap'
import { type Address, shareLookups } from '../../../../agent/net/connect/lookup.ts'

t.test('runs that ask for one name at the same time share the question, later ones ask again', async (t) => {
  const asked: string[] = []
  let answer: (addresses: Address[]) => void = () => undefined
  const lookup = shareLookups((host, family) => {
    asked.push(`${host} ${family}`)
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const both = Promise.all([lookup('a.test', 4), lookup('a.test', 4)])
  answer([{ address: '10.0.0.1', family: 4 }])
  t.same(await both, [[{ address: '10.0.0.1', family: 4 }], [{ address: '10.0.0.1', family: 4 }]])
  lookup('a.test', 4)
  lookup('a.test', 6)
  t.same(asked, ['a.test 4', 'a.test 4', 'a.test 6'])
})

t.test('a question that fails fails for all who shared it, and is forgotten', async (t) => {
  let count = 0
  const lookup = shareLookups(async () => {
    count += 1
    throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
  })
  const results = await Promise.allSettled([lookup('a', 4), lookup('a', 4)])
  t.match(results, [{ status: 'rejected' }, { status: 'rejected' }])
  await t.rejects(lookup('a', 4), { code: 'ENOTFOUND' })
  t.equal(count, 2)
})
