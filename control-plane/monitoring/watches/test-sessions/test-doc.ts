/** `test_sessions.doc`: what whoever started a test told of it. */
import { type Static, Type } from 'typebox'
import { storedDoc } from '../../../platform/store/database/stored-doc.ts'

const text = Type.Optional(Type.String({ maxLength: 2048 }))

/** Of the commit that is tested, and where: shown, and searched for. */
export const TestMetadata = Type.Object(
  {
    environment: text,
    repoUrl: text,
    commitId: text,
    commitOwner: text,
    commitMessage: text,
    branchName: text,
    deploymentId: text,
  },
  { title: 'TestSessionMetadata' },
)
export type TestMetadata = Static<typeof TestMetadata>

const StoredTest = Type.Object({
  location: Type.String({ default: '' }),
  /** What the client that started it calls it: it hears results by that. */
  suiteId: Type.Optional(Type.String()),
  /** Of checks that nobody saved, in their order: where the client has them. */
  sourceFiles: Type.Optional(Type.Array(Type.String())),
  metadata: TestMetadata,
})
type StoredTest = Static<typeof StoredTest>

export const testDoc = storedDoc<typeof StoredTest, StoredTest>({ name: 'test session', schema: StoredTest })
