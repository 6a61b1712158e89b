import { type Static, Type } from 'typebox'

/** How large the archive of a project may be, as it is uploaded. */
export const maxBundleBytes = 150 * 1024 * 1024

/** Of the stages of a run. What is left of the run's whole time (`runLimits.suite`) bounds both. */
export const suiteLimits = { installMs: 5 * 60_000, testMs: 30 * 60_000 } as const

/** What runs a suite, as its check names it. */
export const suiteEngines = ['node@22', 'node@24', 'node@26', 'bun@1.3'] as const
export type SuiteEngine = (typeof suiteEngines)[number]

/**
 * Where an agent fetches an archive: `GET`, with its key as everywhere (agent-api.ts) and the job's `bundleTicket` in the header
 * `bundle-ticket`. The answer is the archive itself (`application/gzip`, with its length), 404 where the agent does not hold a job that
 * was handed out with it. The agent holds it to the announced length and hash, and keeps it for the account by its hash.
 */
export const codeBundlePath = '/agent/v1/code-bundles/:bundleId'
export const codeBundlePathOf = (bundleId: string): string =>
  codeBundlePath.replace(':bundleId', encodeURIComponent(bundleId))

export const bundleTicketHeader = 'bundle-ticket'

const File = Type.Object({ path: Type.String({ minLength: 1 }), content: Type.String() })

/** An archive (tar, compressed by gzip) that was uploaded. `bytes`: its length as it is stored. */
export const CodeBundle = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  bytes: Type.Integer({ minimum: 1, maximum: maxBundleBytes }),
})
export type CodeBundle = Static<typeof CodeBundle>

const Path = Type.Union([Type.String({ minLength: 1 }), Type.Null()])
const Texts = Type.Array(Type.String({ minLength: 1 }))

/**
 * What the agent is told to do: to lay out a project, install what it needs, and run its tests. The bundle is unpacked first,
 * `files` come over it. `workingDir`: the folder of both commands, null: the root. `playwrightConfigPath` from there, null: as
 * the command says, or what Playwright finds. `projects` and `tags` narrow down what runs; empty: all. A test has to have one
 * of the tags. `installCommand` null: the plain install of the manager that the lock file names. `engine` null: as the files
 * say. `refreshCache`: neither kept packages nor a kept archive are used. The environment is the job's variables.
 */
export const PlaywrightSpec = Type.Object({
  files: Type.Array(File),
  bundle: Type.Union([CodeBundle, Type.Null()]),
  workingDir: Path,
  playwrightConfigPath: Path,
  projects: Texts,
  tags: Texts,
  installCommand: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  testCommand: Type.String({ minLength: 1 }),
  engine: Type.Union([Type.Enum([...suiteEngines]), Type.Null()]),
  refreshCache: Type.Boolean(),
})
export type PlaywrightSpec = Static<typeof PlaywrightSpec>
