// Runs in test:all only: a release is made, signed and changed in many places.
/** `verify` finds one changed byte of anything, and names it; signatures are judged by openssl, too. */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { version } from '../../images/build-image.ts'
import { publicKey, signingKey } from '../../release/keys.ts'
import { filesIn, makeRelease, sumsOf } from '../../release/make-release.ts'
import { blobPath, readManifest, readNamed } from '../../release/oci-layout.ts'
import { preAuthenticated } from '../../release/signatures.ts'
import { sourceOf } from '../../release/source-of-release.ts'
import { checkRelease, compareWithRebuilt, readMade } from '../../release/verify-release.ts'
import { scratchFolder } from '../support/programs.ts'
import { commitAll, releaseClone, withoutImages } from '../support/release-clone.ts'

t.setTimeout(300_000)
const room = await scratchFolder(t)

const writeKeys = (
  name: string,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
) => {
  const [own, open] = [join(room, `${name}.key`), join(room, `${name}.pub`)]
  writeFileSync(own, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(open, publicKey.export({ type: 'spki', format: 'pem' }))
  return { own, open }
}
const keys = writeKeys('release', generateKeyPairSync('ec', { namedCurve: 'prime256v1' }))
const strange = writeKeys('strange', generateKeyPairSync('ec', { namedCurve: 'prime256v1' }))
const judge = publicKey(keys.open)

const clone = await releaseClone(t)
const made = join(room, 'made')
const order = { source: sourceOf(clone, version), choices: withoutImages, images: null }
await makeRelease({ ...order, sign: signingKey(keys.own, undefined), out: made })

/** A copy that somebody has been at. */
const changed = async (t: Test, change: (folder: string) => void | Promise<void>): Promise<string> => {
  const folder = join(await scratchFolder(t), 'release')
  cpSync(made, folder, { recursive: true })
  await change(folder)
  return folder
}

const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(path, bytes)
}

t.test('as it was made it is whole, signed, and what the commit makes', async (t) => {
  t.strictSame(await checkRelease(made, judge), [])
  t.strictSame(await checkRelease(made, null), [])
  const { commit, choices, tools } = readMade(made)
  t.equal(commit, order.source.commit)
  t.strictSame(await compareWithRebuilt(made, { ...order, choices, tools }), [])
})

for (const path of filesIn(made))
  t.test(`one changed byte of ${path}`, async (t) => {
    const { length } = readFileSync(join(made, path))
    for (const at of [0, Math.floor(length / 2), length - 1]) {
      const folder = await changed(t, (folder) => flip(join(folder, path), at))
      const problems = await checkRelease(folder, judge)
      t.not(problems.length, 0, `at ${at}`)
      // A changed sum tells of the file that it is the sum of.
      if (path !== 'SHA256SUMS') t.match(problems.join('\n'), path.replace('.sig', ''))
    }
  })

t.test('a file more, a file less, and another release under the same sums', async (t) => {
  const more = await changed(t, (folder) => writeFileSync(join(folder, 'oci/extra'), ''))
  t.strictSame(await checkRelease(more, judge), [
    'oci/extra is not part of the release: SHA256SUMS does not name it',
  ])
  const less = await changed(t, (folder) => rmSync(join(folder, 'RELEASE_NOTES.md')))
  t.strictSame(await checkRelease(less, judge), ['RELEASE_NOTES.md is missing'])
  const summedAgain = await changed(t, async (folder) => {
    flip(join(folder, `npm/watchpost-${version}.tgz`), 100)
    const sums = (await sumsOf(folder)).toString('utf8').split('\n')
    writeFileSync(
      join(folder, 'SHA256SUMS'),
      sums.filter((line) => !/signatures|\.sig$|dsse/.test(line)).join('\n'),
    )
  })
  t.strictSame(await checkRelease(summedAgain, judge), [
    'provenance.json speaks of other digests than those that are here',
    'SHA256SUMS is not signed by this key',
  ])
})

t.test('another key, and none at all', async (t) => {
  const problems = await checkRelease(made, publicKey(strange.open))
  t.ok(problems.includes('SHA256SUMS is not signed by this key'))
  t.strictSame(
    problems.filter((problem) => !problem.endsWith('is not signed by this key')),
    [],
  )
  const unsigned = join(await scratchFolder(t), 'unsigned')
  await makeRelease({ ...order, sign: null, out: unsigned })
  t.strictSame(await checkRelease(unsigned, judge), ['the release is not signed'])
  t.strictSame(await checkRelease(unsigned, null), [])
})

