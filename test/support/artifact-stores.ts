/** Both stores of artifacts, for tests that say the same of each. */
import { readdirSync } from 'node:fs'
import rootTest, { type Test } from 'tap'
import { type TestApp, type TestAppOptions, testApp } from './app.ts'
import { objectStoreProblem, startObjectStore } from './object-store.ts'
import { scratchFolder } from './programs.ts'

export type TestStore = {
  /** A control plane with this store; several share it. */
  plane(t: Test, options?: TestAppOptions): Promise<TestApp>
  /** The names of what is in it. */
  files(): string[]
}

type Kind = { name: string; problem: () => string | null; open: (t: Test) => Promise<TestStore> }

const folder: Kind = {
  name: 'folder',
  problem: () => null,
  open: async (t) => {
    const path = await scratchFolder(t)
    return {
      plane: (t, options = {}) =>
        testApp(t, { ...options, env: { ...options.env, ARTIFACTS_URL: `file:${path}` } }),
      files: () =>
        readdirSync(path, { recursive: true })
          .map(String)
          .filter((name) => name.length > 10),
    }
  },
}

const bucket: Kind = {
  name: 's3',
  problem: objectStoreProblem,
  open: async (t) => {
    const server = await startObjectStore(t)
    return {
      plane: (t, options = {}) => testApp(t, { ...options, env: { ...options.env, ...server.env } }),
      files: () => server.objects().map(({ name }) => name),
    }
  },
}

/** Declares one test for each store. */
export const eachStore = (name: string, body: (t: Test, store: TestStore) => Promise<void>): void => {
  for (const kind of [folder, bucket])
    rootTest.test(`${name} (${kind.name})`, { skip: kind.problem() ?? false }, async (t) =>
      body(t, await kind.open(t)),
    )
}
