import { Type } from 'typebox'
import type { CheckDoc } from '../check-doc.ts'
import { EnvironmentVariables } from '../environment-variables.ts'
import { sharedFields } from '../shared-fields.ts'
import { agenticDetail } from './agentic-detail.ts'
import type { CheckKind } from './check-kind.ts'
import { minuteFrequency } from './fields.ts'

/** A task in words that a language model carries out. */
export const agentic: CheckKind = {
  type: 'AGENTIC',
  path: 'agentic',
  title: 'AgenticCheck',
  words: 'an agentic check',
  label: 'Agentic check',
  purpose: 'A goal in words, followed by a model in a browser',
  note: 'A task in words that a language model carries out and judges.',
  fields: {
    ...sharedFields,
    prompt: Type.String({ minLength: 1, maxLength: 10_000 }),
    ...minuteFrequency(5, 30),
    environmentVariables: EnvironmentVariables,
  },
  required: ['name', 'prompt'],
  example: {
    name: 'Buy a book',
    prompt: 'Open https://example.com, put a book into the basket and check that the total is shown.',
    locations: ['eu-west-1'],
  },
  scheduled: true,
  takesVariables: true,
  runsScripts: true,
  opensPages: true,
  needsRuntime: () => false,
  neededSettings: ['AGENT_LLM_BASE_URL', 'AGENT_LLM_API_KEY', 'AGENT_LLM_MODEL'],
  spec: ({ doc }) => ({ prompt: (doc as CheckDoc & { prompt: string }).prompt, shouldFail: doc.shouldFail }),
  detail: agenticDetail,
}
