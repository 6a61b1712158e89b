import type { ArtifactType } from './artifact.ts'

/** What a file of a run is; its name is for people. A control plane takes those that the run's check type has. */
export type ArtifactKind = { type: ArtifactType; contentType: string }

export const packetCapture: ArtifactKind = { type: 'pcap', contentType: 'application/vnd.tcpdump.pcap' }
export const traceJson: ArtifactKind = { type: 'report', contentType: 'application/json' }
export const traceText: ArtifactKind = { type: 'file', contentType: 'text/plain; charset=utf-8' }

/** Why the network failed a request. */
export const networkEvidence: readonly ArtifactKind[] = [packetCapture, traceJson, traceText]

const text: ArtifactKind = { type: 'file', contentType: 'text/plain; charset=utf-8' }
const json: ArtifactKind = { type: 'file', contentType: 'application/json' }
const photo: ArtifactKind = { type: 'screenshot', contentType: 'image/jpeg' }

/** Files of scripts by the endings of their names. Pages are text: nobody's browser shall run them. */
export const scriptFileKinds: Readonly<Record<string, ArtifactKind>> = {
  '.png': { type: 'screenshot', contentType: 'image/png' },
  '.jpg': photo,
  '.jpeg': photo,
  '.webm': { type: 'video', contentType: 'video/webm' },
  '.zip': { type: 'trace', contentType: 'application/zip' },
  '.har': json,
  '.json': json,
  '.html': text,
  '.txt': text,
  '.csv': text,
  '.pdf': { type: 'file', contentType: 'application/pdf' },
}

/** With the report of a test runner. */
export const scriptFiles: readonly ArtifactKind[] = [traceJson, ...Object.values(scriptFileKinds)]
