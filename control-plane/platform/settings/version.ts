import manifest from '../../package.json' with { type: 'json' }

export const controlPlaneVersion: string = manifest.version
