/** What an image is made of, as CycloneDX 1.6 has it. Pure: the same parts are the same bytes. */
import { createHash } from 'node:crypto'

/** An entry of npm's list of what it has installed. */
export type InstalledPackage = { name: string; version: string; integrity?: string; license?: string }
export type DebianRecord = { name: string; version: string; architecture: string }

export type Parts = {
  image: string
  version: string
  nodeVersion: string
  installed: readonly InstalledPackage[]
  debian: readonly DebianRecord[]
  /** Of the image that it begins with. */
  others: readonly Component[]
}

export type Component = {
  type: string
  'bom-ref': string
  name: string
  version: string
  purl: string
  hashes?: { alg: string; content: string }[]
  licenses?: { expression: string }[] | { license: { name: string } }[]
}

export const billOf = ({ image, version, nodeVersion, installed, debian, others }: Parts) => {
  const all = [...others, nodeOf(nodeVersion), ...installed.map(ofNpm), ...debian.map(ofDebian)]
  const components = [...new Map(all.toReversed().map((one) => [one.purl, one])).values()].toSorted((a, b) =>
    a.purl < b.purl ? -1 : 1,
  )
  const root = { type: 'container', 'bom-ref': `watchpost-${image}`, name: `watchpost/${image}`, version }
  const body = { metadata: { component: root }, components }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  }
}

const component = (type: string, name: string, version: string, purl: string): Component => ({
  ...{ type, 'bom-ref': purl, name, version, purl },
})

const nodeOf = (version: string): Component =>
  component('platform', 'node', version, `pkg:generic/node@${version}`)

const ofNpm = ({ name, version, integrity, license }: InstalledPackage): Component => ({
  ...component(
    'library',
    name,
    version,
    `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`,
  ),
  ...(integrity?.startsWith('sha512-')
    ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }
    : {}),
  ...(license === undefined ? {} : { licenses: licensesOf(license) }),
})

/** An expression of SPDX, or whatever its author calls it. */
const licensesOf = (license: string): NonNullable<Component['licenses']> =>
  /^[\w.+()-]+( (OR|AND|WITH) [\w.+()-]+)*$/.test(license) && license !== 'UNLICENSED'
    ? [{ expression: license }]
    : [{ license: { name: license } }]

const ofDebian = ({ name, version, architecture }: DebianRecord): Component =>
  component(
    'library',
    name,
    version,
    `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
  )

const uuidOf = (text: string): string => {
  const hash = createHash('sha256').update(text).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
