// Runs in test:long only: it builds an image twice.
// Runs last: CI builds the images meanwhile.
/** The same sources, packages and base are the same image, byte for byte. */
import t from 'tap'
import { buildImage } from '../../images/build-image.ts'
import { buildSecrets } from '../../images/build-secrets.ts'
import { measureBriefly } from '../../images/measure.ts'
import { type Architecture, ownBaseOf } from '../../images/own-base.ts'
import { variants } from '../../images/variants.ts'
import { imageEngine } from '../support/containers.ts'

t.setTimeout(590_000)
const { engine, skip } = await imageEngine('uptime')

t.test('two builds of the uptime image have one digest', { skip }, async (t) => {
  if (engine === null) return
  const architecture = process.arch as Architecture
  const secrets = buildSecrets()
  t.teardown(secrets.remove)
  const digestOf = async (tag: string): Promise<string> => {
    t.teardown(() => engine.ask(['rmi', '--force', tag]))
    const uptime = variants.find(({ name }) => name === 'uptime')
    if (uptime === undefined) throw new Error('there is no uptime image')
    const options = { engine, secrets, base: ownBaseOf(architecture), architecture, revision: 'r', tag }
    await buildImage(uptime, { ...options, format: 'oci' })
    return (await measureBriefly(engine, tag)).digest
  }
  const first = await digestOf('localhost/watchpost-test:first')
  t.match(first, /^sha256:[0-9a-f]{64}$/)
  t.equal(await digestOf('localhost/watchpost-test:second'), first)
})
