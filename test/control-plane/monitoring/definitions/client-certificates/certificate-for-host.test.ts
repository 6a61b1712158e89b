import t from 'tap'
import { certificateForHost } from '../../../../../control-plane/monitoring/definitions/client-certificates/client-certificate.ts'
import { fc } from '../../../../support/fast-check.ts'

const label = fc.stringMatching(/^[a-z0-9]{1,6}$/)
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
/** A pattern that matches the host: some of its characters became a star. */
const patternOf = (name: string) =>
  fc
    .tuple(fc.nat(name.length - 1), fc.nat(name.length))
    .map(([from, length]) => `${name.slice(0, from)}*${name.slice(from + length)}`)
const certificate = (pattern: fc.Arbitrary<string>) =>
  fc.record({ id: fc.uuid(), host: pattern, createdAt: fc.nat(3) })

const asRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.\\-]/g, '\\$&'))
      .join('.*')}$`,
    'i',
  )

t.test('a certificate is chosen exactly when some pattern matches, and then its own does', async (t) => {
  fc.assert(
    fc.property(
      host.chain((name) =>
        fc.tuple(
          fc.constant(name),
          fc.array(certificate(fc.oneof(host, fc.constant(name), patternOf(name), host.chain(patternOf))), {
            maxLength: 8,
          }),
        ),
      ),
      ([name, certificates]) => {
        const chosen = certificateForHost(certificates, name)
        const matching = certificates.filter((one) => asRegExp(one.host).test(name))
        t.equal(chosen === null, matching.length === 0)
        if (chosen) t.ok(matching.includes(chosen))
      },
    ),
    { numRuns: 300 },
  )
})

t.test('a full host beats every wildcard, the newest wins among equals, in any order', async (t) => {
  fc.assert(
    fc.property(
      host.chain((name) =>
        fc.tuple(
          fc.constant(name),
          fc.uniqueArray(certificate(fc.oneof(fc.constant(name), patternOf(name))), {
            minLength: 1,
            maxLength: 8,
            selector: ({ id }) => id,
          }),
        ),
      ),
      ([name, certificates]) => {
        const chosen = certificateForHost(certificates, name)!
        const exact = certificates.filter((one) => one.host === name)
        const equals = exact.length > 0 ? exact : certificates
        t.ok(equals.includes(chosen))
        t.equal(chosen.createdAt, Math.max(...equals.map(({ createdAt }) => createdAt)))
        t.equal(certificateForHost([...certificates].reverse(), name), chosen)
      },
    ),
    { numRuns: 300 },
  )
})

t.test('case and a dot at the end do not count, and many stars take no time', async (t) => {
  const one = { id: 'a', host: 'API.Example.com', createdAt: 1 }
  t.equal(certificateForHost([one], 'api.example.COM.'), one)
  t.equal(certificateForHost([{ ...one, host: '*.example.com' }], 'example.com'), null)
  const hostile = { ...one, host: `${'*a'.repeat(120)}b` }
  const started = process.hrtime.bigint()
  t.equal(certificateForHost([hostile], 'a'.repeat(250)), null)
  t.ok(process.hrtime.bigint() - started < 1_000_000_000n)
})
