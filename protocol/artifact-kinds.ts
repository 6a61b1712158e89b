import type { ArtifactType } from './artifact.ts'

/** What a file of a run is; its name is for people. A control plane takes those that the run's check type has. */
export type ArtifactKind = { type: ArtifactType; contentType: string }

export const packetCapture: ArtifactKind = { type: 'pcap', contentType: 'application/vnd.tcpdump.pcap' }
export const traceJson: ArtifactKind = { type: 'report', contentType: 'application/json' }
export const traceText: ArtifactKind = { type: 'file', contentType: 'text/plain; charset=utf-8' }

/** Why the network failed a request. */
export const networkEvidence: readonly ArtifactKind[] = [packetCapture, traceJson, traceText]
