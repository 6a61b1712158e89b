import t from 'tap'
import { landlockRules, partsOf } from '../../../agent/isolation/landlock.ts'

const paths = [
  { path: '/own', file: false, may: 'write' },
  { path: '/usr/bin/node', file: true, may: 'run' },
  { path: '/lib', file: false, may: 'read' },
  { path: '/dev/null', file: true, may: 'use' },
] as const

const words = (bytes: Buffer): string[] =>
  Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readBigUInt64LE(8 * index).toString(16))

t.test('each version of the interface is told what it knows, and no more', async (t) => {
  const told = (version: number) => words(landlockRules({ paths, port: 8080 }, version)!.ruleset)
  t.equal(landlockRules({ paths, port: 8080 }, 0), null)
  t.strictSame(told(1), ['1fff'])
  t.strictSame(told(2), ['3fff'])
  t.strictSame(told(3), ['7fff'])
  t.strictSame(told(4), ['7fff', '3'])
  t.strictSame(told(5), ['ffff', '3'])
  t.strictSame(told(6), ['ffff', '3', '3'])
  t.strictSame(told(99), ['ffff', '3', '3'], 'a later one knows all of it')
})

t.test('what a path may be used for', async (t) => {
  const allowed = (version: number) =>
    landlockRules({ paths, port: null }, version)!.paths.map((rule) => rule.allowed.toString(16))
  t.strictSame(allowed(7), ['75be', '5', 'c', '4006'])
  t.strictSame(allowed(1), ['15be', '5', 'c', '6'], 'no right that the version would refuse')
  for (const { allowed } of landlockRules({ paths, port: null }, 7)!.paths)
    t.equal(allowed & 0x8a40, 0, 'nobody makes devices or sockets, or uses devices')
})

t.test('one port may be connected to, or none', async (t) => {
  const port = (version: number, port: number | null) => landlockRules({ paths, port }, version)!.port
  t.strictSame(words(port(7, 40_001)!), ['2', (40_001).toString(16)])
  t.equal(port(7, null), null)
  t.equal(port(3, 40_001), null, 'a version that does not know ports')
})

t.test('parts by version', async (t) => {
  t.strictSame(partsOf(0), { files: false, tcp: false, scopes: false })
  t.strictSame(partsOf(3), { files: true, tcp: false, scopes: false })
  t.strictSame(partsOf(5), { files: true, tcp: true, scopes: false })
  t.strictSame(partsOf(6), { files: true, tcp: true, scopes: true })
})
