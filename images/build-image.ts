/** One image by its Dockerfile. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildSecrets } from './build-secrets.ts'
import type { Engine } from './engine.ts'
import { type Architecture, buildTime, debianName } from './own-base.ts'
import { tagOf, type Variant, variants } from './variants.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

export type BuildOptions = {
  engine: Engine
  secrets: BuildSecrets
  /** A base image instead of the pinned one; it is not pulled. */
  base: string | null
  architecture: Architecture
  /** `docker` keeps HEALTHCHECK, `oci` is the same bytes every time. */
  format: 'oci' | 'docker'
  revision: string
  /** Instead of the usual one. */
  tag?: string
  /** The clone that is built, instead of this one. */
  sources?: string
}

const passedOn = ['DEBIAN_MIRROR', 'DEBIAN_SECURITY_MIRROR', 'EXTRA_PACKAGES'] as const

/** Its tag. */
export const buildImage = async (variant: Variant, options: BuildOptions): Promise<string> => {
  const { engine, base, architecture, format, secrets, revision, sources = root } = options
  const tag = options.tag ?? tagOf(variant, version)
  const agent = variants.find(({ name }) => name === 'agent') as Variant
  const args = {
    REVISION: revision,
    ...(base === null ? {} : { BASE_IMAGE: base }),
    ...(variant.fromAgent ? { AGENT_IMAGE: tagOf(agent, version) } : {}),
    ...Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  }
  const own =
    engine.name === 'docker'
      ? []
      : [
          ...['--isolation', 'chroot', '--network', 'host', '--format', format, '--layers=false'],
          ...['--timestamp', String(buildTime), ...(base === null ? [] : ['--pull=never'])],
        ]
  await engine.show([
    ...['build', ...own, '--platform', `linux/${debianName(architecture)}`, ...secrets.options],
    ...Object.entries(args).map(([name, value]) => `--build-arg=${name}=${value}`),
    ...['--tag', tag, '--file', join(sources, variant.dockerfile), sources],
  ])
  return tag
}

/** The bill is in the image; beside it somebody can read it without one. */
export const copyBill = async (engine: Engine, tag: string, to: string): Promise<void> => {
  const container = await engine.ask(['create', tag])
  try {
    await engine.ask(['cp', `${container}:/app/sbom.cdx.json`, to])
  } finally {
    await engine.ask(['rm', '-v', container])
  }
}
