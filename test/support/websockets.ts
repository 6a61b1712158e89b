/** The package `ws`, which comes with others and has no types here. */

import type { Server } from 'node:http'
import { createRequire } from 'node:module'

type Listener = (data: Buffer) => void
type ServerSide = { on(name: 'message', listener: Listener): void; send(text: string): void }
type Package = {
  WebSocket: new (url: string) => WebSocket
  WebSocketServer: new (options: {
    server: Server
  }) => {
    on(name: 'connection', listener: (socket: ServerSide) => void): void
  }
}

const ws: Package = createRequire(import.meta.url)('ws')

export const { WebSocket: WebSocketOfPackage, WebSocketServer } = ws
