/**
 * Writes test/fixtures/exchanges/<this version>.json: what an agent and a control plane of this version say to each other. Run at a
 * release (CONTRIBUTING.md); later versions replay it in test/contract/earlier-versions.test.ts.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { controlPlaneVersion } from '../control-plane/platform/settings/config.ts'
import { testApp } from './support/app.ts'
import { recordExchanges } from './support/exchanges.ts'

const folder = new URL('fixtures/exchanges/', import.meta.url)
mkdirSync(folder, { recursive: true })
const exchanges = await recordExchanges(t, await testApp(t), controlPlaneVersion)
writeFileSync(new URL(`${controlPlaneVersion}.json`, folder), `${JSON.stringify(exchanges, null, 2)}\n`)
t.pass(`the exchanges of ${controlPlaneVersion} were written`)