t.test('what another commit makes is named', async (t) => {
  const other = await releaseClone(t)
  const path = join(other, 'helm/agent/values.yaml')
  writeFileSync(path, `${readFileSync(path, 'utf8')}# a comment more\n`)
  commitAll(other)
  const { choices, tools } = readMade(made)
  const differences = await compareWithRebuilt(made, {
    ...order,
    source: sourceOf(other, version),
    choices,
    tools,
  })
  t.ok(differences.includes(`charts/watchpost-agent-${version}.tgz is not what the commit makes`))
})

t.test('other tools than those of the release are named where bytes differ, and only there', async (t) => {
  const { choices } = readMade(made)
  const tools = { node: 'v1.0.0' }
  const differences = await compareWithRebuilt(made, { ...order, choices, tools })
  t.equal(differences.at(-1), `it was made with node v1.0.0, here is ${process.version}: that may be why`)
  t.strictSame(differences.slice(0, -1), ['provenance.json is not what the commit makes'])
})

/** Whether openssl finds the signature good. */
const opensslTakes = (message: Buffer, signature: string): boolean => {
  const [at, by] = [join(room, 'message'), join(room, 'signature')]
  writeFileSync(at, message)
  writeFileSync(by, Buffer.from(signature, 'base64'))
  return spawnSync('openssl', ['dgst', '-sha256', '-verify', keys.open, '-signature', by, at]).status === 0
}

t.test('signatures are those that cosign writes, and openssl takes them', async (t) => {
  const read = (path: string): Buffer => readFileSync(join(made, path))
  t.ok(opensslTakes(read('SHA256SUMS'), read('SHA256SUMS.sig').toString('utf8')))
  t.notOk(opensslTakes(read('provenance.json'), read('SHA256SUMS.sig').toString('utf8')))
  const envelope = JSON.parse(read('provenance.dsse.json').toString('utf8'))
  t.match(envelope, { payloadType: 'application/vnd.in-toto+json', signatures: [{ keyid: '' }] })
  t.same(Buffer.from(envelope.payload, 'base64'), read('provenance.json'))
  t.ok(opensslTakes(preAuthenticated(read('provenance.json')), envelope.signatures[0].sig))

  const name = 'watchpost/charts/watchpost-agent'
  const digest = readNamed(join(made, 'oci')).get(`${name}:${version}`)?.digest ?? ''
  const layout = join(made, 'signatures')
  const tag = `${name}:${digest.replace(':', '-')}`
  const manifestOf = (kind: string) => readManifest(layout, readNamed(layout).get(`${tag}.${kind}`)!)
  const [signature] = manifestOf('sig').layers ?? []
  const payload = readFileSync(join(layout, blobPath(signature!.digest)))
  t.match(JSON.parse(payload.toString('utf8')), {
    critical: {
      identity: { 'docker-reference': name },
      image: { 'docker-manifest-digest': digest },
      type: 'cosign container image signature',
    },
  })
  t.ok(opensslTakes(payload, signature?.annotations?.['dev.cosignproject.cosign/signature'] ?? ''))
  const [attestation] = manifestOf('att').layers ?? []
  t.match(attestation, {
    mediaType: 'application/vnd.dsse.envelope.v1+json',
    annotations: { predicateType: 'https://slsa.dev/provenance/v1' },
  })
})

t.test('keys that are none are refused with what to do', async (t) => {
  const at = join(room, 'other.key')
  const refused = (text: string, pattern: RegExp): void => {
    writeFileSync(at, text)
    t.throws(() => signingKey(at, undefined), { message: pattern })
  }
  refused(
    '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED SIGSTORE PRIVATE KEY-----\n',
    /cosign's own format[\s\S]*openssl genpkey/,
  )
  refused('nothing', /no key in PEM that opens[\s\S]*openssl genpkey/)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
  refused(String(privateKey.export({ type: 'pkcs8', format: 'pem' })), /no key of ECDSA on the curve P-256/)
  t.throws(() => signingKey(join(room, 'absent'), undefined), { message: /cannot be read/ })
  const sealed = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const pem = sealed.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open it' })
  writeFileSync(at, pem)
  t.throws(() => signingKey(at, undefined), { message: /no key in PEM that opens/ })
  t.equal(signingKey(at, 'open it')(Buffer.from('a'), 'a').length > 60, true)
})
