/** What a server says of its own services (gRPC server reflection, v1 and before it v1alpha). */
import { fromBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import type { Metadata, RpcAnswer, RpcSession } from './rpc.ts'

const maxFiles = 200
const services = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection']
const unimplemented = 12

/** Fields of ServerReflectionRequest and ServerReflectionResponse. */
const asks = { fileByName: 3, fileContaining: 4 }
const answers = { files: 4, error: 7 }

type ReflectionContext = { session: RpcSession; metadata: readonly Metadata[]; timeLeftMs(): number }

type Reflected = { files: FileDescriptorProto[] } | { answer: RpcAnswer | null; reason: string }

/** The file that has the symbol, and all that it depends on. */
export const reflect = async (symbol: string, context: ReflectionContext): Promise<Reflected> => {
  let last: Reflected = { answer: null, reason: 'it was not asked' }
  for (const service of services) {
    last = await reflectBy(service, symbol, context)
    if ('files' in last || last.answer?.status !== unimplemented) return last
  }
  return { ...last, reason: 'it does not offer reflection' }
}

const reflectBy = async (
  service: string,
  symbol: string,
  { session, metadata, timeLeftMs }: ReflectionContext,
): Promise<Reflected> => {
  const files = new Map<string, FileDescriptorProto>()
  const wanted: [field: number, text: string][] = [[asks.fileContaining, symbol]]
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const [field, text] = next
    if (field === asks.fileByName && files.has(text)) continue
    if (files.size > maxFiles)
      return { answer: null, reason: `its services need more than ${maxFiles} files` }
    const path = `/${service}/ServerReflectionInfo`
    const message = new BinaryWriter()
      .uint32((field << 3) | 2)
      .string(text)
      .finish()
    const answer = await session.call({ path, message, metadata, timeoutMs: timeLeftMs() })
    const [content] = answer.messages
    if (answer.status !== 0 || content === undefined) return { answer, reason: reasonOf(answer) }
    const read = readResponse(content)
    if ('reason' in read) return { answer: null, reason: read.reason }
    for (const file of read.files) {
      files.set(file.name, file)
      wanted.push(...file.dependency.map((name): [number, string] => [asks.fileByName, name]))
    }
    if (read.files.length === 0) return { answer: null, reason: `it knows nothing of ${text}` }
  }
  return { files: [...files.values()] }
}

const reasonOf = ({ status, statusMessage }: RpcAnswer): string =>
  status === 0 ? 'the answer is empty' : `status ${status ?? 'unknown'} ${statusMessage}`.trim()

const readResponse = (content: Buffer): { files: FileDescriptorProto[] } | { reason: string } => {
  try {
    const files: FileDescriptorProto[] = []
    const reader = new BinaryReader(content)
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag()
      if (field === answers.error) return { reason: errorOf(reader.bytes()) }
      if (field !== answers.files) {
        reader.skip(wireType, field)
        continue
      }
      files.push(...filesOf(reader.bytes()))
    }
    return { files }
  } catch {
    // Any bytes may come from a target.
    return { reason: 'its answer cannot be read' }
  }
}

const filesOf = (content: Uint8Array): FileDescriptorProto[] => {
  const files: FileDescriptorProto[] = []
  const reader = new BinaryReader(content)
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === 1) files.push(fromBinary(FileDescriptorProtoSchema, reader.bytes()))
    else reader.skip(wireType, field)
  }
  return files
}

const errorOf = (content: Uint8Array): string => {
  const reader = new BinaryReader(content)
  let message = ''
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    if (field === 2) message = reader.string()
    else reader.skip(wireType, field)
  }
  return message || 'it says that there was an error'
}
