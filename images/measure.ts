/** What an image is where it is stored: its digest, and the bytes that somebody pulls. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from './engine.ts'

/** `layers`: compressed bytes, the lowest one first. */
export type ImageSize = { digest: string; compressedBytes: number; layers: number[] }

type Manifest = { layers: { size: number }[] }

const blob = (folder: string, digest: string): string =>
  readFileSync(join(folder, 'blobs', digest.replace(':', '/')), 'utf8')

/** Podman's own layout of an image (OCI): its layers lie there as a registry keeps them. */
export const measure = async (engine: Engine, tag: string, folder: string): Promise<ImageSize> => {
  await engine.ask(['save', '--quiet', '--format', 'oci-dir', '--output', folder, tag])
  const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
  const { digest } = index.manifests[0] as { digest: string }
  const { layers } = JSON.parse(blob(folder, digest)) as Manifest
  return {
    digest,
    compressedBytes: layers.reduce((sum, { size }) => sum + size, 0),
    layers: layers.map(({ size }) => size),
  }
}

export const measureBriefly = async (engine: Engine, tag: string): Promise<ImageSize> => {
  const work = mkdtempSync(join(tmpdir(), 'watchpost-image-'))
  try {
    return await measure(engine, tag, join(work, 'layout'))
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}
