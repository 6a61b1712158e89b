import manifest from '../package.json' with { type: 'json' }

/** Of this release. */
export const agentVersion: string = manifest.version

/** How the agent names itself to targets. */
export const userAgent = `Watchpost/${agentVersion}`
