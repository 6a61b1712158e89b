import { Type } from 'typebox'
import type { Violation } from '../../../../protocol/validate.ts'
import { violation } from '../../../platform/http/errors.ts'
import { EnvironmentVariables } from '../../../platform/shapes/environment-variables.ts'
import { nullable } from '../../../platform/shapes/nullable.ts'
import { sharedFields } from '../../../platform/shapes/shared-fields.ts'
import type { CheckDoc, CheckFile } from '../check-doc.ts'
import { byLocation } from './analytics.ts'
import type { CheckKind } from './check-kind.ts'
import { File, minuteFrequency, without } from './fields.ts'

const engines = ['node@22', 'node@24', 'node@26', 'bun@1.3'] as const

const lockFiles = new Set(['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb'])

const Command = (fallback: string | null, description: string) =>
  nullable(Type.String({ minLength: 1, maxLength: 1000 }), { default: fallback, description })

type Suite = {
  projects: string[]
  installCommand: string | null
  testCommand: string
  workingDir: string | null
  engine: (typeof engines)[number] | null
}

/** A whole Playwright project, installed and run by its own commands. It retries by itself: no `retryStrategy`. */
export const playwright: CheckKind = {
  type: 'PLAYWRIGHT',
  path: 'playwright',
  title: 'PlaywrightSuite',
  words: 'a Playwright check suite',
  label: 'Playwright check suite',
  note: 'The files of a Playwright project, with its lock file; it is installed and run by its own commands. Retries are those of its configuration.',
  fields: {
    ...without(sharedFields, 'retryStrategy'),
    files: Type.Array(File, {
      minItems: 1,
      maxItems: 5000,
      description: 'The project: sources, configuration, package.json and a lock file',
    }),
    projects: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
      maxItems: 50,
      default: [],
      description: 'Projects of the Playwright configuration to run; empty: all',
    }),
    installCommand: Command(null, 'null: the plain install of the package manager that the lock file names'),
    testCommand: Type.String({ minLength: 1, maxLength: 1000, default: 'npx playwright test' }),
    workingDir: Command(null, 'Folder of the project, if it is not the root of the files'),
    engine: nullable(Type.Enum([...engines]), { default: null, description: 'null: as the files say' }),
    ...minuteFrequency(),
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'files'],
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
  filesField: 'files',
  needsRuntime: () => false,
  problems: (_, files) => (files === undefined ? [] : lockFileProblem(files)),
  spec: ({ doc, files }) => {
    const { projects, installCommand, testCommand, workingDir, engine } = doc as CheckDoc & Suite
    return { files, projects, installCommand, testCommand, workingDir, engine }
  },
  analytics: { path: 'playwright-checks', groupings: [byLocation] },
}

const lockFileProblem = (files: CheckFile[]): Violation[] =>
  files.some(({ path }) => lockFiles.has(path.slice(path.lastIndexOf('/') + 1)))
    ? []
    : [violation('files', 'lockFile', `must hold a lock file: one of ${[...lockFiles].join(', ')}`)]
