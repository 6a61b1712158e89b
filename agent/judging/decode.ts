import type { Body } from '../assertions/material.ts'
import { bodyText } from '../net/http/body-text.ts'

/** The text of a body. */
export const decode = ({ bytes, type, isUtf8, cut }: Body): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return type === null
    ? buffer.toString('utf8')
    : bodyText({ bytes: buffer, contentType: isUtf8 ? '' : type, cut })
}
