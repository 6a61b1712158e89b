// Runs in test:all only: it builds images.
// Runs last: CI builds the images meanwhile.
/** Images of a release, for two processors under one name: small ones, built as all are, that the engine then takes from the layout. */
import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { version } from '../../images/build-image.ts'
import type { Variant } from '../../images/variants.ts'
import { makeRelease } from '../../release/make-release.ts'
import { mediaTypes, readManifest, readNamed } from '../../release/oci-layout.ts'
import { chosenVariants } from '../../release/release-images.ts'
import { sourceOf } from '../../release/source-of-release.ts'
import { checkRelease, compareWithRebuilt, readMade } from '../../release/verify-release.ts'
import { imageEngine } from '../support/containers.ts'
import { scratchFolder } from '../support/programs.ts'
import { commitAll, releaseClone, withoutImages } from '../support/release-clone.ts'

t.setTimeout(500_000)

const small: Variant = {
  ...{ name: 'uptime', repository: 'watchpost/test-small', dockerfile: 'small/Dockerfile' },
  fromAgent: false,
}
const partOf = (name: string, of: string) => ({ purl: `pkg:deb/debian/${name}@${of}` })
const bill = { bomFormat: 'CycloneDX', specVersion: '1.6', components: [partOf('libc6', '1')] }

const { engine, skip } = await imageEngine('uptime')
t.test(
  'images are in the layout under one name, and the same when they are made again',
  { skip },
  async (t) => {
    if (engine === null) return
    const clone = await releaseClone(t)
    mkdirSync(join(clone, 'small'))
    writeFileSync(join(clone, 'small/sbom.cdx.json'), JSON.stringify(bill))
    writeFileSync(
      join(clone, small.dockerfile),
      'FROM scratch\nCOPY small/sbom.cdx.json LICENSE /app/\nARG REVISION=\nLABEL revision="$REVISION"\nENTRYPOINT ["/app/none"]\n',
    )
    commitAll(clone)
    const name = `${small.repository}:${version}`
    t.teardown(() => engine.ask(['rmi', '--force', '--ignore', name]))
    const images = { engine, variants: [small] }
    const choices = { ...withoutImages, images: ['uptime'], architectures: ['x64', 'arm64'] }
    const made = join(await scratchFolder(t), 'made')
    await makeRelease({ source: sourceOf(clone, version), choices, images, sign: null, out: made })

    const layout = join(made, 'oci')
    const entry = readNamed(layout).get(name)
    t.match(entry, { mediaType: mediaTypes.index })
    const { manifests = [] } = readManifest(layout, { digest: entry?.digest ?? '' })
    t.match(manifests, [
      { platform: { architecture: 'amd64', os: 'linux' } },
      { platform: { architecture: 'arm64', os: 'linux' } },
    ])
    for (const architecture of ['amd64', 'arm64'])
      t.same(
        JSON.parse(readFileSync(join(made, `sboms/watchpost-test-small.${architecture}.cdx.json`), 'utf8')),
        bill,
      )
    const { choices: chosen, tools, commit } = readMade(made)
    t.strictSame(await checkRelease(made, null), [])
    t.match(tools, { podman: /^\d/ })

    await engine.ask(['rmi', '--force', name])
    // Podman calls what it takes from a layout as its folder is called, and takes no name with capitals.
    const lower = `/tmp/watchpost-layout-${process.pid}`
    symlinkSync(layout, lower)
    t.teardown(() => unlinkSync(lower))
    const id = await engine.ask(['pull', '--quiet', `oci:${lower}:${name}`])
    t.equal(
      await engine.ask(['inspect', '--format', '{{.Labels.revision}}', id]),
      commit,
      'an engine takes it',
    )
    await engine.ask(['rmi', '--force', id])

    const source = sourceOf(clone, version)
    t.strictSame(await compareWithRebuilt(made, { source, choices: chosen, images, tools }), [])

    const newer = { ...bill, components: [partOf('libc6', '2')] }
    writeFileSync(join(clone, 'small/sbom.cdx.json'), JSON.stringify(newer))
    commitAll(clone)
    const later = await compareWithRebuilt(made, {
      source: sourceOf(clone, version),
      choices: chosen,
      images,
      tools,
    })
    t.ok(
      later.includes(
        'sboms/watchpost-test-small.arm64.cdx.json is not what the commit makes: now without pkg:deb/debian/libc6@1, with pkg:deb/debian/libc6@2',
      ),
      later.join('\n'),
    )
  },
)

t.test('images that are none, or that need another, are refused by name', async (t) => {
  t.throws(() => chosenVariants(['uptime', 'none']), { message: /^there is no image none: agent, uptime/ })
  t.throws(() => chosenVariants(['dev']), { message: 'the image dev begins with the image agent: name both' })
  t.strictSame(
    chosenVariants(['control-plane', 'uptime']).map(({ name }) => name),
    ['uptime', 'control-plane'],
  )
})
