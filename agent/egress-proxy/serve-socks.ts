import { isIP } from 'node:net'
import { codeOf } from '../net/connect/failures.ts'
import type { Family } from '../net/connect/lookup.ts'
import { answerQuestion } from './answer-question.ts'
import type { Client } from './client.ts'
import { dial } from './dial.ts'
import { readMessage } from './read-message.ts'
import { relay } from './relay.ts'
import {
  commands,
  failureReply,
  greetingReply,
  readGreeting,
  readRequest,
  readWord,
  type SocksRequest,
  successReply,
  unknownCommand,
} from './socks.ts'

/** More than the longest message there is. */
const maxBytes = 600

export const serveSocks = async (client: Client): Promise<void> => {
  const { socket } = client
  const accepted = await readMessage(socket, readGreeting, maxBytes)
  if (accepted !== null) socket.write(greetingReply(accepted))
  if (accepted !== true) return void socket.destroySoon()
  const request = await readMessage(socket, readRequest, maxBytes)
  if (request === null) return void socket.destroy()
  client.understood()
  if (request.command === commands.connect || request.command === commands.connectOnWord)
    await connect(request, client)
  else if (request.command === commands.resolve) await resolveName(request, client)
  else if (request.command === commands.question) {
    const answer = await answerQuestion(request, client)
    end(client, Buffer.concat([successReply(null, 0), Buffer.from(JSON.stringify(answer))]))
  } else end(client, unknownCommand)
}

const end = ({ socket }: Client, last: Buffer): void => {
  // What it still sends is discarded.
  socket.resume()
  socket.end(last, () => socket.destroy())
}

const connect = async ({ command, host, port }: SocksRequest, client: Client): Promise<void> => {
  const { socket, session, signal } = client
  const connection = await dial({ host, port, protocol: 'tcp:' }, session, signal)
  if (!('socket' in connection)) return end(client, failureReply(connection.code, connection.address))
  socket.write(successReply(connection.address, port))
  if (command === commands.connectOnWord && (await readMessage(socket, readWord, maxBytes)) === null)
    connection.socket.destroy()
  relay(socket, connection.socket, session)
}

/** Each address is a reply of its own: Tor's clients read the first, ours all of them. */
const resolveName = async ({ host, port }: SocksRequest, client: Client): Promise<void> => {
  const { io } = client.session
  const families: Family[] = port === 4 || port === 6 ? [port] : [4, 6]
  const literal = isIP(host)
  if (literal !== 0) return end(client, successReply(host, 0))
  const answers = await Promise.allSettled(families.map((family) => io.lookup(host, family)))
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length > 0)
    return end(client, Buffer.concat(found.slice(0, 100).map(({ address }) => successReply(address, 0))))
  const failed = answers.find((answer) => answer.status === 'rejected')
  const code = failed?.reason instanceof Error ? codeOf(failed.reason) : 'ENOTFOUND'
  end(client, failureReply(code.replace(/^ENODATA$/, 'ENOTFOUND'), null))
}
