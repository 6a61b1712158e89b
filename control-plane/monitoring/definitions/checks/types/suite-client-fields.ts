/** What clients of such services say of a suite in words of their own: taken, and shown again as it was sent. Pure. */
import { Type } from 'typebox'
import { type SuiteEngine, suiteEngines } from '../../../../../protocol/checks/playwright-spec.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import type { CheckDoc } from '../check-doc.ts'

const runners = ['node', 'bun'] as const
type Runner = (typeof runners)[number]

/** All that an agent has. */
const browser = 'chromium'
const others = ['firefox', 'webkit', 'chrome', 'msedge'] as const

export type ClientFields = {
  engine: SuiteEngine | Runner | null
  engineVersion: string | null
  playwrightVersion: string | null
  browsers: string[]
  cacheHash: string | null
}

const Kept = nullable(Type.String({ minLength: 1, maxLength: 255 }), {
  default: null,
  description: 'Kept and shown, without effect',
})

export const clientFields = {
  /** Without a default: a creation that names the bundle otherwise does not say that there is none. */
  codeBundlePath: Type.Optional(
    nullable(Type.String({ format: 'uuid' }), {
      description:
        'Another name of `codeBundleId`: the key that `POST /next/checkly-storage/upload-code-bundle` answers. Of the two, the one that says something new counts',
    }),
  ),
  engine: nullable(Type.Enum([...runners, ...suiteEngines]), {
    default: null,
    description: 'null: as the files say',
  }),
  engineVersion: nullable(Type.String({ minLength: 1, maxLength: 32 }), {
    default: null,
    description: 'With `node` or `bun`: its version, such as `24` or `24.1.0`',
  }),
  playwrightVersion: Kept,
  browsers: Type.Array(Type.Enum([browser, ...others]), {
    uniqueItems: true,
    maxItems: 1 + others.length,
    default: [],
    description: 'Kept and shown, without effect',
  }),
  cacheHash: Kept,
}

export const laterClientFields: Omit<ClientFields, 'engine'> = {
  engineVersion: null,
  playwrightVersion: null,
  browsers: [],
  cacheHash: null,
}

/** What is sent on top of what is stored. The other name of the bundle is never stored. */
type Sent = CheckDoc & Partial<ClientFields> & { codeBundlePath?: string | null }

/** Whoever sends back what was read says all of it, and means what differs. Two that differ in two ways stay, to be refused. */
export const withOneBundle = (given: CheckDoc, before: CheckDoc | null): CheckDoc => {
  const { codeBundlePath: path, ...doc } = given as Sent
  const id = doc.codeBundleId ?? null
  const old = before?.codeBundleId ?? null
  if (path === undefined || path === id || path === old) return doc
  return id === old ? { ...doc, codeBundleId: path } : given
}

/** An engine that is said otherwise than before takes its version along. */
export const withOneEngine = (given: CheckDoc, before: CheckDoc | null): CheckDoc => {
  const { engine, engineVersion } = given as Sent
  const old = before as Sent | null
  const isRunner = runners.some((one) => one === engine)
  return isRunner || old === null || engineVersion !== (old.engineVersion ?? null)
    ? given
    : ({ ...given, engineVersion: null } as CheckDoc)
}

/** Versions are said to the last digit, or not so far: what runs them has one of each. */
export const suiteEngineOf = ({
  engine,
  engineVersion,
}: Pick<ClientFields, 'engine' | 'engineVersion'>): SuiteEngine | null =>
  suiteEngines.find((one) => one === engine || `${engine}@${engineVersion}.`.startsWith(`${one}.`)) ?? null

export const clientFieldViolations = (doc: CheckDoc): Violation[] => {
  const { codeBundlePath, codeBundleId, engine = null, engineVersion = null, browsers = [] } = doc as Sent
  return [
    ...(codeBundlePath === undefined
      ? []
      : [
          violation(
            'codeBundlePath',
            'same',
            `is another name of "codeBundleId" and says ${codeBundlePath}, which is not ${codeBundleId}`,
          ),
        ]),
    ...engineViolations({ engine, engineVersion }),
    ...(browsers.length === 0 || browsers.includes(browser)
      ? []
      : [violation('browsers', 'available', `must have "${browser}": agents have no other browser`)]),
  ]
}

const engineViolations = (said: Pick<ClientFields, 'engine' | 'engineVersion'>): Violation[] => {
  const { engine, engineVersion } = said
  const isRunner = runners.some((one) => one === engine)
  if (!isRunner)
    return engineVersion === null
      ? []
      : [violation('engineVersion', 'engine', 'is only for an "engine" that is node or bun')]
  return suiteEngineOf(said) === null
    ? [
        violation(
          'engineVersion',
          'available',
          `must name an engine that there is: ${engine} ${suiteEngines
            .filter((one) => one.startsWith(`${engine}@`))
            .map((one) => one.slice(one.indexOf('@') + 1))
            .join(', ')}`,
        ),
      ]
    : []
}
