import type { Body } from '../assertions/material.ts'
import { decodeBody } from '../net/http/stored-body.ts'

/** The text of a body. */
export const decode = ({ bytes, type }: Body): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return type === null ? buffer.toString('utf8') : decodeBody(buffer, type)
}
