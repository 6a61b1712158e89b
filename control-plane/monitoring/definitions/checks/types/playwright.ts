import { Type } from 'typebox'
import type { PlaywrightSpec } from '../../../../../protocol/checks/playwright-spec.ts'
import type { Violation } from '../../../../../protocol/validate.ts'
import { violation } from '../../../../platform/words/errors.ts'
import { nullable } from '../../../../platform/words/shapes/nullable.ts'
import { isLockFile, lockFiles } from '../../code-bundles/inspect-archive.ts'
import type { CheckDoc, CheckFile } from '../check-doc.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import { File, minuteFrequency, without } from './fields.ts'
import { playwrightDetail } from './playwright-detail.ts'
import {
  type ClientFields,
  clientFields,
  clientFieldViolations,
  laterClientFields,
  suiteEngineOf,
  withOneBundle,
  withOneEngine,
} from './suite-client-fields.ts'

const Text = (description: string) =>
  nullable(Type.String({ minLength: 1, maxLength: 1000 }), { default: null, description })

const Names = (maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: 50, default: [], description })

type Suite = Omit<PlaywrightSpec, 'files' | 'bundle' | 'tags' | 'refreshCache' | 'engine' | 'testCommand'> &
  ClientFields & {
    codeBundleId: string | null
    testTags: string[]
    testCommand: string | null
  }

const usualCommand = 'npx playwright test'

/** Checks that were stored before suites had these fields. */
const later: Pick<Suite, 'codeBundleId' | 'testTags' | 'playwrightConfigPath'> & typeof laterClientFields = {
  ...laterClientFields,
  codeBundleId: null,
  testTags: [],
  playwrightConfigPath: null,
}

/** A whole Playwright project, installed and run by its own commands. It retries by itself: no `retryStrategy`. */
export const playwright: CheckKind = {
  type: 'PLAYWRIGHT',
  path: 'playwright',
  title: 'PlaywrightSuite',
  words: 'a Playwright check suite',
  label: 'Playwright check suite',
  purpose: 'A Playwright suite from a code bundle',
  note: 'A Playwright project with its lock file, as an uploaded code bundle, as files, or both; it is installed and run by its own commands. Retries are those of its configuration.',
  fields: {
    ...without(sharedFields, 'retryStrategy'),
    codeBundleId: nullable(Type.String({ format: 'uuid' }), {
      default: null,
      description: 'The uploaded project (`POST /v1/code-bundles`); `files` come over it',
    }),
    files: Type.Array(File, {
      maxItems: 5000,
      default: [],
      description:
        'Sources, configuration, package.json and a lock file; where there is a code bundle, what comes over it',
    }),
    projects: Names(255, 'Projects of the Playwright configuration to run; empty: all'),
    testTags: Names(255, 'Only tests with one of these tags, as `@smoke`; empty: all'),
    playwrightConfigPath: Text('The configuration, from `workingDir`; null: the one that Playwright finds'),
    installCommand: Text('null: the plain install of the package manager that the lock file names'),
    testCommand: nullable(Type.String({ minLength: 1, maxLength: 1000 }), { default: usualCommand }),
    workingDir: Text('Folder of the project, if it is not the root of the files'),
    ...clientFields,
    ...minuteFrequency(),
    environmentVariables: EnvironmentVariables,
  },
  required: ['name'],
  example: {
    name: 'Shop suite',
    files: [
      { path: 'package.json', content: '{"devDependencies": {"@playwright/test": "1.65.1"}}' },
      { path: 'package-lock.json', content: '{"lockfileVersion": 3}' },
      { path: 'tests/shop.spec.ts', content: "import { test } from '@playwright/test'" },
    ],
    projects: ['chromium'],
    locations: ['eu-west-1'],
  },
  bodyLimit: 10 * 1024 * 1024,
  scheduled: true,
  takesVariables: true,
  runsScripts: true,
  opensPages: true,
  filesField: 'files',
  takesBundle: true,
  needsRuntime: () => false,
  neededEngine: (check) => suiteEngineOf({ ...later, ...(check as Suite) }),
  problems: (doc, files) => [...sourceViolations(doc, files), ...clientFieldViolations(doc)],
  complete: (given, before) => withUsualCommand(withOneEngine(withOneBundle(given, before), before)),
  show: (doc) => ({ ...later, ...doc, codeBundlePath: doc.codeBundleId ?? null }) as CheckDoc,
  spec: ({ doc, files, bundle, refreshCache }): PlaywrightSpec => {
    const suite = { ...later, ...(doc as CheckDoc & Suite) }
    const { projects, testTags, playwrightConfigPath, installCommand, testCommand, workingDir } = suite
    return {
      files,
      bundle,
      workingDir,
      playwrightConfigPath,
      projects,
      tags: testTags,
      installCommand,
      testCommand: testCommand ?? usualCommand,
      engine: suiteEngineOf(suite),
      refreshCache,
    }
  },
  analytics: { path: 'playwright-checks', groupings: [byLocation] },
  detail: playwrightDetail,
}

const withUsualCommand = (doc: CheckDoc): CheckDoc =>
  (doc as Partial<Suite>).testCommand === null ? ({ ...doc, testCommand: usualCommand } as CheckDoc) : doc

/** A bundle has been looked into when it was uploaded. */
function sourceViolations({ codeBundleId = null }: CheckDoc, files: CheckFile[] | undefined): Violation[] {
  if (codeBundleId !== null || files === undefined) return []
  if (files.length === 0) return [violation('files', 'source', 'or "codeBundleId" must say what to run')]
  return files.some(({ path }) => isLockFile(path))
    ? []
    : [violation('files', 'lockFile', `must hold a lock file: one of ${[...lockFiles].join(', ')}`)]
}
