import { syncBuiltinESMExports } from 'node:module'
import tls from 'node:tls'
import type { ChildTask } from '../task.ts'
import { hookNames } from './hook-names.ts'
import { hookSockets } from './hook-sockets.ts'
import { hookTls } from './hook-tls.ts'
import { refuseOtherConnections } from './refuse-other-connections.ts'

/**
 * Sends everything that this process asks of the network through the egress proxy of its run, the only port that it may reach. That is
 * for the sake of honest programs, which then work as anywhere else; the kernel, where it can, refuses what goes round it,
 * and the other ways of this process to get there are refused besides.
 */
export const useEgressProxy = async ({
  egressProxyPort,
  hasProxy,
  extraCaCerts,
}: Pick<ChildTask, 'egressProxyPort' | 'hasProxy' | 'extraCaCerts'>): Promise<void> => {
  refuseOtherConnections(egressProxyPort)
  hookSockets(egressProxyPort)
  hookTls()
  hookNames(egressProxyPort)
  if (extraCaCerts !== null) tls.setDefaultCACertificates([...tls.getCACertificates('default'), extraCaCerts])
  if (hasProxy) {
    // Only then: to load http and https takes as long as a third of Node's start.
    const { forwardPlainHttp } = await import('./forward-plain-http.ts')
    forwardPlainHttp(globalThis.process.env)
  }
  syncBuiltinESMExports()
}
