/** What an image is made of, as CycloneDX 1.6 has it. Pure: the same parts are the same bytes. */
import { createHash } from 'node:crypto'

/** An entry of npm's list of what it has installed, with the folder that it lies in. */
export type InstalledPackage = {
  path: string
  name: string
  version: string
  integrity?: string
  license?: string
  dependencies?: { [name: string]: string }
  optionalDependencies?: { [name: string]: string }
  peerDependencies?: { [name: string]: string }
}
/** `depends` and `provides` as Debian writes them: `libc6 (>= 2.38), default-mta | mail-transport-agent`. */
export type DebianRecord = {
  name: string
  version: string
  architecture: string
  depends: string
  provides: string
}
export type Dependency = { ref: string; dependsOn: string[] }

export type Parts = {
  /** An image, unless it is said to be something else. */
  kind?: 'application'
  image: string
  version: string
  /** Null where whoever runs it has one. */
  nodeVersion: string | null
  installed: readonly InstalledPackage[]
  debian: readonly DebianRecord[]
  /** Of the image that it begins with. */
  below: { components: readonly Component[]; dependencies: readonly Dependency[] } | null
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

export const billOf = ({ kind, image, version, nodeVersion, installed, debian, below }: Parts) => {
  const all = [
    ...(below?.components ?? []),
    ...(nodeVersion === null ? [] : [nodeOf(nodeVersion)]),
    ...installed.map(ofNpm),
    ...debian.map(ofDebian),
  ]
  const components = [...new Map(all.toReversed().map((one) => [one.purl, one])).values()].toSorted((a, b) =>
    a.purl < b.purl ? -1 : 1,
  )
  const root = {
    type: kind ?? 'container',
    'bom-ref': `watchpost-${image}`,
    name: `watchpost/${image}`,
    version,
  }
  const edges = [...ofBelow(below), ...npmEdges(installed), ...debianEdges(debian)]
  const dependencies = graphOf(root['bom-ref'], components, edges)
  const body = { metadata: { component: root }, components, dependencies }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  }
}

type Edge = { from: string; to: string }

/** The image below has a component of its own for itself, which this bill has not. */
const ofBelow = (below: Parts['below']): Edge[] =>
  (below?.dependencies ?? [])
    .filter(({ ref }) => below?.components.some((one) => one['bom-ref'] === ref))
    .flatMap(({ ref, dependsOn }) => dependsOn.map((to) => ({ from: ref, to })))

/** As Node finds packages: in the nearest `node_modules` above. */
const nearest = <P>(byPath: ReadonlyMap<string, P>, from: string, name: string): P | undefined => {
  const parts = from.split('/')
  return parts
    .map((_, up) => [...parts.slice(0, parts.length - up), 'node_modules', name].join('/'))
    .concat(`node_modules/${name}`)
    .map((path) => byPath.get(path))
    .find((found) => found !== undefined)
}

const neededBy = (
  byPath: ReadonlyMap<string, InstalledPackage>,
  { path, peerDependencies, optionalDependencies, dependencies }: InstalledPackage,
): InstalledPackage[] =>
  Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })
    .map((name) => nearest(byPath, path, name))
    .filter((found) => found !== undefined)

const npmEdges = (installed: readonly InstalledPackage[]): Edge[] => {
  const byPath = new Map(installed.map((one) => [one.path, one]))
  return installed.flatMap((one) =>
    neededBy(byPath, one).map((found) => ({ from: ofNpm(one).purl, to: ofNpm(found).purl })),
  )
}

/** Of all packages those that the named ones at the top lead to. */
export const reachedFrom = (
  names: readonly string[],
  all: readonly InstalledPackage[],
): InstalledPackage[] => {
  const byPath = new Map(all.map((one) => [one.path, one]))
  const reached = new Set<InstalledPackage>()
  const reach = (one: InstalledPackage | undefined): void => {
    if (one === undefined || reached.has(one)) return
    reached.add(one)
    for (const next of neededBy(byPath, one)) reach(next)
  }
  for (const name of names) reach(byPath.get(`node_modules/${name}`))
  return [...reached]
}

/** Of alternatives whatever is there; what is not there is not needed here. */
const debianEdges = (records: readonly DebianRecord[]): Edge[] => {
  const names = (list: string): string[] =>
    list
      .split(/[,|]/)
      .map((part) => part.trim().split(/[\s:(]/, 1)[0] ?? '')
      .filter(Boolean)
  const providers = records.flatMap((record) =>
    [record.name, ...names(record.provides)].map((name): [string, DebianRecord] => [name, record]),
  )
  // A package's own name goes before what others provide under it.
  const byName = new Map([...providers, ...records.map((one): [string, DebianRecord] => [one.name, one])])
  return records.flatMap((record) =>
    names(record.depends).flatMap((name) => {
      const found = byName.get(name)
      return found === undefined || found === record
        ? []
        : [{ from: ofDebian(record).purl, to: ofDebian(found).purl }]
    }),
  )
}

/** What each component needs; the image itself what nothing else leads to. */
const graphOf = (root: string, components: readonly Component[], edges: readonly Edge[]): Dependency[] => {
  const refs = components.map((one) => one['bom-ref'])
  const needs = new Map(refs.map((ref) => [ref, new Set<string>()]))
  for (const { from, to } of edges) if (from !== to && needs.has(to)) needs.get(from)?.add(to)
  const reached = new Set<string>()
  const reach = (ref: string): void => {
    if (reached.has(ref)) return
    reached.add(ref)
    for (const next of needs.get(ref) ?? []) reach(next)
  }
  const needed = new Set([...needs.values()].flatMap((of) => [...of]))
  const first = refs.filter((ref) => !needed.has(ref))
  first.forEach(reach)
  // Of packages that need each other, and that nothing else needs, one.
  for (const ref of refs)
    if (!reached.has(ref)) {
      first.push(ref)
      reach(ref)
    }
  return [
    { ref: root, dependsOn: first.toSorted() },
    ...[...needs].map(([ref, of]) => ({ ref, dependsOn: [...of].toSorted() })),
  ]
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
