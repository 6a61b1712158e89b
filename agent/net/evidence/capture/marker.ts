import type { Socket } from 'node:dgram'
import type { Io } from '../../io.ts'

/**
 * Numbered datagrams that the agent sends to itself, for tcpdump to see: once a number is in its files, everything that it
 * saw before is.
 */
export type Marker = {
  /** Resolves with the port that the datagrams go to; rejects if there is none to be had. */
  open(): Promise<number>
  close(): void
  /** Resolves with the number that was sent, which is greater than all before. */
  send(copies: number): Promise<number>
  /** The last number in a capture file, 0 if there is none. */
  lastIn(file: Buffer): number
}

type MarkerOptions = Pick<Io, 'clock' | 'datagrams' | 'newId'>

export const loopback = '127.0.0.1'
/** As much as the ring keeps of a packet: the buffers on the way to the files are filled with few of them. */
const datagramBytes = 512
const digits = 12
/** As many as are read in a turn of the event loop: what has no room is counted as an error of the machine. */
const copiesPerTurn = 30

/** A marker of this process: others that send some at the same time are told apart. */
export const createMarker = ({ clock, datagrams, newId }: MarkerOptions): Marker => {
  const sign = `watchpost ${newId()} `
  let socket: Socket | null = null
  let sent = 0

  const open = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const opened = datagrams('udp4')
      socket = opened
      opened.on('error', reject)
      opened.bind(0, loopback, () => {
        const { port } = opened.address()
        opened.unref()
        opened.connect(port, loopback, () => resolve(port))
      })
    })

  const send = async (copies: number): Promise<number> => {
    sent += 1
    const number = sent
    const datagram = Buffer.alloc(datagramBytes)
    datagram.write(`${sign}${String(number).padStart(digits, '0')}`)
    for (let left = copies; left > 0; left -= copiesPerTurn) {
      for (let copy = Math.min(left, copiesPerTurn); copy > 0; copy -= 1) socket?.send(datagram)
      await clock.sleep(0)
    }
    return number
  }

  return {
    open,
    send,
    close: () => {
      socket?.close()
      socket = null
    },
    lastIn: (file) => {
      const at = file.lastIndexOf(sign)
      const from = at + sign.length
      return at === -1 ? 0 : Number(file.toString('latin1', from, from + digits))
    },
  }
}
