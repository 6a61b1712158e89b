/** Whether a release is what it says: every byte of it, who signed it, and that its commit makes the same. */
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  filesIn,
  makeRelease,
  type Order,
  provenanceFile,
  subjectsOf,
  sumsFile,
  toSign,
} from './make-release.ts'
import { sha256, sha256OfFile } from './oci-layout.ts'
import type { Choices, Provenance, Statement, ToolVersions } from './provenance.ts'
import { toolsOf } from './release-images.ts'
import {
  signatureFiles,
  signatureFolder,
  signaturesIn,
  signedProvenance,
  sumsSignature,
} from './signatures.ts'

/** Whether a key has made a signature. */
export type Judge = (message: Buffer, signature: Buffer) => boolean

const isSignature = (path: string): boolean =>
  path.startsWith(`${signatureFolder}/`) || path === sumsSignature || path === signedProvenance

type Sums = { lines: Map<string, string>; problems: string[] }

const readSums = (folder: string): Sums => {
  const text = readFileSync(join(folder, sumsFile), 'utf8')
  const lines = new Map<string, string>()
  const problems: string[] = []
  for (const line of text.split('\n').slice(0, -1)) {
    const [, sum = '', path = ''] = /^([0-9a-f]{64}) {2}([^\0]+)$/.exec(line) ?? []
    if (path === '')
      problems.push(`${sumsFile} has a line that is none: ${JSON.stringify(line.slice(0, 100))}`)
    else lines.set(path, sum)
  }
  const written = [...lines].map(([path, sum]) => `${sum}  ${path}\n`).join('')
  if (problems.length === 0 && written !== text) problems.push(`${sumsFile} is not as it was written`)
  return { lines, problems }
}

/** Every file against its sum: changed, missing, or not part of the release. */
const checkFiles = async (folder: string): Promise<string[]> => {
  if (!existsSync(join(folder, sumsFile))) return [`there is no ${sumsFile} in ${folder}`]
  const { lines, problems } = readSums(folder)
  const found = filesIn(folder).filter((path) => path !== sumsFile && !isSignature(path))
  for (const path of found) {
    const sum = lines.get(path)
    if (!lstatSync(join(folder, path)).isFile()) problems.push(`${path} is no file`)
    else if (sum === undefined)
      problems.push(`${path} is not part of the release: ${sumsFile} does not name it`)
    else if ((await sha256OfFile(join(folder, path))) !== sum)
      problems.push(`${path} is changed: it is not what ${sumsFile} says`)
  }
  const missing = [...lines.keys()].filter((path) => !found.includes(path))
  return [...problems, ...missing.map((path) => `${path} is missing`)]
}

const readStatement = (folder: string): Statement =>
  JSON.parse(readFileSync(join(folder, provenanceFile), 'utf8'))

const checkSubjects = async (folder: string): Promise<string[]> => {
  const said = JSON.stringify(readStatement(folder).subject)
  return said === JSON.stringify(await subjectsOf(folder))
    ? []
    : [`${provenanceFile} speaks of other digests than those that are here`]
}

/**
 * The same files are made again from the signatures that are there: what is not one of these bytes is named. `judge`: null where
 * no key was given.
 */
const checkSignatures = (folder: string, judge: Judge | null): string[] => {
  const there = new Map(
    filesIn(folder)
      .filter(isSignature)
      .map((path) => [path, readFileSync(join(folder, path))]),
  )
  if (there.size === 0) return judge === null ? [] : ['the release is not signed']
  const all = toSign(folder)
  const known = signaturesIn(there)
  const ofSums = there.get(sumsSignature)?.toString('utf8') ?? ''
  known.set(sha256(all.sums), Buffer.from(ofSums, 'base64'))
  const problems: string[] = []
  const expected = signatureFiles(all, (message, of) => {
    const signature = known.get(sha256(message))
    if (signature === undefined) problems.push(`${of} is not signed`)
    else if (judge !== null && !judge(message, signature)) problems.push(`${of} is not signed by this key`)
    return signature ?? Buffer.alloc(0)
  })
  for (const [path, bytes] of expected) {
    const found = there.get(path)
    if (found === undefined) problems.push(`${path} is missing`)
    else if (!found.equals(bytes)) problems.push(`${path} is changed`)
  }
  const strange = [...there.keys()].filter((path) => !expected.has(path))
  return [...problems, ...strange.map((path) => `${path} is no signature of this release`)]
}

/** Without making anything: sums, digests, signatures. What is wrong, a sentence each. */
export const checkRelease = async (folder: string, judge: Judge | null): Promise<string[]> => {
  const problems = await checkFiles(folder)
  if (problems.length > 0) return problems
  return [...(await checkSubjects(folder)), ...checkSignatures(folder, judge)]
}

/** What was chosen when it was made, and of which commit. */
export const readMade = (folder: string) => {
  const predicate = readStatement(folder).predicate as Provenance
  const { version, ...choices } = predicate.buildDefinition.externalParameters
  const commit = predicate.buildDefinition.resolvedDependencies[0]?.digest['gitCommit'] ?? ''
  return { version, commit, choices: choices satisfies Choices, tools: predicate.runDetails.builder.version }
}

/** Makes the release again, and names each file that is another. `order.tools`: those that it says it was made with. */
export const compareWithRebuilt = async (
  folder: string,
  order: Omit<Order, 'out' | 'sign'> & { tools: ToolVersions },
): Promise<string[]> => {
  const work = mkdtempSync(join(tmpdir(), 'watchpost-verify-'))
  try {
    const again = join(work, 'release')
    await makeRelease({ ...order, sign: null, out: again })
    const [released, rebuilt] = [readSums(folder).lines, readSums(again).lines]
    const paths = [...new Set([...released.keys(), ...rebuilt.keys()])].toSorted()
    const differences = paths.flatMap((path) => {
      if (released.get(path) === rebuilt.get(path)) return []
      if (!rebuilt.has(path)) return [`${path} is not what the commit makes: nothing of that name is made`]
      if (!released.has(path)) return [`${path} is made by the commit, and not in the release`]
      return [`${path} is not what the commit makes${otherParts(join(folder, path), join(again, path))}`]
    })
    return differences.length === 0
      ? []
      : [...differences, ...otherTools(order.tools, await toolsOf(order.images))]
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

const maxNamed = 10

/** Which packages differ, where two bills of materials do: a newer one of Debian is the usual reason for another image. */
const otherParts = (released: string, rebuilt: string): string => {
  if (!released.endsWith('.cdx.json')) return ''
  const [before, now] = [released, rebuilt].map((path) => {
    const { components } = JSON.parse(readFileSync(path, 'utf8')) as { components: { purl: string }[] }
    return new Set(components.map(({ purl }) => purl))
  })
  if (before === undefined || now === undefined) return ''
  const gone = [...before].filter((purl) => !now.has(purl)).map((purl) => `without ${purl}`)
  const fresh = [...now].filter((purl) => !before.has(purl)).map((purl) => `with ${purl}`)
  const all = [...gone, ...fresh]
  return all.length === 0
    ? ''
    : `: now ${all.slice(0, maxNamed).join(', ')}${all.length > maxNamed ? ', …' : ''}`
}

/** What else may be the reason. */
const otherTools = (made: ToolVersions, here: ToolVersions): string[] =>
  Object.keys(made)
    .filter((tool) => made[tool] !== here[tool])
    .map((tool) => `it was made with ${tool} ${made[tool]}, here is ${here[tool] ?? 'none'}: that may be why`)
