/**
 * The hooks alone, for Node programs other than main.ts: `node --require preload.mjs`, or by NODE_OPTIONS, with which workers and
 * further processes have them too (`--import` comes too late for workers). What goes round the egress proxy is for the kernel to refuse.
 */
import { syncBuiltinESMExports } from 'node:module'
import { hookNames } from './hook-names.ts'
import { hookSockets } from './hook-sockets.ts'
import { hookTls } from './hook-tls.ts'
import { answerOrdinaryCalls } from './ordinary-calls.ts'

const egressProxyPort = Number(globalThis.process.env['WATCHPOST_EGRESS_PROXY_PORT'])

hookSockets(egressProxyPort)
hookTls()
hookNames(egressProxyPort)
answerOrdinaryCalls()
syncBuiltinESMExports()
