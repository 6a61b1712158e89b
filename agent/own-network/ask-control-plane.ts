import { isIP } from 'node:net'
import { codeOf } from '../net/connect/failures.ts'
import type { Family } from '../net/connect/lookup.ts'
import type { Io } from '../net/io.ts'
import type { Neighbour } from './evidence.ts'

/** Where the connections of an agent to its control plane go: there, or to the proxy on the way. */
export type ControlPlaneAddress = { host: string; port: number }

/** How long its name may take, and a connection: as long as one packet may be lost. */
const lookupWithinMs = 500
const connectWithinMs = 1500

/** A refusal comes from somebody, too. */
const answers: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET'])
const silentLookups: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ETIMEOUT', 'ESERVFAIL', 'TIMEOUT'])

type QuestionIo = Pick<Io, 'clock' | 'connect' | 'lookup'>

/**
 * Opens connections to the control plane and closes them: whether its program has time for us is of no interest here. Its last
 * addresses are remembered, so that name servers that are away do not make it silent.
 */
export const controlPlaneQuestion = ({ host, port }: ControlPlaneAddress, io: QuestionIo) => {
  let known: string[] = []
  return async (): Promise<Neighbour> => {
    const found = isIP(host) === 0 ? await findAddresses(host, io) : [host]
    if (Array.isArray(found)) known = found
    else if (known.length === 0) return silentLookups.has(found.code) ? 'silent' : 'unknown'
    const tried = await Promise.all(known.map((address) => tryConnection({ host: address, port }, io)))
    return tried.find((neighbour) => neighbour !== 'silent') ?? 'silent'
  }
}

/** The first of each family, or the code of what went wrong. */
const findAddresses = async (
  host: string,
  { lookup, clock }: QuestionIo,
): Promise<string[] | { code: string }> => {
  const over = new AbortController()
  const late = clock.sleep(lookupWithinMs, over.signal).then(() => ({ code: 'TIMEOUT' }))
  const ask = (family: Family): Promise<string | Error> =>
    lookup(host, family).then(
      ([first]) => first?.address ?? new Error('no address'),
      (error: Error) => error,
    )
  const found = Promise.all([ask(4), ask(6)]).then((answers) => {
    const addresses = answers.filter((answer) => typeof answer === 'string')
    const [error] = answers.filter((answer) => typeof answer !== 'string')
    return addresses.length > 0 || error === undefined ? addresses : { code: codeOf(error) }
  })
  return Promise.race([found, late]).finally(() => over.abort())
}

const tryConnection = (to: ControlPlaneAddress, { clock, connect }: QuestionIo): Promise<Neighbour> =>
  new Promise((resolve) => {
    const socket = connect(to)
    const done = (neighbour: Neighbour): void => {
      cancel()
      resolve(neighbour)
      socket.destroy()
    }
    const cancel = clock.at(connectWithinMs, () => done('silent'))
    // On this machine it answers without any network.
    socket.once('connect', () => done(socket.localAddress === socket.remoteAddress ? 'unknown' : 'answers'))
    socket.on('error', (error) => done(answers.has(codeOf(error)) ? 'answers' : 'silent'))
  })
