import { maxRequestLength } from '../../protocol/checks/api.ts'
import { RequestError } from './request-error.ts'

/** What several templates together may make. Characters, each of which is a byte or a few. */
export type Room = { left: number; sentence: string }

const megabyte = 1024 * 1024

const roomFor = (what: string, left: number): Room => ({
  left,
  sentence: `With their variables, ${what} are longer than ${left < megabyte ? `${left / 1024} KB` : `${left / megabyte} MB`}`,
})

export const roomForAddress = (): Room =>
  roomFor('the address and the query parameters', maxRequestLength.queryParameters)
export const roomForHeaders = (): Room => roomFor('the headers', maxRequestLength.headers)
export const roomForRequest = (): Room => roomFor('all parts of the request', maxRequestLength.body)

export const roomForOne = (field: string): Room => ({
  left: maxRequestLength.body,
  sentence: `With its variables, ${field} is longer than ${maxRequestLength.body / megabyte} MB`,
})

/** Throws RequestError when there is not so much left. */
export const take = (room: Room, length: number): void => {
  room.left -= length
  if (room.left < 0) throw new RequestError('TEMPLATE_TOO_LARGE', room.sentence)
}
