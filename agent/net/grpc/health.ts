/** The health service that servers of gRPC share (grpc.health.v1). Pure. */
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { healthLabels } from '../../../protocol/checks/grpc-result.ts'

export const healthPath = '/grpc.health.v1.Health/Check'

const notFound = 5

/** `service`: empty for the server as a whole. */
export const healthRequest = (service: string): Uint8Array =>
  new BinaryWriter()
    .uint32((1 << 3) | 2)
    .string(service)
    .finish()

/** What was answered as its number; null: nothing that says it. A service that it does not know has a status of its own. */
export const healthStatusOf = (status: number | null, message: Uint8Array | undefined): number | null => {
  if (status === notFound) return healthLabels.indexOf('SERVICE_UNKNOWN')
  if (status !== 0 || message === undefined) return null
  try {
    const reader = new BinaryReader(message)
    let found = 0
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag()
      if (field === 1 && wireType === 0) found = reader.int32()
      else reader.skip(wireType, field)
    }
    return found
  } catch {
    // Any bytes may come from a target.
    return null
  }
}
