import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { takeIdentity } from '../../../agent/program/identity.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const io = () => {
  let count = 0
  const warnings: string[] = []
  const log = { warn: (text: string) => warnings.push(text) } as never
  return {
    newId: () => {
      count += 1
      return `id-${count}`
    },
    log,
    warnings,
  }
}
const self = (more: object = {}) => ({ host: 'a', pid: 10, isAlive: () => false, ...more })

t.test('an agent that starts again is who it was', async (t) => {
  const dir = temporaryFolder(t)
  const world = io()
  t.equal(takeIdentity(dir, self(), world), 'id-1')
  t.equal(takeIdentity(dir, self({ pid: 11 }), world), 'id-1', 'the earlier process is gone')
  t.equal(takeIdentity(dir, self({ pid: 11 }), world), 'id-1', 'a container starts again with its pid')
})

t.test('two agents over one folder are two', async (t) => {
  const dir = temporaryFolder(t)
  const world = io()
  takeIdentity(dir, self(), world)
  t.equal(takeIdentity(dir, self({ pid: 11, isAlive: () => true }), world), 'id-2')
  t.equal(takeIdentity(dir, self({ host: 'b' }), world), 'id-3', 'a process of another host may be alive')
  t.match(JSON.parse(readFileSync(join(dir, 'agent.json'), 'utf8')), { agentId: 'id-1', pid: 10 })
})

t.test('a damaged file is said and replaced', async (t) => {
  const dir = temporaryFolder(t)
  const world = io()
  for (const text of ['{"agentId":', '{"agentId":"a b","host":"a","pid":1}', 'null']) {
    writeFileSync(join(dir, 'agent.json'), text)
    t.match(takeIdentity(dir, self(), world), /^id-\d$/)
  }
  t.equal(world.warnings.length, 3)
})
