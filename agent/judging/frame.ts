import { type JudgingTask, type PackedTask, unpackTask } from './task.ts'

/** Two lengths (32 bits each, big-endian): of the JSON, and of all bodies. */
const headBytes = 8

/** A task on a pipe, in pieces: bodies are not copied. */
export const frameOf = ({ json, bodies }: PackedTask): Uint8Array[] => {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32BE(json.length, 0)
  head.writeUInt32BE(
    bodies.reduce((sum, { length }) => sum + length, 0),
    4,
  )
  return [head, json, ...bodies]
}

/** Takes in what comes of a pipe, and gives each task that is there as a whole. */
export const createFrameReader = (onTask: (task: JudgingTask) => void): ((bytes: Buffer) => void) => {
  let part = Buffer.alloc(headBytes)
  let filled = 0
  let jsonBytes: number | null = null

  const begin = (bytes: number): void => {
    part = Buffer.allocUnsafeSlow(bytes)
    filled = 0
  }
  const end = (): void => {
    if (jsonBytes === null) {
      jsonBytes = part.readUInt32BE(0)
      begin(jsonBytes + part.readUInt32BE(4))
      return
    }
    const task = unpackTask(part.subarray(0, jsonBytes), part.subarray(jsonBytes))
    jsonBytes = null
    begin(headBytes)
    onTask(task)
  }
  return (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      const taken = bytes.copy(part, filled, at)
      at += taken
      filled += taken
      if (filled === part.length) end()
    }
  }
}
