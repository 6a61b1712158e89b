/**
 * The signatures of a release, as cosign writes them: of each image and chart beside it in a registry (a payload of simple
 * signing, and attestations in DSSE's envelope), of the sums and of the provenance as files. They lie apart from what they sign:
 * a signature is other bytes each time.
 */
import type { Sign } from './keys.ts'
import { addBlob, closeLayout, type Descriptor, type LayoutFiles, mediaTypes, sha256 } from './oci-layout.ts'
import type { Statement } from './provenance.ts'

/** Something that is signed in a registry, and what is stated of it. */
export type Signed = { repository: string; digest: string; statements: readonly Statement[] }

export type ToSign = {
  signed: readonly Signed[]
  sums: Buffer
  /** The bytes of its file. */
  provenance: Buffer
}

export const signatureFolder = 'signatures'
export const sumsSignature = 'SHA256SUMS.sig'
export const signedProvenance = 'provenance.dsse.json'

const payloadType = 'application/vnd.in-toto+json'
export const signatureAnnotation = 'dev.cosignproject.cosign/signature'
const simpleSigningType = 'application/vnd.dev.cosign.simplesigning.v1+json'
const envelopeType = 'application/vnd.dsse.envelope.v1+json'

/** What is signed of an envelope: its type and its payload, each with its length. */
export const preAuthenticated = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload])

const envelopeOf = (payload: Buffer, of: string, sign: Sign): Buffer =>
  Buffer.from(
    JSON.stringify({
      payloadType,
      payload: payload.toString('base64'),
      signatures: [{ keyid: '', sig: sign(preAuthenticated(payload), of).toString('base64') }],
    }),
  )

const payloadOf = ({ repository, digest }: Signed): Buffer =>
  Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': repository },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  )

/** A message that is stated of several things has one signature, though each signing would make another. */
const once = (sign: Sign): Sign => {
  const made = new Map<string, Buffer>()
  return (message, of) => {
    const hash = sha256(message)
    const signature = made.get(hash) ?? sign(message, of)
    made.set(hash, signature)
    return signature
  }
}

/** Files by their paths in the folder of the release. */
export const signatureFiles = ({ signed, sums, provenance }: ToSign, signEach: Sign): Map<string, Buffer> => {
  const sign = once(signEach)
  const layout: LayoutFiles = new Map()
  const named = new Map<string, Descriptor>()
  for (const one of signed) {
    const tag = `${one.repository}:${one.digest.replace(':', '-')}`
    const payload = payloadOf(one)
    const layer = {
      ...addBlob(layout, simpleSigningType, payload),
      annotations: { [signatureAnnotation]: sign(payload, tag).toString('base64') },
    }
    named.set(`${tag}.sig`, besideAnImage(layout, [layer]))
    const attestations = one.statements.map((statement) => ({
      ...addBlob(
        layout,
        envelopeType,
        envelopeOf(Buffer.from(JSON.stringify(statement)), `${tag} (${statement.predicateType})`, sign),
      ),
      annotations: { [signatureAnnotation]: '', predicateType: statement.predicateType },
    }))
    if (attestations.length > 0) named.set(`${tag}.att`, besideAnImage(layout, attestations))
  }
  closeLayout(layout, named)
  return new Map([
    [sumsSignature, Buffer.from(`${sign(sums, 'SHA256SUMS').toString('base64')}\n`)],
    [signedProvenance, envelopeOf(provenance, signedProvenance, sign)],
    ...[...layout].map(([path, bytes]): [string, Buffer] => [`${signatureFolder}/${path}`, bytes]),
  ])
}

/** To registries signatures and attestations are images whose layers they are. */
const besideAnImage = (layout: LayoutFiles, layers: Descriptor[]): Descriptor => {
  const long = '0001-01-01T00:00:00Z'
  const config = addBlob(layout, mediaTypes.config, {
    architecture: '',
    created: long,
    history: [{ created: long }],
    os: '',
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    config: {},
  })
  return addBlob(layout, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers,
  })
}

/** Signatures that were made once, by the hash of what they sign. */
export const signaturesIn = (files: ReadonlyMap<string, Buffer>): Map<string, Buffer> => {
  const found = new Map<string, Buffer>()
  const add = (message: Buffer, signature: unknown): void => {
    if (typeof signature === 'string') found.set(sha256(message), Buffer.from(signature, 'base64'))
  }
  for (const [path, bytes] of files) {
    if (path === sumsSignature) continue
    const parsed = parsedOrNull(bytes)
    if (typeof parsed?.payload === 'string')
      add(preAuthenticated(Buffer.from(parsed.payload, 'base64')), parsed.signatures?.[0]?.sig)
    for (const { digest, annotations } of parsed?.layers ?? []) {
      const payload = files.get(`${signatureFolder}/blobs/${String(digest).replace(':', '/')}`)
      if (payload && annotations?.[signatureAnnotation]) add(payload, annotations[signatureAnnotation])
    }
  }
  return found
}

type Parsed = {
  payload?: unknown
  signatures?: { sig?: unknown }[]
  layers?: Partial<Descriptor>[]
}

const parsedOrNull = (bytes: Buffer): Parsed | null => {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' ? value : null
  } catch {
    // Whatever it is, it is no file of ours: what is compared with it will say so.
    return null
  }
}
