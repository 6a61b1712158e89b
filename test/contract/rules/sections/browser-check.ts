import type { Sections } from '../rule.ts'

export const browserCheck: Sections = {
  'Browser check': [
    'script: text or null, required',
    'scriptPath: text or null',
    'dependencies: list of path and content, or null',
    'sslCheckDomain: a fully qualified domain name or null',
    'environmentVariables: a list of at most 100 items, or null',
    'every field of the table is in what is read, with its type',
  ],
}
