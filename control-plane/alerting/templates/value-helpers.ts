/** The helpers of both programs as Handlebars calls them, and the year. The clock and the randomness are given. */
import {
  type HelperSources,
  sharedHelpers,
  type TemplateHelper,
} from '../../../protocol/templates/helpers.ts'
import type { World } from './template.ts'

type Options = { hash: Record<string, unknown> }
type Helper = (...given: unknown[]) => unknown

export const valueHelpers = (world: World): Record<string, Helper> => {
  const sources = sourcesOf(world)
  const shared = Object.entries(sharedHelpers).map(([name, helper]) => [name, called(name, helper, sources)])
  return { ...Object.fromEntries(shared), year: () => new Date(world.now).getUTCFullYear() }
}

/** A format may also be given by its name: `{{moment format="X"}}`. */
const called =
  (name: string, { maxArguments, reads, make }: TemplateHelper, sources: HelperSources): Helper =>
  (...given) => {
    const { hash } = given.at(-1) as Options
    const values = given.slice(0, -1).map((value) => String(value ?? ''))
    const named = hash['format'] === undefined ? [] : [String(hash['format'])]
    const made = make((values.length > 0 ? values : named).slice(0, maxArguments), sources)
    // What was given may be a secret: it is not repeated.
    if (made === null) throw new Error(`"${name}" reads ${reads}`)
    return made
  }

const sourcesOf = ({ now, randomBytes }: World): HelperSources => ({
  now: () => now,
  random: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  newId: () => uuidV4(randomBytes(16)),
})

/** RFC 9562 section 5.4. */
const uuidV4 = (bytes: Buffer): string => {
  const made = Buffer.from(bytes)
  made.writeUInt8((made.readUInt8(6) & 0x0f) | 0x40, 6)
  made.writeUInt8((made.readUInt8(8) & 0x3f) | 0x80, 8)
  return made.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
