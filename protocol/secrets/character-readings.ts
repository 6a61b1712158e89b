/**
 * What a place of a text may say: the character that stands there, and those that it may spell (percent-encoded, escaped
 * for a program or for HTML, quoted-printable). All of them count, since nobody knows who wrote the text. Pure.
 */

import { readEntity } from './entity-readings.ts'
import { readEscapes } from './escape-readings.ts'
import { add, addByte, byteCode, emptyCode, hexPair, paired, type Readings, wellFormed } from './readings.ts'

/** Units that may begin a spelling, or that mean more than themselves. */
export const isSpecial = (unit: number): boolean => unit >= 128 || special[unit] === 1

const special = new Uint8Array(128)
for (const character of '\0\n\r%&+=\\') special[character.charCodeAt(0)] = 1

const [percent, ampersand, plus, equals, backslash] = [37, 38, 43, 61, 92]

/** Fills `into`: the characters themselves first. */
export const readAt = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  into.count = 0
  const unit = units[at] as number
  const pair = unit >= 0xd800 && unit <= 0xdbff ? (units[at + 1] as number) : 0
  if (pair >= 0xdc00 && pair <= 0xdfff && at + 1 < end) add(into, paired(unit, pair), at + 2)
  else add(into, wellFormed(unit), at + 1)
  if (unit >= 128) {
    if (unit <= 255) readHigh(units, end, at, into)
  } else if (unit === percent) readPercent(units, end, at, into)
  else if (unit === backslash) readEscapes(units, end, at, into)
  else if (unit === ampersand) readEntity(units, end, at, into)
  else if (unit === plus) add(into, 32, at + 1)
  else if (unit === equals) readQuoted(units, end, at, into)
}

/** A byte of UTF-8, or one that was taken for a character and written in UTF-8 again. */
const readHigh = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  const unit = units[at] as number
  add(into, byteCode | unit, at + 1)
  const next = at + 1 < end ? (units[at + 1] as number) : 0
  if ((unit === 0xc2 || unit === 0xc3) && next >= 0x80 && next <= 0xbf)
    add(into, byteCode | ((unit & 3) << 6) | (next & 0x3f), at + 2)
}

/** Its percent sign may itself be encoded, up to three times. */
const readPercent = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  let position = at + 1
  for (let times = 0; times <= 3; times += 1) {
    const byte = hexPair(units, end, position)
    if (byte === -1) return
    addByte(into, byte, position + 2)
    if (byte !== percent) return
    position += 2
  }
}

const readQuoted = (units: Uint16Array, end: number, at: number, into: Readings): void => {
  const byte = hexPair(units, end, at + 1)
  if (byte !== -1) addByte(into, byte, at + 3)
  const unit = at + 1 < end ? units[at + 1] : 0
  if (unit === 10) add(into, emptyCode, at + 2)
  else if (unit === 13 && at + 2 < end && units[at + 2] === 10) add(into, emptyCode, at + 3)
}
