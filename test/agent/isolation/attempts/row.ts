/**
 * What hostile code tries, by the layer that has to refuse it. `in the open` rows work without isolation, which the test makes sure of,
 * so that a refusal is the layer's; the others need rights that no child has anyway, and are harmless should they work.
 */
import type { IsolationLayer } from '../../../../agent/isolation/missing-isolation.ts'

export type Row = {
  layer: IsolationLayer
  name: string
  code: string
  /** What the outcome has to look like. */
  refused: RegExp
  /** Whether it works without isolation. */
  open: boolean
}

export type Cells = [name: string, code: string, refused?: RegExp]

export const rows = (layer: IsolationLayer, open: boolean, usual: RegExp, list: readonly Cells[]): Row[] =>
  list.map(([name, code, refused = usual]) => ({ layer, name, code, refused, open }))

export const fs = `const fs = require('fs');`
export const net = `const net = require('net');`
export const connected = (socket: string): string =>
  `${net} const s = ${socket}; s.unref(); await new Promise((y, n) => { s.on('connect', y); s.on('error', n) }); s.destroy(); return 'connected'`
